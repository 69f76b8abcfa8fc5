"""The bulk-operation transform (003, section 5): arrays written one element at a time, in bulk.

``bulk`` gives a program of the same type and the same meaning in which no ``map`` or ``build`` is
left that has a bulk form. The rules stand in ``figure9``, ``figure10``, ``figure11`` and
``further``, one a line, and ``evaluation`` is the strategy that carries them out in one walk.
"""

from __future__ import annotations

from combinators.bulk.evaluation import Evaluation, rewritten
from combinators.bulk.placing import placed
from combinators.bulk.rule import Rule, Site
from combinators.bulk.survey import has_map
from combinators.bulk.tables import RULES, batched
from combinators.kit.memory import uncollected
from combinators.simplify import simplify
from combinators.simplify.rule import Trace
from combinators.terms import Lam

PASSES = 3
"""A scan that carries nothing becomes a map when it is simplified, and so in bulk the next time."""


def bulk(lam: Lam, *, trace: Trace | None = None) -> Lam:
    """The closed λ ``lam`` with bulk operations for its maps; itself where it has none.

    ``trace`` is called whenever a rule fires. Nothing is refused: what has no bulk form stays in a
    map of its own. Raises ``UnboundVariable`` for a λ that captures.
    """
    with uncollected():
        for _ in range(PASSES):
            if not has_map(lam):
                break
            walk = Evaluation(lam, trace)
            whole = placed(lam, walk.survey)
            if whole is not lam:
                walk = Evaluation(whole, trace)
            lam = simplify(rewritten(whole, walk))
            if walk.has_split:
                break
        return lam


__all__ = ["RULES", "Rule", "Site", "batched", "bulk", "has_map"]
