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
from dataclasses import dataclass
from typing import Any

import numpy as np

from combinators.objects import Fun, Object, Tensor
from combinators.type_folds import columns_of
from interpreters.carriers.carrier import Carrier
from interpreters.carriers.duals import Dual, Duals
from interpreters.carriers.numpy import NumPy

Plot = Callable[[Carrier, Any], Any]
"""``p(u)`` of ⟦τ⟧ over a carrier, for a tuple u of its numbers."""


@dataclass(frozen=True)
class Asked:
    """At u, along v, of these plots of each type."""

    u: Any
    v: Any
    plots: Callable[[Object], Iterable[Plot]]

    def is_plot(self, p: Plot, obj: Object) -> bool:
        """Whether nothing speaks against ``p ∈ P_τ^U``."""
        parts = columns_of(obj)
        if isinstance(obj, Fun):
            return all(self.is_plot(after(p, q), obj.cod) for q in self.plots(obj.dom))
        if parts is not None:
            return all(self.is_plot(component(p, i), part) for i, part in enumerate(parts))
        assert isinstance(obj, Tensor)
        along = p(Duals(NumPy()), tuple(map(Dual, self.u, self.v))).tangent
        return np.allclose(0.0 if along is None else along, self.difference(p), 1e-7, 1e-8)

    def difference(self, p: Plot, h: float = 1e-3) -> Any:
        """The limit of difference quotients, extrapolated from two."""

        def quotient(h: float) -> Any:
            there, back = (p(NumPy(), tuple(self.u + d * self.v)) for d in (h, -h))
            return (there - back) / (2 * h)

        return (4 * quotient(h) - quotient(2 * h)) / 3


def after(p: Plot, q: Plot) -> Plot:
    """``u ↦ p(u)(q(u))``."""
    return lambda over, u: p(over, u)(q(over, u))


def component(p: Plot, i: int) -> Plot:
    """``pᵢ`` of a plot of a product."""
    return lambda over, u: p(over, u)[i]
