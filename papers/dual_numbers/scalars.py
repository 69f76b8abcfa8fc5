"""Dual-numbers reverse AD on scalars: section 2 of 003, equation by equation.

A number ``x`` becomes ``(x, d)``, where the Delta term ``d`` says how ``x`` moves with the inputs.
What a program does between its operations on numbers stays as it is: closures, branches, tuples.
Integers and booleans are discrete: they are no dual numbers, can be tested and be indices, and
their cotangent is None.

>>> gradient(lambda x, y: x * y + sin(x), 0.0, 5.0)
(6.0, 0.0)
>>> gradient(lambda x, n, p: x**n if p else x, 2.0, 3, True)
(12.0, None, None)

``eval0`` reads a Delta term as that linear map; each of the five evaluators after it computes the
same gradient and saves a kind of work. Every one takes ``see``, which is called with each Delta
term that it visits, so that its cost can be counted.

>>> reverse_pass(1.0, Add(Scale(3.0, Input(0)), Input(1)))
{0: 3.0, 1: 1.0}
"""

from __future__ import annotations

import heapq
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import count
from typing import Any, TypeVar

import numpy as np

from combinators.kit.recursion import Recursive, recurse

Transform = Callable[[Any], Any]

# Fig. 1: Delta terms, linear maps from the inputs to one number.


@dataclass(frozen=True, slots=True, eq=False)
class Delta:
    """A linear map from the inputs to one number."""


@dataclass(frozen=True, slots=True, eq=False)
class Zero(Delta):
    """That of what does not move."""


@dataclass(frozen=True, slots=True, eq=False)
class Input(Delta):
    """That of the input ``name``."""

    name: int


@dataclass(frozen=True, slots=True, eq=False)
class Add(Delta):
    """The sum of two."""

    left: Delta
    right: Delta


@dataclass(frozen=True, slots=True, eq=False)
class Scale(Delta):
    """Another, times a partial derivative."""

    factor: float
    below: Delta


@dataclass(frozen=True, slots=True, eq=False)
class Share(Delta):
    """A term that may stand in many places; the identifiers inside ``below`` are smaller."""

    id: int
    below: Delta


ZERO = Zero()
See = Callable[[Delta], None]
"""What is called with each Delta term that is visited, so that they can be counted."""


def unseen(_: Delta) -> None:
    """Nobody counts."""


def size(delta: Delta) -> int:
    """How many constructors there are, one that is shared counted once; inputs, zeros are free."""
    todo, seen = [delta], set[int]()
    while todo:
        match todo.pop():
            case Add(left, right) as d if id(d) not in seen:
                seen.add(id(d))
                todo += (left, right)
            case (Scale(_, below) | Share(_, below)) as d if id(d) not in seen:
                seen.add(id(d))
                todo.append(below)
    return len(seen)


# 2.2, 2.5 and 2.7: dual numbers.


def _on_primals(operation: Callable[..., Any]) -> Callable[..., Any]:
    """Tests and comparisons look at the primals."""
    return lambda *xs: operation(*(x.primal if isinstance(x, Number) else x for x in xs))


def _swapped(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Number]:
    return lambda x, y: operation(number(y), x)


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """``(x, d)``; ``ids`` gives fresh identifiers, or is None to leave sharing out (Fig. 2)."""

    primal: float
    delta: Delta
    ids: Iterator[int] | None = None

    def __add__(self, other: Any) -> Number:
        y = number(other)
        return result(self.primal + y.primal, (None, self), (None, y))

    def __mul__(self, other: Any) -> Number:
        y = number(other)
        return result(self.primal * y.primal, (y.primal, self), (self.primal, y))

    def __neg__(self) -> Number:
        return result(-self.primal, (-1.0, self))

    def __sub__(self, other: Any) -> Number:
        y = number(other)
        return result(self.primal - y.primal, (None, self), (-1.0, y))

    def __truediv__(self, other: Any) -> Number:
        y = number(other)
        z = self.primal / y.primal
        return result(z, (1.0 / y.primal, self), (-z / y.primal, y))

    def __pow__(self, other: Any) -> Number:
        """An exponent that does not move needs no logarithm."""
        y = number(other)
        z, slope = self.primal**y.primal, 0.0
        if y.primal:
            slope = y.primal * self.primal ** (y.primal - 1)
        if isinstance(y.delta, Zero):
            return result(z, (slope, self))
        of_exponent = z * math.log(self.primal) if self.primal > 0 else math.nan
        return result(z, (slope, self), (0.0 if z == 0 else of_exponent, y))

    def __abs__(self) -> Number:
        """By the sign, and 0 at 0."""
        sign = math.copysign(1.0, self.primal) if self.primal else 0.0
        return result(abs(self.primal), (sign, self))

    def __round__(self, digits: int | None = None) -> Any:
        """An integer, or a number that stands still."""
        rounded = round(self.primal, digits)
        return rounded if digits is None else number(rounded)

    __int__, __floor__ = _on_primals(int), _on_primals(math.floor)
    __ceil__, __bool__ = _on_primals(math.ceil), _on_primals(bool)
    __hash__ = _on_primals(hash)
    __eq__, __gt__ = _on_primals(operator.eq), _on_primals(operator.gt)
    __ge__, __lt__ = _on_primals(operator.ge), _on_primals(operator.lt)
    __le__ = _on_primals(operator.le)
    __radd__, __rmul__ = __add__, __mul__
    __rsub__, __rtruediv__ = map(_swapped, (operator.sub, operator.truediv))
    __rpow__ = _swapped(operator.pow)


def number(x: Any) -> Number:
    """``D[r] = (r, Zero)``; a dual number as it is."""
    return x if isinstance(x, Number) else Number(float(x), ZERO)


def result(primal: float, *moved: tuple[float | None, Number]) -> Number:
    """``D[op t…]``: each argument with its partial derivative, None for 1 (Fig. 2).

    The Delta term gets an identifier, if identifiers there are (Fig. 3).
    """
    terms = [x.delta if slope is None else Scale(slope, x.delta) for slope, x in moved]
    ids = next((x.ids for _, x in moved if x.ids is not None), None)
    delta = reduce(Add, terms)
    return Number(primal, delta if ids is None else Share(next(ids), delta), ids)


def _elementary(
    f: Callable[[float], float], slope: Callable[[float, float], float]
) -> Callable[[Number], Number]:
    """``D[f t]``, given the slope at an argument and its result."""

    def dual(t: Number) -> Number:
        y = f(t.primal)
        return result(y, (slope(t.primal, y), t))

    return dual


sin = _elementary(math.sin, lambda x, _: math.cos(x))
cos = _elementary(math.cos, lambda x, _: -math.sin(x))
exp = _elementary(math.exp, lambda _, y: y)
log = _elementary(math.log, lambda x, _: 1.0 / x)


def total(numbers: Sequence[Number]) -> Number:
    """``DsumOuter`` of 4.1: one ``Share`` around the sum of all."""
    return result(
        sum([x.primal for x in numbers], 0.0), *((None, x) for x in (number(0.0), *numbers))
    )


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
    named = _each(inputs, lambda x: Number(float(x), Input(next(names)), ids))
    found = reverse_pass(cotangent, number(f(*named)).delta)
    rebuilt: tuple[Any, ...] = _each(named, lambda x: found.get(x.delta.name, 0.0), lambda _: None)
    return rebuilt


def _each(
    value: Any, at: Callable[[Any], Any], discrete: Callable[[Any], Any] = lambda x: x
) -> Any:
    """Nested tuples with ``at`` of each number; what is discrete has Unit for its tangents."""
    if isinstance(value, tuple):
        return tuple(_each(part, at, discrete) for part in value)
    return discrete(value) if isinstance(value, bool | int | np.bool_ | np.integer) else at(value)


# 2.3: a Delta term is a directional derivative. A gradient takes n passes.

V = TypeVar("V")


def _linear(delta: Delta, at: Callable[[int], V], zero: Callable[[], V], see: See) -> V:
    """The linear map that a Delta term is, of inputs that are ``at`` some numbers or vectors."""

    def ev(d: Delta) -> Recursive[Any]:
        see(d)
        match d:
            case Input(i):
                return at(i)
            case Add(d1, d2):
                return (yield ev(d1)) + (yield ev(d2))
            case Scale(r, d1):
                return r * (yield ev(d1))
            case Share(_, d1):
                return (yield ev(d1))
            case _:
                return zero()

    found: V = recurse(ev(delta))
    return found


def eval0(delta: Delta, direction: Sequence[float], see: See = unseen) -> float:
    """``∇f · ε``; ``eval0`` of every basis vector is the gradient (equation 2)."""
    return _linear(delta, direction.__getitem__, float, see)


# 2.4: the whole gradient in one pass.


class Space:
    """ℝⁿ. It counts the numbers that its vectors ``touched``."""

    def __init__(self, n: int) -> None:
        self.n, self.touched = n, 0

    def vector(self, numbers: Sequence[float]) -> Vector:
        """A new vector, every number of which is written."""
        self.touched += self.n
        return Vector(self, list(numbers))

    def zero(self) -> Vector:
        """``(0, …, 0)``."""
        return self.vector([0.0] * self.n)


@dataclass(frozen=True, slots=True)
class Vector:
    """A vector of a ``Space``."""

    space: Space
    numbers: list[float]

    def __add__(self, other: Vector) -> Vector:
        return self.space.vector([x + y for x, y in zip(self.numbers, other.numbers, strict=True)])

    def __rmul__(self, factor: float) -> Vector:
        return self.space.vector([factor * x for x in self.numbers])

    def adding(self, i: int, number: float) -> Vector:
        """With ``number`` added to position ``i``, in place: one number is touched."""
        self.space.touched += 1
        self.numbers[i] += number
        return self


def eval1(delta: Delta, space: Space, see: See = unseen) -> Vector:
    """One pass, but every node makes a vector."""
    basis = [[float(i == j) for j in range(space.n)] for i in range(space.n)]
    return _linear(delta, lambda i: space.vector(basis[i]), space.zero, see)


def eval2(delta: Delta, tangent: Vector, see: See = unseen) -> Vector:
    """Cayley-transformed: one vector goes through, and only ``Scale`` works on all of it.

    It scales what its own term adds; what was there before stands still.
    """

    def scaled(r: float, d: Delta, _: float, tg: Vector) -> Recursive[Vector]:
        added: Vector = yield _handed(d, 1.0, tg.space.zero(), scaled, see)
        return tg + r * added

    return recurse(_handed(delta, 1.0, tangent, scaled, see))


def eval3(c: float, delta: Delta, tangent: Vector, see: See = unseen) -> Vector:
    """Factors are pushed inwards, which turns their order around: reverse mode. No vector work."""

    def scaled(r: float, d: Delta, c: float, tg: Vector) -> Recursive[Vector]:
        return _handed(d, c * r, tg, scaled, see)

    return recurse(_handed(delta, c, tangent, scaled, see))


Scaled = Callable[[float, Delta, float, Vector], Recursive[Vector]]


def _handed(d: Delta, c: float, tg: Vector, scaled: Scaled, see: See) -> Recursive[Vector]:
    """``tg`` with ``c`` times what ``d`` moves along each input; ``Scale`` is as it is given."""
    see(d)
    match d:
        case Input(name):
            tg = tg.adding(name, c)
        case Add(d1, d2):
            tg = yield _handed(d1, c, tg, scaled, see)
            tg = yield _handed(d2, c, tg, scaled, see)
        case Scale(r, d1):
            tg = yield scaled(r, d1, c, tg)
        case Share(_, d1):
            tg = yield _handed(d1, c, tg, scaled, see)
    return tg


# 2.6: every shared node once, from the highest identifier to the lowest (Fig. 5).


def reverse_pass(c: float, delta: Delta, see: See = unseen) -> dict[int, float]:
    """``reversePass₄``: the gradient, by input; an input that is missing has 0."""
    grad, accum = dict[int, float](), dict[int, tuple[float, Delta]]()
    todo, highest = [(c, delta)], list[int]()  # the keys of ``accum``, negated, as a heap
    while todo or highest:
        c, d = todo.pop() if todo else accum.pop(-heapq.heappop(highest))
        see(d)
        match d:
            case Input(v):
                grad[v] = grad.get(v, 0.0) + c
            case Share(i, below):
                if i not in accum:
                    heapq.heappush(highest, -i)
                accum[i] = accum.get(i, (0.0, below))[0] + c, below
            case Add(d1, d2):
                todo += ((c, d2), (c, d1))
            case Scale(factor, below):
                todo.append((c * factor, below))
    return grad
