"""Arrows as ropes of steps, run by one loop with a stack of its own.

A *step* works on the machine's stack. One that has to run other steps first (the body of a
function, a branch, the rounds of a loop) returns an iterator of them; the loop goes there and comes
back. So neither nested calls nor long programs meet Python's recursion limit, and a category of
your own gets the same by building its arrows from steps.

>>> from combinators.objects import Real
>>> def double(machine):
...     machine.stack.append(2 * machine.stack.pop())
>>> def twice(machine):
...     yield double
...     yield double
>>> Arrow(Real, Real, (double, twice)).run(5.0)
40.0

The structural steps have a transpose each, which takes cotangents back over them. A context is a
tuple, or a list that grows at its end while its block runs; widths are known from the types, so
that a list that has meanwhile grown longer is read only as far as its type says.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import length_hint
from typing import Any, NamedTuple

from combinators.objects import Object, components
from interpreters.sparse_cotangents import Add, Cotangent, opened, plus

Step = Callable[["Machine"], "Iterator[Step] | None"]
Written = Generator[Step, None, Any]
"""Steps that run on a machine, and what comes of them."""


class Machine:
    """A stack of values, and a tape on which steps leave what undoes them."""

    __slots__ = ("again", "closed", "stack", "tape")

    def __init__(self, *stack: Any) -> None:
        self.stack: list[Any] = list(stack)
        self.tape: list[Step] = []
        self.again = 0
        """How many bodies were run once more, to be pulled back."""
        self.closed = False
        """Whether no function came from outside, whose calls would be asked for."""

    def run(self, steps: Iterable[Step]) -> None:
        """Run ``steps``, and the steps that they return."""
        frames = [iter(steps)]
        try:
            while frames:
                for step in frames[-1]:
                    entered = step(self)
                    if entered is not None:
                        if not length_hint(frames[-1], 1):
                            frames.pop()  # nothing is left of it: a tail call takes its place
                        frames.append(entered)
                        break
                else:
                    frames.pop()
        finally:
            while frames:  # an error left them in the middle: the last ends before those that wait
                frame = frames.pop()
                if isinstance(frame, Generator):
                    frame.close()

    def forwards(self, step: Step, *value: Any) -> Written:
        """Run ``step``, at a ``value`` if it takes one: what it gives, and the tape it left."""
        before, self.tape = self.tape, []
        self.stack.extend(value)
        yield step
        tape, self.tape = self.tape, before
        return self.stack.pop(), tape

    def backwards(self, tape: list[Step], cotangent: Cotangent) -> Written:
        """Run the transpose that a tape holds."""
        self.stack.append(cotangent)
        yield lambda _: reversed(tape)
        return self.stack.pop()


@dataclass(slots=True, eq=False, repr=False)
class Arrow:
    """An arrow ``dom → cod`` that runs: a rope of steps and of other arrows.

    On a stack whose top is a value of ``dom``, running it leaves one of ``cod`` in its place.
    ``component`` marks a projection, ``literal`` a constant, ``literals`` constant parts, and
    ``spare`` remakes a primitive that has literals among its arguments.
    """

    dom: Object
    cod: Object
    rope: tuple[Step | Arrow, ...]
    component: int | None = None
    literal: bool = False
    literals: frozenset[int] = frozenset()
    spare: Callable[[frozenset[int]], Arrow] | None = None
    _steps: tuple[Step, ...] | None = field(default=None, init=False)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The rope, laid out."""
        if self._steps is None:
            self._steps = _laid_out(self.rope)
        return self._steps

    def enter(self, _: Machine) -> Iterator[Step]:
        """Run the whole arrow as one step."""
        return iter(self.steps)

    def run(self, value: Any) -> Any:
        """What the arrow gives at ``value``."""
        machine = Machine(value)
        machine.run(self.steps)
        return settled(machine.stack.pop(), self.cod)


def _laid_out(rope: tuple[Step | Arrow, ...]) -> tuple[Step, ...]:
    steps: list[Step] = []
    ropes = [iter(rope)]
    while ropes:
        for part in ropes[-1]:
            if not isinstance(part, Arrow):
                steps.append(part)
            elif len(part.rope) == 1 and not isinstance(part.rope[0], Arrow):
                steps.append(part.rope[0])
            else:
                ropes.append(iter(part.rope))
                break
        else:
            ropes.pop()
    return tuple(steps)


def settled(value: Any, obj: Object) -> Any:
    """A context that may still grow, as the product value that it is now."""
    if type(value) is list:
        product = components(obj)
        return tuple(value[: product.width]) if product is not None else value
    return value


class Reversible(NamedTuple):
    """A step, and the step that takes cotangents back over it."""

    forward: Step
    backward: Step


def copy(depth: int, add: Add) -> Reversible:
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
        parts = {} if stack[-1] is None else opened(stack[-1])
        stack[-1:] = [None, *map(parts.get, range(width))]

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
        if machine.stack[-1] is not None:
            machine.stack[-1] = {index: machine.stack[-1]}

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
        stack, last = machine.stack, None
        if stack[-1] is not None:
            parts = opened(stack[-1])
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
