"""How many operations a formula takes to write, counted before SymPy does any."""

from __future__ import annotations

from collections.abc import Mapping

from combinators.kit.tree import distinct_nodes
from combinators.primitives.loops import FOLD, LOOPS
from combinators.primitives.structural import STRUCTURAL
from combinators.rows import length_of
from combinators.terms import Lam, Prim, Term
from interpreters.carriers.sympy_shared import effort, too_long
from interpreters.cost.walk import tallied
from interpreters.modes.formula.mode import ROUNDS


def check_effort(lam: Lam, most: int) -> None:
    """Raise ``DomainError`` where ``lam``, a closed λ, is known to take more than ``most``.

    A long fold may be a sum, and a conditional may be settled: then only the run can count.
    """
    if any(map(_may_be_a_sum, distinct_nodes(lam))):
        return
    tally = tallied(lam, _Effort())
    if tally.exact and tally.total > most:
        raise too_long(most)


def _may_be_a_sum(node: object) -> bool:
    if not isinstance(node, Prim) or node.operation.primitive is not FOLD.primitive:
        return False
    return length_of(node.args[-1].type) > ROUNDS


class _Effort:
    """What the carrier counts."""

    def of(self, term: Term) -> Mapping[str, int]:
        if not isinstance(term, Prim) or term.operation.primitive in LOOPS | STRUCTURAL:
            return {}
        return {"": effort(term.operation, [arg.type for arg in term.args], term.type)}

    def round(self, loop: Prim) -> Mapping[str, int]:
        return {}
