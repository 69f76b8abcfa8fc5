"""How branches, loops and calls run: the control of a carrier whose numbers can be looked at.

A mode says what is recorded and what a call means; its carrier says whether a branch is taken or
written down. A carrier of numbers has ``Direct``; that of terms brings a control of its own, which
writes. So no mode asks which of the two it runs over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter
from typing import Any, Protocol

from combinators.objects import Fun, Object, Product
from combinators.operation import Operation
from interpreters.execution import steps
from interpreters.execution.rounds import Rounds
from interpreters.execution.machine import Arrow, Machine, Step
from interpreters.execution.structural import structural
from interpreters.tangents.packed import Packed

Erasure = tuple[Callable[[Any], Any], Callable[[Any], Any]]
"""What makes a ``Tangent`` of a sparse cotangent, and what opens it."""


class Control(Protocol):
    """What a carrier says of the branches, loops and calls of a mode over it."""

    runs: bool
    """Whether numbers are there to be looked at while an arrow runs."""

    def choice(self, mode: Any, then: Arrow, other: Arrow) -> Step:
        """A conditional, on a pair of a boolean and a context."""

    def loop(self, mode: Any, operation: Operation, dom: Object) -> Step:
        """A loop from the product ``dom`` of its arguments."""

    def call(self, mode: Any, function: Fun) -> tuple[Step, ...]:
        """``eval`` of a function and its argument."""

    def recompute(self, mode: Any, function: Fun) -> Step:
        """``eval`` of a function that is run again when it is pulled back."""

    def called(self, mode: Any, code: Any, env: Any) -> Step:
        """From calls of a closure to the cotangent of what it captured (``new_pb`` of Fig. 3)."""

    def structural(self, over: Any, operation: Operation, obj: Object) -> Callable[..., Any]:
        """The algebra of cotangents, with a result or (of ``pack``) an argument of type ``obj``."""

    def erasure(self, obj: Object) -> Erasure:
        """``pack`` and ``unpack`` of sparse cotangents of type ``obj``."""


class Direct:
    """A branch is taken, a loop is its rounds, a call goes to the closure's code."""

    runs = True

    def choice(self, mode: Any, then: Arrow, other: Arrow) -> Step:
        """Enter the branch that the first component chooses."""
        truth = mode.over.truth

        def choose(machine: Machine) -> Iterator[Step]:
            test, machine.stack[-1] = machine.stack[-1]
            return iter(then.steps if truth(test) else other.steps)

        step: Step = mode.record(steps.Reversible(choose, steps.second))
        return step

    def loop(self, mode: Any, operation: Operation, dom: Object) -> Step:
        """Rounds of the mode's own ``eval``."""
        assert isinstance(dom, Product)
        rounds = Rounds(operation, dom, mode.over)
        return rounds.forward(mode.eval(dom.parts[0]), mode.leave)

    def call(self, mode: Any, function: Fun) -> tuple[Step, ...]:
        """As the mode enters a closure."""
        found: tuple[Step, ...] = mode.entering(function)
        return found

    def recompute(self, mode: Any, function: Fun) -> Step:
        """As the mode runs a function again."""
        step: Step = mode.run_again(function)
        return step

    def called(self, mode: Any, code: Any, env: Any) -> Step:
        """Every call, run again."""
        return partial(mode.pull_calls, code, env)

    def structural(self, over: Any, operation: Operation, obj: Object) -> Callable[..., Any]:
        """By components."""
        return structural(over, operation, obj)

    def erasure(self, obj: Object) -> Erasure:
        """The cotangent with its type."""
        return partial(Packed, obj), attrgetter("value")
