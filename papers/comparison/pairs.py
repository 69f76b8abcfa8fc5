"""A number and what is linear in it: D(R) = R × R^⊥, whatever R^⊥ is (Defs. 3.1 and 5.2).

    f(x₁ … xₖ)  becomes  ⟨ f(x),  what moves with  ∂₁f(x)·x₁* + … + ∂ₖf(x)·xₖ* ⟩

As a carrier: ``PlainFunctions`` over it runs a program on pairs, and a program of any order comes
out differentiated. A system says what the second half is, by ``moved``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from combinators.literal import Literal
from combinators.objects import Object, Tensor
from combinators.operation import Operation
from combinators.terms import Lam
from combinators.type_folds import is_smooth
from combinators.value_folds import map_leaves, zip_leaves
from interpreters.carriers.carrier import Carrier
from papers.plain_functions import Partial, partials

Linear = Callable[[Any], Any]
Moves = list[tuple[Linear, Any]]
"""Per argument that moves: ``a ↦ ∂ᵢf(x)·a``, and its second half."""


@dataclass(frozen=True, eq=False)
class BackpropagatedNumber:
    """``⟨x, x*⟩``; of an integer or a constant x* is None, which is λa. 0."""

    primal: Any
    star: Any = None


class Pairs:
    """The carrier of pairs over another's numbers."""

    def __init__(self, over: Carrier) -> None:
        self.over = over

    def moved(self, y: Any, moves: Moves) -> Any:
        """The second half of a result: what the system at hand makes of its arguments'."""
        raise NotImplementedError

    def pair(
        self, y: Any, moves: Iterable[tuple[Linear, BackpropagatedNumber]]
    ) -> BackpropagatedNumber:
        """``⟨y, y*⟩``; a result of which no argument moves stands still."""
        moving = [(linear, dual.star) for linear, dual in moves if dual.star is not None]
        return BackpropagatedNumber(y, self.moved(y, moving) if moving else None)

    def operation(self, operation: Operation, types: Sequence[Object], cod: Object) -> Any:
        """``D(f(t))``."""
        compute = self.over.operation(operation, types, cod)
        slopes = partials(operation, types, cod, self.over)

        def dual(*args: BackpropagatedNumber) -> BackpropagatedNumber:
            xs = tuple(arg.primal for arg in args)
            y = compute(*xs)

            def along(slope: Partial) -> Linear:
                return lambda a: slope(a, xs, y)

            return self.pair(y, [(along(slope), args[i]) for i, slope in slopes])

        return dual

    def const(self, literal: Literal) -> BackpropagatedNumber:
        """``D(r) = ⟨r, λa. 0⟩``."""
        return BackpropagatedNumber(self.over.const(literal))

    def add(self, x: BackpropagatedNumber, y: BackpropagatedNumber) -> BackpropagatedNumber:
        """``D(t + u) = ⟨x + y, λa. x* a + y* a⟩``."""
        return self.pair(self.over.add(x.primal, y.primal), [(same, x), (same, y)])

    def truth(self, number: BackpropagatedNumber) -> bool:
        """Branches look at primals."""
        return self.over.truth(number.primal)

    def row(self, stack: BackpropagatedNumber, index: int) -> BackpropagatedNumber:
        """A row moves with its place in the stack."""

        def placed(a: Any) -> Any:
            whole = np.zeros_like(stack.primal)
            whole[index] = a
            return whole

        return self.pair(self.over.row(stack.primal, index), [(placed, stack)])

    def stack(self, rows: Sequence[BackpropagatedNumber], obj: Tensor) -> BackpropagatedNumber:
        """A stack moves with each of its rows."""

        def row(index: int) -> Linear:
            return lambda a: self.over.row(a, index)

        moves = [(row(i), dual) for i, dual in enumerate(rows)] if obj.is_smooth else []
        return self.pair(self.over.stack([dual.primal for dual in rows], obj), moves)

    def lift(self, value: Any, obj: Tensor) -> BackpropagatedNumber:
        """A number that stands still."""
        return BackpropagatedNumber(self.over.lift(value, obj))

    def lower(self, number: BackpropagatedNumber) -> Any:
        """The primal."""
        return self.over.lower(number.primal)


def same(a: Any) -> Any:
    """1 · a."""
    return a


@dataclass(frozen=True)
class Outcome:
    """A value, the cotangent of all that the program was given, and how much was visited."""

    value: Any
    cotangent: Any
    visits: int


def inputs(lam: Lam, point: tuple[Any, ...], star: Callable[[int], Any]) -> tuple[Any, ...]:
    """The arguments as pairs: the i-th number that moves gets ``star(i)`` beside it."""
    met: list[Any] = []

    def at(leaf: Object, number: Any) -> BackpropagatedNumber:
        if not is_smooth(leaf):
            return BackpropagatedNumber(number)
        met.append(number)
        return BackpropagatedNumber(number, star(len(met) - 1))

    pairs = zip(lam.params, point, strict=True)
    return tuple(map_leaves(at, param.type, value) for param, value in pairs)


def outputs(lam: Lam, result: Any, covector: Any) -> tuple[Any, list[tuple[Any, Any]]]:
    """A result's first halves; and its second halves, each with its part of the covector."""
    obj = lam.body.type
    leaves = zip_leaves(obj, result, covector)
    moving = [(dual.star, w) for _, dual, w in leaves if dual.star is not None]
    return map_leaves(lambda _, dual: dual.primal, obj, result), moving


def flat(lam: Lam, point: tuple[Any, ...], slopes: Sequence[Any]) -> Any:
    """The numbers of the arguments' cotangents, in one array; None is zero."""
    given = zip(lam.params, point, slopes, strict=True)
    leaves = [leaf for x, value, g in given for leaf in zip_leaves(x.type, value, g)]
    found = [
        np.ravel(np.zeros_like(x) if g is None else g) for obj, x, g in leaves if is_smooth(obj)
    ]
    return np.concatenate(found) if found else np.zeros(0)
