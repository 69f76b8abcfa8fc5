"""Dual numbers ``(x, d)`` with overloaded operators: sections 2.2, 2.5 and 2.7 of 003.

What a program does between its operations on numbers stays as it is: closures, branches, tuples.
Integers and booleans are discrete: they are no dual numbers, can be tested and be indices, and
their cotangent is None.

>>> gradient(lambda x, y: x * y + sin(x), 0.0, 5.0)
(6.0, 0.0)
>>> gradient(lambda x, n, p: x**n if p else x, 2.0, 3, True)
(12.0, None, None)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from interpreters.deltas.scalar import Add, Delta, Input, Scale, Share, Zero, reverse_pass


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """``(x, d)``; ``ids`` gives fresh identifiers, or is None to leave sharing out (Fig. 2)."""

    primal: float
    delta: Delta
    ids: Iterator[int] | None = None

    def __add__(self, other: Any) -> Number:
        """``D[t₁ + t₂]``."""
        y = number(other)
        return result(self.primal + y.primal, Add(self.delta, y.delta), self, y)

    def __mul__(self, other: Any) -> Number:
        """``D[t₁ × t₂]``."""
        y = number(other)
        moved = Add(Scale(y.primal, self.delta), Scale(self.primal, y.delta))
        return result(self.primal * y.primal, moved, self, y)

    def __neg__(self) -> Number:
        """``D[-t]``."""
        return result(-self.primal, Scale(-1.0, self.delta), self)

    def __sub__(self, other: Any) -> Number:
        """``D[t₁ - t₂]``."""
        y = number(other)
        moved = Add(self.delta, Scale(-1.0, y.delta))
        return result(self.primal - y.primal, moved, self, y)

    def __truediv__(self, other: Any) -> Number:
        """``D[t₁ / t₂]``."""
        y = number(other)
        z = self.primal / y.primal
        moved = Add(Scale(1.0 / y.primal, self.delta), Scale(-z / y.primal, y.delta))
        return result(z, moved, self, y)

    def __pow__(self, other: Any) -> Number:
        """``D[t₁ ^ t₂]``; an exponent that does not move needs no logarithm."""
        y = number(other)
        z, slope = self.primal**y.primal, 0.0
        if y.primal:
            slope = y.primal * self.primal ** (y.primal - 1)
        moved: Delta = Scale(slope, self.delta)
        if not isinstance(y.delta, Zero):
            of_exponent = z * math.log(self.primal) if self.primal > 0 else math.nan
            moved = Add(moved, Scale(0.0 if z == 0 else of_exponent, y.delta))
        return result(z, moved, self, y)

    def __abs__(self) -> Number:
        """``D[|t|]``: by the sign, and 0 at 0."""
        sign = math.copysign(1.0, self.primal) if self.primal else 0.0
        return result(abs(self.primal), Scale(sign, self.delta), self)

    def __round__(self, digits: int | None = None) -> Any:
        """An integer, or a number that stands still."""
        rounded = round(self.primal, digits)
        return rounded if digits is None else number(rounded)

    def __floor__(self) -> int:
        """An integer."""
        return math.floor(self.primal)

    def __ceil__(self) -> int:
        """An integer."""
        return math.ceil(self.primal)

    def __int__(self) -> int:
        """An integer."""
        return int(self.primal)

    def __bool__(self) -> bool:
        """A test looks at the primal, and so does a comparison."""
        return bool(self.primal)

    def __eq__(self, other: object) -> bool:
        return bool(self.primal == _primal(other))

    def __hash__(self) -> int:
        return hash(self.primal)

    def __gt__(self, other: Any) -> bool:
        return bool(self.primal > _primal(other))

    def __ge__(self, other: Any) -> bool:
        return bool(self.primal >= _primal(other))

    def __lt__(self, other: Any) -> bool:
        return bool(self.primal < _primal(other))

    def __le__(self, other: Any) -> bool:
        return bool(self.primal <= _primal(other))

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: Any) -> Number:
        """``D[r - t]``."""
        return number(other) - self

    def __rtruediv__(self, other: Any) -> Number:
        """``D[r / t]``."""
        return number(other) / self

    def __rpow__(self, other: Any) -> Number:
        """``D[r ^ t]``."""
        return number(other) ** self


def _primal(x: Any) -> Any:
    return x.primal if isinstance(x, Number) else x


def number(x: Any) -> Number:
    """``D[r] = (r, Zero)``; a dual number as it is."""
    return x if isinstance(x, Number) else Number(float(x), Zero())


def result(primal: float, moved: Delta, *args: Number) -> Number:
    """The result of a primitive operation, whose Delta term gets an identifier (Fig. 3)."""
    ids = next((x.ids for x in args if x.ids is not None), None)
    return Number(primal, moved if ids is None else Share(next(ids), moved), ids)


def sin(t: Number) -> Number:
    """``D[sin t]``."""
    return result(math.sin(t.primal), Scale(math.cos(t.primal), t.delta), t)


def cos(t: Number) -> Number:
    """``D[cos t]``."""
    return result(math.cos(t.primal), Scale(-math.sin(t.primal), t.delta), t)


def exp(t: Number) -> Number:
    """``D[exp t]``."""
    y = math.exp(t.primal)
    return result(y, Scale(y, t.delta), t)


def log(t: Number) -> Number:
    """``D[log t]``."""
    return result(math.log(t.primal), Scale(1.0 / t.primal, t.delta), t)


def total(numbers: Sequence[Number]) -> Number:
    """``DsumOuter`` of 4.1: one ``Share`` around the sum of all."""
    primal = 0.0
    moved: Delta = Zero()
    for x in numbers:
        primal, moved = primal + x.primal, Add(moved, x.delta)
    return result(primal, moved, *numbers)


def traced(f: Callable[..., Any], *inputs: float, sharing: bool = True) -> Number:
    """``D[f]`` at numbers, each an input: by Fig. 3, or without sharing by Fig. 2.

    >>> traced(lambda x: x + x, 3.0, sharing=False).delta
    Add(left=Input(name=0), right=Input(name=0))
    """
    ids = count() if sharing else None
    return number(f(*(Number(x, Input(i), ids) for i, x in enumerate(inputs))))


def gradient(f: Callable[..., Any], *inputs: Any, cotangent: float = 1.0) -> tuple[Any, ...]:
    """The gradient at ``inputs``, numbers or nested tuples of them: ``wrapper``."""
    names, ids = count(), count()
    named = _named(inputs, names, ids)
    found = reverse_pass(cotangent, number(f(*named)).delta)
    rebuilt: tuple[Any, ...] = _reconstructed(found, named)
    return rebuilt


def _named(value: Any, names: Iterator[int], ids: Iterator[int]) -> Any:
    if isinstance(value, tuple):
        return tuple(_named(part, names, ids) for part in value)
    return value if _is_discrete(value) else Number(float(value), Input(next(names)), ids)


def _is_discrete(value: Any) -> bool:
    """Whether it is of a type whose tangent space is Unit (Fig. 6 of 004)."""
    return isinstance(value, bool | int | np.bool_ | np.integer)


def _reconstructed(found: Mapping[int, float], value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_reconstructed(found, part) for part in value)
    if _is_discrete(value):
        return None
    return found.get(value.delta.name, 0.0)
