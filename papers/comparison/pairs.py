"""A number and what is linear in it: D(R) = R × R^⊥, whatever R^⊥ is (Defs. 3.1 and 5.2).

    f(x₁ … xₖ)  becomes  ⟨ f(x),  what moves with  ∂₁f(x)·x₁* + … + ∂ₖf(x)·xₖ* ⟩

As a carrier: ``PlainFunctions`` over it runs a program on pairs, and a program of any order comes
out differentiated. A system says what the second half is, by ``moved``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from combinators.literal import Literal
from combinators.objects import Object
from combinators.operation import Operation
from combinators.terms import Lam
from combinators.type_folds import is_smooth
from papers.plain_functions import Numbers, Partial, partials

Linear = Callable[[Any], Any]
Moves = list[tuple[Linear, Any]]
"""Per argument that moves: ``a ↦ ∂ᵢf(x)·a``, and its second half."""
Point = tuple[Any, ...]
"""The numbers and arrays that a program is given."""


@dataclass(frozen=True, eq=False)
class BackpropagatedNumber:
    """``⟨x, x*⟩``; of an integer or a constant x* is None, which is λa. 0."""

    primal: Any
    star: Any = None


class Pairs:
    """The carrier of pairs over another's numbers."""

    def __init__(self, over: Numbers) -> None:
        self.over = over

    def moved(self, y: Any, moves: Moves) -> Any:
        """The second half of a result: what the system at hand makes of its arguments'."""
        raise NotImplementedError

    def operation(self, operation: Operation, types: Sequence[Object], cod: Object) -> Any:
        """``D(f(t))``."""
        compute = self.over.operation(operation, types, cod)
        slopes = partials(operation, types, cod, self.over)

        def dual(*args: BackpropagatedNumber) -> BackpropagatedNumber:
            xs = tuple(arg.primal for arg in args)
            y = compute(*xs)

            def along(slope: Partial) -> Linear:
                return lambda a: slope(a, xs, y)

            stars = [(along(slope), args[i].star) for i, slope in slopes]
            moves = [(linear, star) for linear, star in stars if star is not None]
            return BackpropagatedNumber(y, self.moved(y, moves) if moves else None)

        return dual

    def const(self, literal: Literal) -> BackpropagatedNumber:
        """``D(r) = ⟨r, λa. 0⟩``."""
        return BackpropagatedNumber(self.over.const(literal))

    def truth(self, number: BackpropagatedNumber) -> bool:
        """Branches look at primals."""
        return self.over.truth(number.primal)


def inputs(lam: Lam, point: Point, star: Callable[[int], Any]) -> tuple[BackpropagatedNumber, ...]:
    """The arguments as pairs: the i-th, if it moves, with ``star(i)``."""
    moving = [is_smooth(param.type) for param in lam.params]
    given = enumerate(zip(point, moving, strict=True))
    return tuple(BackpropagatedNumber(x, star(i) if moves else None) for i, (x, moves) in given)


@dataclass(frozen=True)
class Outcome:
    """A value, the cotangent of all numbers that the program was given, flat, and the visits."""

    value: Any
    cotangent: Any
    visits: int


def flat(lam: Lam, point: Point, slopes: Sequence[Any]) -> Any:
    """The cotangents of the arguments that move, in one array; None is zero."""
    given = zip(lam.params, point, slopes, strict=True)
    found = [np.zeros_like(x) if g is None else g for param, x, g in given if is_smooth(param.type)]
    return np.concatenate([np.ravel(g) for g in found] or [np.zeros(0)])
