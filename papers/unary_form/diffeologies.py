"""Diffeological spaces: their plots, which smooth functions send to plots (Definition 6.3).

    all constant functions are plots            p ∈ P_X^U and f : V → U smooth give f;p ∈ P_X^V
    plots on U₁ and U₂ that agree where both are plots, glued, are one on U₁ ∪ U₂
    P_R^n: the smooth functions      P_X×Y: pairs of plots      P_X⇒Y: (u, x) ↦ p(u)(x) smooth

A plot ``p : U → ⟦τ⟧`` is asked at a point u of an open U of R^n, along v. Of ``U → R`` it is asked
that its difference quotients go to what dual numbers carry along. Of ``U → X ⇒ Y`` it is asked that
``u ↦ p(u)(q(u))`` is a plot of Y for plots q of X.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any

import numpy as np

from combinators.objects import Fun, Object
from combinators.type_folds import columns_of
from interpreters.carriers.carrier import Carrier
from interpreters.carriers.duals import Dual, Duals
from interpreters.carriers.numpy import NumPy

Plot = Callable[[Carrier, Any], Any]
"""``p(u)`` of ⟦τ⟧ over a carrier, for a tuple u of its numbers."""


def is_plot(p: Plot, obj: Object, at: Any, plots: Callable[[Object], Iterable[Plot]]) -> bool:
    """Whether nothing speaks against ``p ∈ P_τ^U`` at u, along v, where some plots are known."""
    parts, (u, v) = columns_of(obj), at
    if isinstance(obj, Fun):
        calls = (lambda over, u, q=q: p(over, u)(q(over, u)) for q in plots(obj.dom))
        return all(is_plot(call, obj.cod, at, plots) for call in calls)
    if parts is not None:
        components = (lambda over, u, i=i: p(over, u)[i] for i in range(len(parts)))
        return all(map(is_plot, components, parts, repeat(at), repeat(plots)))
    along = p(Duals(NumPy()), tuple(map(Dual, u, v))).tangent
    limit, within = difference(p, u, v)
    apart = np.abs((0.0 if along is None else along) - limit)
    return bool(np.all(apart <= within + 1e-7 * (1.0 + np.abs(limit))))


def difference(p: Plot, u: Any, v: Any, h: float = 1e-4) -> tuple[Any, Any]:
    """Where two difference quotients go, and how far they are from one another."""

    def quotient(h: float) -> Any:
        there, back = (p(NumPy(), tuple(np.add(u, np.multiply(d, v)))) for d in (h, -h))
        return (there - back) / (2 * h)

    near, far = quotient(h), quotient(2 * h)
    return (4 * near - far) / 3, np.abs(near - far)
