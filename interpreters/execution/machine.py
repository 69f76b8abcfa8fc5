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
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any

from combinators.objects import Object, components

Step = Callable[["Machine"], "Iterator[Step] | None"]


class Machine:
    """A stack of values, and a tape on which steps leave what undoes them."""

    __slots__ = ("again", "stack", "tape")

    def __init__(self, *stack: Any) -> None:
        """A machine with these values on its stack."""
        self.stack: list[Any] = list(stack)
        self.tape: list[Step] = []
        self.again = 0
        """How many bodies were run once more, to be pulled back."""

    def run(self, steps: Iterable[Step]) -> None:
        """Run ``steps``, and the steps that they return."""
        frames = [iter(steps)]
        try:
            self._run(frames)
        finally:
            while frames:
                _close(frames.pop())

    def _run(self, frames: list[Iterator[Step]]) -> None:
        while frames:
            for step in frames[-1]:
                entered = step(self)
                if entered is not None:
                    frames.append(entered)
                    break
            else:
                frames.pop()


def _close(frame: Iterator[Step]) -> None:
    """End a step that an error left in the middle, before those that wait for it."""
    if isinstance(frame, Generator):
        frame.close()


class Arrow:
    """An arrow ``dom → cod`` that runs: a rope of steps and of other arrows.

    On a stack whose top is a value of ``dom``, running it leaves one of ``cod`` in its place.
    """

    __slots__ = ("_steps", "cod", "component", "dom", "literal", "literals", "rope", "spare")

    def __init__(
        self,
        dom: Object,
        cod: Object,
        rope: tuple[Step | Arrow, ...],
        *,
        component: int | None = None,
        literal: bool = False,
        literals: frozenset[int] = frozenset(),
        spare: Callable[[frozenset[int]], Arrow] | None = None,
    ) -> None:
        """``component`` marks a projection, ``literal`` a constant, ``literals`` constant parts.

        ``spare`` remakes a primitive that has literals among its arguments.
        """
        self.dom, self.cod, self.rope = dom, cod, rope
        self.component, self.literal = component, literal
        self.literals, self.spare = literals, spare
        self._steps: tuple[Step, ...] | None = None

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
