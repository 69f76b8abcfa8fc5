"""Dual numbers: scalars with a Delta term, and the wrapper (Figures 1, 2, 3 and 6).

A number ``x`` becomes ``(x, d)``, where the Delta term ``d`` says how ``x`` moves with the inputs.
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
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import count
from typing import Any

import numpy as np

from papers.dual_numbers.evaluators import ZERO, Add, Delta, Input, Scale, Share, reverse_pass


def dual(operation: Callable[..., Any], slopes: Callable[..., Sequence[Any]]) -> Any:
    """``D[op t…]``, given the partial derivatives at the arguments and the result, None for 1."""

    def operated(*args: Any) -> Number:
        numbers = [number(x) for x in args]
        xs = [x.primal for x in numbers]
        y = operation(*xs)
        return result(y, *zip(slopes(*xs, y), numbers, strict=True))

    return operated


def result(primal: Any, *moved: tuple[Any, Number]) -> Number:
    """``(primal, Add (Scale p₁ d₁) …)``, in a ``Share`` if identifiers there are (Fig. 3)."""
    delta = reduce(Add, [x.delta if p is None else Scale(p, x.delta) for p, x in moved])
    ids = next((x.ids for _, x in moved if x.ids is not None), None)
    return Number(primal, delta if ids is None else Share(next(ids), delta), ids)


def read(operation: Callable[..., Any]) -> Callable[..., Any]:
    """What is discrete looks at the primals (2.7)."""
    return lambda *xs: operation(*(x.primal if isinstance(x, Number) else x for x in xs))


def reflected(operation: Any) -> Any:
    """``y op x``, for a number on the left."""
    return lambda x, y: operation(number(y), x)


def _power(x: Any, n: Any, y: Any) -> tuple[Any, Any]:
    of_exponent = y * math.log(x) if x > 0 else math.nan
    return (n * x ** (n - 1) if n else 0.0), (0.0 if y == 0 else of_exponent)


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """``(x, d)``; ``ids`` gives fresh identifiers, or is None to leave sharing out (Fig. 2)."""

    primal: Any
    delta: Delta = ZERO
    ids: Iterator[int] | None = None

    __add__ = __radd__ = dual(operator.add, lambda x, y, _: (None, None))
    __mul__ = __rmul__ = dual(operator.mul, lambda x, y, _: (y, x))
    __sub__ = dual(operator.sub, lambda x, y, _: (None, -1))
    __truediv__ = dual(operator.truediv, lambda x, y, z: (1 / y, -z / y))
    __pow__ = dual(operator.pow, _power)
    __neg__ = dual(operator.neg, lambda x, _: (-1,))
    __abs__ = dual(abs, lambda x, _: (math.copysign(1.0, x) if x else 0.0,))
    __rsub__, __rtruediv__ = reflected(__sub__), reflected(__truediv__)
    __rpow__ = reflected(__pow__)
    __int__, __floor__, __ceil__ = read(int), read(math.floor), read(math.ceil)
    __bool__, __round__, __hash__ = read(bool), read(round), read(hash)
    __eq__, __lt__, __le__ = read(operator.eq), read(operator.lt), read(operator.le)
    __gt__, __ge__ = read(operator.gt), read(operator.ge)


sin = dual(math.sin, lambda x, _: (math.cos(x),))
cos = dual(math.cos, lambda x, _: (-math.sin(x),))
exp = dual(math.exp, lambda _, y: (y,))
log = dual(math.log, lambda x, _: (1.0 / x,))


def number(x: Any) -> Number:
    """``D[r] = (r, Zero)``; a dual number as it is."""
    return x if isinstance(x, Number) else Number(x)


def total(numbers: Sequence[Number]) -> Number:
    """``DsumOuter`` of 4.1: one ``Share`` around the sum of all."""
    terms = [(None, x) for x in (number(0.0), *numbers)]
    return result(sum([x.primal for _, x in terms]), *terms)


def traced(f: Callable[..., Any], *inputs: float, sharing: bool = True) -> Number:
    """``D[f]`` at numbers, each an input: by Fig. 3, or without sharing by Fig. 2.

    >>> traced(lambda x: x + x, 3.0, sharing=False).delta
    Add (Input 0) (Input 0)
    """
    ids = count() if sharing else None
    return number(f(*(Number(x, Input(i), ids) for i, x in enumerate(inputs))))


def gradient(f: Callable[..., Any], *inputs: Any, cotangent: Any = 1.0) -> Any:
    """The gradient at ``inputs``, numbers or nested tuples of them: ``wrapper`` (Fig. 6)."""
    names, ids = count(), count()
    named = each(lambda x: Number(x, Input(next(names)), ids), inputs)
    found = reverse_pass(cotangent, number(f(*named)).delta)
    return reconstructed(found, named)


def each(at: Callable[[Any], Any], value: Any) -> Any:
    """``named``: nested tuples with ``at`` of each number."""
    if isinstance(value, tuple):
        return tuple(each(at, part) for part in value)
    return value if isinstance(value, bool | int | np.bool_ | np.integer) else at(value)


def reconstructed(found: dict[int, Any], value: Any) -> Any:
    """``reconstruct``, where ``T[Int] = ()``, which is None."""
    if isinstance(value, tuple):
        return tuple(reconstructed(found, part) for part in value)
    return found.get(value.delta.args[0], 0.0) if isinstance(value, Number) else None
