"""The mode of formulas: the primal mode on symbols, where a test may be open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import sympy

from combinators.kit.text import Names
from combinators.kit.tree import distinct_nodes
from combinators.objects import Object, Product
from combinators.operation import Operation
from combinators.primitives.loops import LOOP, LoopType, loop_of
from combinators.primitives.structural import PACK, STRUCTURAL
from combinators.terms import Lam, Prim, Term
from interpreters.carriers.sympy_shared import Shared, effort, too_long
from interpreters.cost.walk import tallied
from interpreters.execution import steps
from interpreters.execution.machine import Arrow, Machine, Step, settled
from interpreters.execution.running import Running, arguments, function_of
from interpreters.modes.formula.erasure import Cotangents, Merging
from interpreters.modes.formula.sums import Sums, no_sum

ROUNDS = 64
"""The longest fold or scan that is written out."""


class Formula(Running):
    """Arrows run on expressions; an open conditional runs both branches.

    A fold or scan of more than ``ROUNDS`` rounds is a ``Sum``, if it is one at all.
    """

    def __init__(self, over: Shared | None = None, taken: Iterable[str] = ()) -> None:
        """Over expressions that share; the indices of sums avoid the names that are ``taken``."""
        self.carrier = over or Shared()
        super().__init__(self.carrier)
        self.cotangents = Cotangents(self.carrier)
        self.merged = Merging(self.cotangents)
        self.sums = Sums(self.carrier, Names(taken))

    def cond(self, dom: Object, then: Arrow, other: Arrow) -> Arrow:
        """Enter the branch that the test chooses; where it is open, both."""

        def choose(machine: Machine) -> Iterator[Step]:
            test, machine.stack[-1] = machine.stack[-1]
            if test in (sympy.true, sympy.false):
                return iter(then.steps if test else other.steps)
            return both(test, machine)

        def both(test: Any, machine: Machine) -> Iterator[Step]:
            stack = machine.stack
            context = tuple(stack.pop())
            stack.append(context)
            yield then.enter
            x = settled(stack.pop(), then.cod)
            stack.append(context)
            yield other.enter
            y = settled(stack.pop(), then.cod)
            stack.append(self.merged(test, x, y, then.cod))

        return Arrow(dom, then.cod, (self.record(steps.Reversible(choose, steps.second)),))

    def primitive(self, operation: Operation, dom: Object, cod: Object) -> Arrow:
        """A computation on expressions; a long loop is a sum."""
        if operation.primitive is not LOOP:
            return super().primitive(operation, dom, cod)
        assert isinstance(dom, Product)
        loop = LoopType.of(operation, dom.parts)
        if loop.carry is None or loop.length <= ROUNDS:
            return super().primitive(operation, dom, cod)
        if loop.item is not None:
            raise no_sum(loop.length)
        return Arrow(dom, cod, (self.sums.fold(dom, self.eval(function_of(dom))),))

    def computation(self, operation: Operation, dom: Object, cod: Object) -> Callable[..., Any]:
        """On expressions; the algebra of cotangents is the mode's own."""
        obj = arguments(dom)[0] if operation.primitive is PACK else cod
        algebra = self.cotangents.computation(operation, obj)
        return algebra or super().computation(operation, dom, cod)


def check_effort(lam: Lam, most: int) -> None:
    """Raise ``DomainError`` where ``lam``, a closed λ, is known to take more than ``most``.

    A long fold may be a sum, and a conditional may be settled: then only the run can count.
    """
    if any(map(_may_be_a_sum, distinct_nodes(lam))):
        return
    tally = tallied(lam, _effort)
    if tally.exact and tally.total > most:
        raise too_long(most)


def _may_be_a_sum(node: object) -> bool:
    loop = loop_of(node)
    if loop is None or loop.types.carry is None or loop.types.item is not None:
        return False
    return loop.types.length > ROUNDS


def _effort(term: Term) -> Mapping[str, int]:
    """What the carrier counts."""
    if not isinstance(term, Prim) or term.operation.primitive in {LOOP} | STRUCTURAL:
        return {}
    return {"": effort(term.operation, [arg.type for arg in term.args], term.type)}
