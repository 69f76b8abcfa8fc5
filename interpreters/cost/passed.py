"""What is passed on for nothing: where the gradient may work and the program does not.

A round of a loop that hands on its carry, or what its function captures, computes nothing, and
neither does spreading an array over a larger shape. Backwards their cotangents are summed: an
operation a number, and for what is spread another one, where only parts of it are taken.
"""

from __future__ import annotations

from collections.abc import Mapping

from combinators.free import captured
from combinators.primitives.loops import LoopTerm
from combinators.primitives.shapes import BROADCAST_TO
from combinators.terms import Lam, Prim, Term
from combinators.type_folds import tangent_of
from interpreters.cost.contents import numbers_in
from interpreters.cost.walk import tallied


def passed(lam: Lam) -> int:
    """The numbers that a closed λ spreads, twice, and that its loops carry and capture a round."""
    return tallied(lam, _Passed()).counts["passed"]


class _Passed:
    def of(self, term: Term) -> Mapping[str, int]:
        match term:
            case Prim(operation) if operation.primitive is BROADCAST_TO:
                return {"passed": 2 * numbers_in(tangent_of(term.type))}
            case _:
                return {}

    def round(self, loop: LoopTerm) -> Mapping[str, int]:
        carried = [] if loop.init is None else [loop.init]
        function = loop.function
        held = captured(function)[0] if isinstance(function, Lam) else ()
        types = [tangent_of(term.type) for term in (*carried, *held)]
        return {"passed": sum(map(numbers_in, types))}
