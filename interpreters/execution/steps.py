"""The structural steps, each with its transpose: what undoes it on the stack of cotangents.

A context is a tuple, or a list that grows at its end while its block runs. Widths are known from
the types, so that a list that has meanwhile grown longer is read only as far as its type says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from combinators.objects import Object, components
from interpreters.execution.machine import Machine, Step, settled
from interpreters.sparse_cotangents import Add, opened, plus


class Reversible(NamedTuple):
    """A step, and the step that takes cotangents back over it."""

    forward: Step
    backward: Step


def over(depth: int, add: Add) -> Reversible:
    """Copy the value that lies ``depth`` deep to the top; backwards, add to what lies there."""

    def forward(machine: Machine) -> None:
        machine.stack.append(machine.stack[-depth])

    def backward(machine: Machine) -> None:
        stack = machine.stack
        cotangent = stack.pop()
        if cotangent is not None:
            stack[-depth] = plus(stack[-depth], cotangent, add)

    return Reversible(forward, backward)


def pair(objects: Sequence[Object]) -> Reversible:
    """Replace the source and the components that lie above it by their tuple."""
    width = len(objects)
    growing = [i for i, obj in enumerate(objects) if components(obj) is not None]

    def forward(machine: Machine) -> None:
        stack = machine.stack
        for i in growing:
            stack[i - width] = settled(stack[i - width], objects[i])
        made = tuple(stack[-width:])
        del stack[-width:]
        stack[-1] = made

    def backward(machine: Machine) -> None:
        stack = machine.stack
        cotangent = stack[-1]
        stack[-1] = None
        if cotangent is None:
            stack.extend([None] * width)
        else:
            parts = opened(cotangent)
            stack.extend([parts.get(i) for i in range(width)])

    return Reversible(forward, backward)


def select(indices: tuple[int, ...], add: Add) -> Reversible:
    """The tuple of some components: a product of projections, in one step."""

    def forward(machine: Machine) -> None:
        context = machine.stack[-1]
        machine.stack[-1] = tuple([context[i] for i in indices])

    def backward(machine: Machine) -> None:
        cotangent = machine.stack[-1]
        if cotangent is not None:
            chosen: dict[int, Any] = {}
            for i, part in opened(cotangent).items():
                at = indices[i]
                chosen[at] = plus(chosen[at], part, add) if at in chosen else part
            machine.stack[-1] = chosen or None

    return Reversible(forward, backward)


def project(index: int) -> Reversible:
    """A component."""

    def forward(machine: Machine) -> None:
        machine.stack[-1] = machine.stack[-1][index]

    def backward(machine: Machine) -> None:
        cotangent = machine.stack[-1]
        if cotangent is not None:
            machine.stack[-1] = {index: cotangent}

    return Reversible(forward, backward)


def append(width: int, obj: Object) -> Reversible:
    """Let the context below the top, of this width, grow by the value on top."""
    growing = components(obj) is not None

    def forward(machine: Machine) -> None:
        stack = machine.stack
        value = stack.pop()
        if growing:
            value = settled(value, obj)
        context = stack[-1]
        if type(context) is list and len(context) == width:
            context.append(value)
        else:
            stack[-1] = [*context[:width], value]

    def backward(machine: Machine) -> None:
        stack = machine.stack
        cotangent = stack[-1]
        if cotangent is None:
            stack.append(None)
        else:
            parts = opened(cotangent)
            last = parts.pop(width, None)
            stack[-1] = parts or None
            stack.append(last)

    return Reversible(forward, backward)


def constant(value: Any) -> Reversible:
    """Replace the top by ``value``, through which no cotangent passes."""

    def forward(machine: Machine) -> None:
        machine.stack[-1] = value

    return Reversible(forward, nothing)


def nothing(machine: Machine) -> None:
    """No cotangent passes."""
    machine.stack[-1] = None


def second(machine: Machine) -> None:
    """A cotangent of the second component of a pair."""
    if machine.stack[-1] is not None:
        machine.stack[-1] = {1: machine.stack[-1]}


def unrecorded(step: Reversible) -> Step:
    """Forwards only."""
    return step.forward


def recorded(step: Reversible) -> Step:
    """Forwards, leaving what undoes it on the tape."""
    forward, backward = step

    def both(machine: Machine) -> Any:
        machine.tape.append(backward)
        return forward(machine)

    return both
