"""BMP20: backpropagation with linear negation (Definitions 3.1, 5.1 to 5.3).

    R^⊥d = R ⊸ R^d          D(R) = R × R^⊥d
    D(A → B) = D(A) → D(B)  D(A × B) = D(A) × D(B)

    D(f(t)) = ⟨f(x), λa. x₁* (∂₁f(x)·a) + … + xₖ* (∂ₖf(x)·a)⟩ [⟨x, x*⟩ := D(t)]

A backpropagator x* is a Python function, and the rest of a program is left alone. With ιᵢ the
injection into the i-th component, the gradient is what the result's backpropagator gives of 1:

>>> from combinators.objects import Real
>>> from combinators.operation import Operation, named
>>> from combinators.terms import Lam, Prim, Var
>>> from interpreters.carriers.numpy import NumPy
>>> x, y = Var("x", Real), Var("y", Real)
>>> times = Lam((x, y), Prim(Operation(named("multiply")), (x, y)))
>>> gradient(times, (3.0, 4.0), 1.0, NumPy()).cotangent.tolist()
[4.0, 3.0]

Where a backpropagator stands in two places it is called twice: ``visits`` counts.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from combinators.errors import TooManyCalls
from combinators.terms import Lam
from combinators.type_folds import is_smooth
from combinators.value_folds import zip_leaves
from interpreters.carriers.carrier import Carrier
from papers.comparison.pairs import Linear, Moves, Outcome, Pairs, inputs, outputs
from papers.plain_functions import evaluated

MOST = 100_000
"""Calls of backpropagators, of which there may be exponentially many."""


class Negation(Pairs):
    """``D(R) = R × R^⊥d``."""

    visits = 0

    def moved(self, y: Any, moves: Moves) -> Linear:
        """``λa. Σᵢ xᵢ* (∂ᵢf(x)·a)``."""

        def back(a: Any) -> Any:
            self.visits += 1
            if self.visits > MOST:
                raise TooManyCalls(f"linear negation (002, 3.1) calls more than {MOST} times")
            return reduce(self.over.add, [star(linear(a)) for linear, star in moves])

        return back


def gradient(lam: Lam, point: tuple[Any, ...], covector: Any, over: Carrier) -> Outcome:
    """``y* ȳ`` of ``⟨y, y*⟩ = D(f) ⟨x, ι⟩``."""
    given = zip(lam.params, point, strict=True)
    leaves = [leaf for x, value in given for leaf in zip_leaves(x.type, value)]
    ends = np.cumsum([0, *(np.size(x) for obj, x in leaves if is_smooth(obj))])

    def iota(i: int) -> Linear:
        """``ιᵢ : R ⊸ R^d``; R^d is a flat array of all numbers that the program is given."""

        def back(a: Any) -> Any:
            whole = np.zeros(ends[-1], np.asarray(a).dtype)
            whole[ends[i] : ends[i + 1]] = np.ravel(a)
            return whole

        return back

    pairs = Negation(over)
    result = evaluated(lam, pairs)(*inputs(lam, point, iota))
    value, moving = outputs(lam, result, covector)
    back: Any = sum(star(w) for star, w in moving)
    return Outcome(value, back, pairs.visits)
