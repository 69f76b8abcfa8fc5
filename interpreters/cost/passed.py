"""What loops pass from round to round: where the gradient may work and the program does not.

A round that hands on its carry, or what its function captures, computes nothing. Backwards their
cotangents are summed, round after round: an operation a number.
"""

from __future__ import annotations

from collections.abc import Mapping

from combinators.free import captured
from combinators.objects import tangent_of
from combinators.primitives.loops import MAP
from combinators.terms import Lam, Prim, Term
from interpreters.cost.contents import numbers_in
from interpreters.cost.walk import tallied


def passed(lam: Lam) -> int:
    """The numbers that the loops of a closed λ carry and capture, once a round."""
    return tallied(lam, _Passed()).counts["passed"]


class _Passed:
    def of(self, term: Term) -> Mapping[str, int]:
        return {}

    def round(self, loop: Prim) -> Mapping[str, int]:
        carried = [] if loop.operation.primitive is MAP.primitive else [loop.args[1]]
        function = loop.args[0]
        held = captured(function)[0] if isinstance(function, Lam) else ()
        types = [tangent_of(term.type) for term in (*carried, *held)]
        return {"passed": sum(map(numbers_in, types))}
