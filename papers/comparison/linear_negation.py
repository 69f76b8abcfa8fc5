"""BMP20: backpropagation with linear negation (Definitions 3.1, 5.1 to 5.3).

    D(R) = R × R^⊥          D(A → B) = D(A) → D(B)          D(A × B) = D(A) × D(B)
    D(f(t)) = ⟨f(x), λa. x₁* (∂₁f(x)·a) + … + xₖ* (∂ₖf(x)·a)⟩ [⟨x, x*⟩ := D(t)]

As a carrier: ``PlainFunctions`` over pairs ⟨x, x*⟩ runs a program of any order, differentiated.
What R^⊥ is, a system says by ``moved``: here R^⊥d = R ⊸ R^d, Python functions. With ιᵢ the
injection into the i-th component, the gradient is what the result's backpropagator gives of 1.

Where a backpropagator stands in two places it is called twice: ``visits`` counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from combinators.errors import TooManyCalls
from combinators.literal import Literal
from combinators.objects import Object
from combinators.operation import Operation
from combinators.terms import Lam
from combinators.type_folds import is_smooth
from interpreters.carriers.carrier import Carrier
from papers.comparison import Outcome, Point, flat
from papers.plain_functions import Numbers, Partial, evaluated, partials

Linear = Callable[[Any], Any]
Moves = list[tuple[Linear, Any]]
"""Per argument that moves: ``a ↦ ∂ᵢf(x)·a``, and its second half."""
MOST = 100_000
"""Calls of backpropagators, of which there may be exponentially many."""


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


class Negation(Pairs):
    """``D(R) = R × R^⊥d``; R^d is one flat array of all numbers that the program is given."""

    visits = 0

    def __init__(self, over: Carrier) -> None:
        super().__init__(over)
        self.plus = over.add

    def moved(self, y: Any, moves: Moves) -> Linear:
        """``λa. Σᵢ xᵢ* (∂ᵢf(x)·a)``."""

        def back(a: Any) -> Any:
            self.visits += 1
            if self.visits > MOST:
                raise TooManyCalls(f"linear negation (002, 3.1) calls more than {MOST} times")
            return reduce(self.plus, [star(linear(a)) for linear, star in moves])

        return back


def gradient(lam: Lam, point: Point, covector: Any, over: Carrier) -> Outcome:
    """``y* ȳ`` of ``⟨y, y*⟩ = D(f) ⟨x, ι⟩``."""

    def iota(i: int) -> Linear:
        """``ιᵢ : R ⊸ R^d``."""
        return lambda a: flat(lam, point, [a if i == j else None for j in range(len(point))])

    pairs = Negation(over)
    y = evaluated(lam, pairs)(*inputs(lam, point, iota))
    zero = flat(lam, point, [None] * len(point))
    return Outcome(y.primal, y.star(covector) if y.star else zero, pairs.visits)
