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

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from combinators.terms import Lam
from interpreters.carriers.carrier import Carrier
from papers.comparison.pairs import BackpropagatedNumber, Moves, Pairs, dualised, primals
from papers.comparison.plain_functions import evaluated

Backpropagator = Callable[[Any], Any]
"""R ⊸ R^d; ``R^d`` is a flat array of all numbers that the program is given."""


class Negation(Pairs):
    """``D(R) = R × R^⊥d``."""

    visits = 0

    def moved(self, y: Any, moves: Moves) -> Backpropagator:
        """``λa. Σᵢ xᵢ* (∂ᵢf(x)·a)``."""

        def back(a: Any) -> Any:
            self.visits += 1
            return reduce(self.over.add, [star(linear(a)) for linear, star in moves])

        return back


@dataclass(frozen=True)
class Outcome:
    """A value, the cotangent of all that the program was given, and how much was visited."""

    value: Any
    cotangent: Any
    visits: int


def injections(lam: Lam, point: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments as pairs: each with its injection ``ιᵢ : σ ⊸ R^d``."""
    numbers: list[Any] = []
    for param, value in zip(lam.params, point, strict=True):
        dualised(param.type, value, numbers.append)
    ends = np.cumsum([np.size(number) for number in numbers], dtype=int)
    slots = iter([(end - np.size(n), end) for n, end in zip(numbers, ends, strict=True)])
    size = int(ends[-1]) if len(ends) else 0

    def iota(_: Any) -> Backpropagator:
        start, end = next(slots)

        def back(a: Any) -> Any:
            whole = np.zeros(size, np.asarray(a).dtype)
            whole[start:end] = np.ravel(a)
            return whole

        return back

    pairs = zip(lam.params, point, strict=True)
    return tuple(dualised(param.type, value, iota) for param, value in pairs)


def pulled(dual: Any, covector: Any) -> Any:
    """``Σ y* (ȳ)`` over the numbers of a result; 0 where nothing moves."""
    if isinstance(dual, BackpropagatedNumber):
        return 0 if dual.star is None else dual.star(covector)
    return sum(pulled(part, w) for part, w in zip(dual, covector, strict=True))


def gradient(lam: Lam, point: tuple[Any, ...], covector: Any, over: Carrier) -> Outcome:
    """``y* ȳ`` of ``⟨y, y*⟩ = D(f) ⟨x, ι⟩``."""
    pairs = Negation(over)
    result = evaluated(lam, pairs)(*injections(lam, point))
    back = pulled(result, covector)
    return Outcome(primals(lam.body.type, result), back, pairs.visits)
