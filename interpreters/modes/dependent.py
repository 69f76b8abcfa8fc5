"""The dependently-typed pullback: a function's cotangent is its environment's (Fig. 5 of 004).

Every rep-function pulls back to its argument and to what the closure captured (Definition 5.1);
the tangent space of a function value depends on the value (Definition 5.2), which the sparse
cotangents of ``interpreters.tangents.cotangents`` hold without a static type for it.
"""

from __future__ import annotations

from collections.abc import Iterator

from combinators.objects import Fun
from interpreters.execution.machine import Machine, Step
from interpreters.execution.running import enter
from interpreters.reverse import Reverse


class Dependent(Reverse):
    """Rep-functions whose ``eval`` hands on the cotangent of the closure's environment."""

    def entering(self, function: Fun) -> tuple[Step, ...]:
        """``eval (f, x) = let (y, pb) = f x in (y, λg. ((), pb g))``; nothing runs twice."""
        return (_apply,)


def _apply(machine: Machine) -> Iterator[Step]:
    machine.tape.append(machine.stack[-1][0].code.split)
    return enter(machine)
