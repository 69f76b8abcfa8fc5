"""Dual-numbers reverse AD on scalars, in five evaluators: section 2 of 003, equation by equation.

A number ``x`` becomes ``(x, d)``, where the Delta term ``d`` says how ``x`` moves with the inputs
(``dual_numbers`` makes them). ``eval0`` reads a Delta term as that linear map; each evaluator after
it computes the same gradient and saves a kind of work. Every one takes ``see``, which is called
with each Delta term that it visits, so that its cost can be counted.

>>> reverse_pass(1.0, Add(Scale(3.0, Input(0)), Input(1)))
{0: 3.0, 1: 1.0}
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from combinators.kit.recursion import Recursive, recurse


@dataclass(frozen=True, slots=True)
class Delta:
    """A linear map from the inputs to one number (Fig. 1b)."""


@dataclass(frozen=True, slots=True)
class Zero(Delta):
    """That of a constant."""


@dataclass(frozen=True, slots=True)
class Input(Delta):
    """That of the input ``name``."""

    name: int


@dataclass(frozen=True, slots=True)
class Add(Delta):
    """The sum of two."""

    left: Delta
    right: Delta


@dataclass(frozen=True, slots=True)
class Scale(Delta):
    """``factor`` times another."""

    factor: float
    below: Delta


@dataclass(frozen=True, slots=True)
class Share(Delta):
    """A term that may stand in many places (2.5); identifiers inside ``below`` are smaller."""

    id: int
    below: Delta


V = TypeVar("V")
See = Callable[[Delta], None]


def unseen(_: Delta) -> None:
    """Nobody counts."""


def linear(delta: Delta, at: Callable[[int], V], zero: Callable[[], V], see: See) -> V:
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


# 2.3: a Delta term is a directional derivative. A gradient takes n passes.


def eval0(delta: Delta, direction: Sequence[float], see: See = unseen) -> float:
    """``∇f · ε``; ``eval0`` of every basis vector is the gradient (equation 2)."""
    return linear(delta, direction.__getitem__, float, see)


# 2.4: the whole gradient in one pass.


class Space:
    """ℝⁿ. It counts the numbers that its vectors ``touched``."""

    def __init__(self, n: int) -> None:
        """Of ``n`` inputs."""
        self.n, self.touched = n, 0

    def vector(self, numbers: Sequence[float]) -> Vector:
        """A new vector, every number of which is written."""
        self.touched += self.n
        return Vector(self, list(numbers))

    def zero(self) -> Vector:
        """``(0, …, 0)``."""
        return self.vector([0.0] * self.n)

    def one_hot(self, i: int) -> Vector:
        """1 at ``i``."""
        return self.vector([float(i == j) for j in range(self.n)])


@dataclass(frozen=True, slots=True)
class Vector:
    """A vector of a ``Space``."""

    space: Space
    numbers: list[float]

    def __add__(self, other: Vector) -> Vector:
        """Element by element."""
        return self.space.vector([x + y for x, y in zip(self.numbers, other.numbers, strict=True)])

    def __rmul__(self, factor: float) -> Vector:
        """Element by element."""
        return self.space.vector([factor * x for x in self.numbers])

    def adding(self, i: int, number: float) -> Vector:
        """With ``number`` added to position ``i``, in place: one number is touched."""
        self.space.touched += 1
        self.numbers[i] += number
        return self


def eval1(delta: Delta, space: Space, see: See = unseen) -> Vector:
    """One pass, but every node makes a vector."""
    return linear(delta, space.one_hot, space.zero, see)


def eval2(delta: Delta, tangent: Vector, see: See = unseen) -> Vector:
    """Cayley-transformed: one vector goes through, and only ``Scale`` works on all of it.

    It scales what its own term adds; what was there before stands still.
    """

    def ev(d: Delta, tg: Vector) -> Recursive[Any]:
        see(d)
        match d:
            case Input(name):
                return tg.adding(name, 1.0)
            case Add(d1, d2):
                return (yield ev(d2, (yield ev(d1, tg))))
            case Scale(r, d1):
                scaled: Vector = r * (yield ev(d1, tg.space.zero()))
                return tg + scaled
            case Share(_, d1):
                return (yield ev(d1, tg))
            case _:
                return tg

    found: Vector = recurse(ev(delta, tangent))
    return found


def eval3(c: float, delta: Delta, tangent: Vector, see: See = unseen) -> Vector:
    """Factors are pushed inwards, which turns their order around: reverse mode. No vector work."""

    def ev(c: float, d: Delta, tg: Vector) -> Recursive[Any]:
        see(d)
        match d:
            case Input(name):
                return tg.adding(name, c)
            case Add(d1, d2):
                return (yield ev(c, d2, (yield ev(c, d1, tg))))
            case Scale(r, d1):
                return (yield ev(c * r, d1, tg))
            case Share(_, d1):
                return (yield ev(c, d1, tg))
            case _:
                return tg

    found: Vector = recurse(ev(c, delta, tangent))
    return found


# 2.6: every shared node once, from the highest identifier to the lowest (Fig. 5).


@dataclass
class State:
    """``ES``: cotangents of the inputs, and of the fragments that wait for their turn."""

    grad: dict[int, float] = field(default_factory=dict)
    dfrag: dict[int, Delta] = field(default_factory=dict)
    accum: dict[int, float] = field(default_factory=dict)
    highest: list[int] = field(default_factory=list)
    """The keys of ``accum``, negated, as a heap: what Haskell's ``maxViewWithKey`` looks up."""


def reverse_pass(c: float, delta: Delta, see: See = unseen) -> dict[int, float]:
    """``reversePass₄``: the gradient, by input; an input that is missing has 0."""
    state = State()
    eval4(c, delta, state, see)
    backprop(state, see)
    return state.grad


def backprop(state: State, see: See = unseen) -> None:
    """Take out the fragment of the highest identifier, until none is left."""
    while state.highest:
        i = -heapq.heappop(state.highest)
        eval4(state.accum.pop(i), state.dfrag.pop(i), state, see)


def eval4(c: float, delta: Delta, state: State, see: See = unseen) -> None:
    """One fragment: a ``Share`` in it is put off, and the cotangents that reach it are summed."""

    def ev(c: float, d: Delta) -> Recursive[None]:
        see(d)
        match d:
            case Input(v):
                state.grad[v] = state.grad.get(v, 0.0) + c
            case Add(d1, d2):
                yield ev(c, d1)
                yield ev(c, d2)
            case Scale(r, d1):
                yield ev(c * r, d1)
            case Share(i, d1):
                if i not in state.dfrag:
                    state.dfrag[i] = d1
                    heapq.heappush(state.highest, -i)
                state.accum[i] = state.accum.get(i, 0.0) + c

    recurse(ev(c, delta))


def size(delta: Delta) -> int:
    """How many constructors a term has, a shared one counted once; inputs and zeros are free."""
    todo, seen, found = [delta], set[int](), 0
    while todo:
        d = todo.pop()
        match d:
            case Add(d1, d2):
                todo += (d1, d2)
            case Scale(_, d1):
                todo.append(d1)
            case Share(i, d1):
                if i in seen:
                    continue
                seen.add(i)
                todo.append(d1)
            case _:
                continue
        found += 1
    return found
