"""BMP20: backpropagation with linear negation (Definitions 3.1, 5.1 to 5.3).

    R^⊥d = R ⊸ R^d          D(R) = R × R^⊥d
    D(A → B) = D(A) → D(B)  D(A × B) = D(A) × D(B)

    D(f(t)) = ⟨f(x), λa. x₁* (∂₁f(x)·a) + … + xₖ* (∂ₖf(x)·a)⟩ [⟨x, x*⟩ := D(t)]

A backpropagator x* is a Python function, and the rest of a program is left alone. With ιᵢ the
injection into the i-th component, the gradient is what the result's backpropagator gives of 1.
Where a backpropagator stands in two places it is called twice: ``visits`` counts.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from combinators.errors import TooManyCalls
from combinators.terms import Lam
from interpreters.carriers.carrier import Carrier
from papers.comparison.pairs import Linear, Moves, Outcome, Pairs, Point, flat, inputs
from papers.plain_functions import evaluated

MOST = 100_000
"""Calls of backpropagators, of which there may be exponentially many."""


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
