"""Dual arrays in a program that is being written: Delta terms a line at a time (003, section 7).

A program runs as steps. Over the Terms carrier each step writes a line of the program, and each
line that is a primitive has the Delta term of that primitive, as everywhere. The paper's language
has no others. Ours has branches, loops and calls, which are written as the dependently typed
pullback writes them: such a line is one Delta term, ``Pull``, whose transpose is what the line left
on its tape. So every first-order program has a gradient program by Delta terms.

The value part and the Delta term never meet before the evaluator runs: Delta terms hold names of
the value part, and no line of it holds a Delta term. That is the separation that the paper proves
of its transformation (7.6).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from combinators.errors import WrongMode
from combinators.objects import Erased, Fun, Object, Product, Tensor, Vector
from combinators.operation import Operation
from combinators.type_folds import fold_type, parts_inside
from interpreters.deltas.numbers import DualArray, DualArrays, arrived, terms
from interpreters.deltas.terms import ZERO, Arrived, Pull
from interpreters.execution.machine import Machine, Reversible, Step, Written
from interpreters.execution.running import arguments
from interpreters.modes.reverse import Dependent
from interpreters.sparse_cotangents import Cotangent, own

_OTHERS = Fun | Vector | Erased


def check_first_order(obj: Object) -> None:
    """Raise ``WrongMode`` where values of type ``obj`` hold functions.

    >>> from combinators.objects import Fun, Real
    >>> check_first_order(Fun(Real, Real))
    Traceback (most recent call last):
        ...
    combinators.errors.WrongMode: ...: mode="delta" differentiates between first-order types, ...
    """
    if fold_type(obj, lambda part, inside: isinstance(part, _OTHERS) or any(inside), parts_inside):
        raise WrongMode(
            f'mode="delta" differentiates between first-order types, and this is {obj!r}: '
            "a program may use functions inside, but none as an argument or as its result "
            "(003, section 2.1); leave mode= out"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A step that runs on dual arrays, too: structure, or a primitive with its own Delta term."""

    recorded: Step
    dual: Callable[[Machine, DualArrays], Any]

    def __call__(self, machine: Machine) -> Iterator[Step] | None:
        """As it is recorded."""
        return self.recorded(machine)


class Lines(Dependent):
    """The dependently typed form, whose steps tell what they are."""

    def record(self, step: Reversible) -> Step:
        """Copies, pairs and projections do the same to all values."""
        return Line(super().record(step), lambda machine, _: step.forward(machine))

    def _rep(
        self, operation: Operation, dom: Object, cod: Object, literals: frozenset[int]
    ) -> Step:
        recorded, types = super()._rep(operation, dom, cod, literals), arguments(dom)
        if not all(isinstance(obj, Tensor) for obj in (*types, cod)):
            return recorded

        def dual(machine: Machine, numbers: DualArrays) -> None:
            stack = machine.stack
            xs = stack[-1][: len(types)] if isinstance(dom, Product) else (stack[-1],)
            moving = [x if isinstance(x, DualArray) else DualArray(x) for x in xs]
            y = numbers.operation(operation, types, cod)(*moving)
            stack[-1] = y.primal if y.delta is ZERO else y  # what does not move stands for itself

        return Line(recorded, dual)


def write(machine: Machine, lines: tuple[Step, ...], argument: Any, numbers: DualArrays) -> Written:
    """Run the steps of ``Lines`` on dual values; the dual value that they give."""
    machine.stack.append(argument)
    for step in lines:
        if isinstance(step, Line):
            step.dual(machine, numbers)
        else:
            yield from _line(machine, step, numbers)
    return machine.stack.pop()


def _line(machine: Machine, step: Step, numbers: DualArrays) -> Written:
    """A line that is no primitive: it runs on values, and its tape is its Delta term."""
    given = machine.stack.pop()
    value, tape = yield from machine.forwards(step, still(given))
    moved = tuple(terms(given))
    if moved:
        value = DualArray(value, numbers.share(Pull(partial(_pulled, tape, given), moved)))
    machine.stack.append(value)


def _pulled(tape: list[Step], given: Any, cotangent: Cotangent) -> Iterator[Arrived]:
    machine = Machine(own(cotangent))
    machine.run(reversed(tape))
    return arrived(given, machine.stack.pop())


def still(value: Any) -> Any:
    """A dual value without its Delta terms."""
    if isinstance(value, DualArray):
        return value.primal
    if isinstance(value, tuple | list):
        return type(value)([still(part) for part in value])
    return value
