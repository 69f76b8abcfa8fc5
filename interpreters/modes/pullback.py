"""The simply-typed pullback: a function's cotangent is the list of its calls (Fig. 3, 6 of 004)."""

from __future__ import annotations

from collections.abc import Iterator

from combinators.objects import Fun
from interpreters.execution.machine import Machine, Step
from interpreters.execution.running import enter
from interpreters.reverse import Reverse, save


class Pullback(Reverse):
    """Rep-functions whose ``eval`` records the argument and the cotangent of the result.

    ``T(a ⇒ b) = [(a, T b)]``. ``curry`` runs every recorded call again. A call whose result was
    forgotten is recorded as ``(x, 0)`` too (Fig. 4); it is not run again.
    """

    records_calls = True

    def entering(self, function: Fun) -> tuple[Step, ...]:
        """``eval (f, x) = let (y, pb) = f x in (y, λg. ([(x, g)], pb g))``."""
        return _apply, _keep


def _apply(machine: Machine) -> Iterator[Step]:
    closure, argument = machine.stack[-1]
    width = closure.code.width

    def pull(machine: Machine) -> None:
        pulled = machine.stack.pop()
        parts = {0: [(argument, machine.stack[-1])], 1: pulled and pulled.get(width)}
        machine.stack[-1] = {i: g for i, g in parts.items() if g is not None}

    machine.tape.append(pull)
    return enter(machine)


def _keep(machine: Machine) -> None:
    machine.tape.append(save)
