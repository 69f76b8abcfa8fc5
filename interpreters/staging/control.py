"""How branches, loops and calls are written, in any mode over the Terms carrier."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from combinators.objects import Fun, Object
from combinators.operation import Operation
from combinators.type_folds import rep_function, represented
from interpreters.execution.direct import Direct
from interpreters.execution.machine import Arrow, Machine, Step, Written
from interpreters.execution.running import Closure, Code, Running
from interpreters.sparse_cotangents import Cotangent
from interpreters.staging import choices, loops, unknown_functions
from interpreters.staging.atoms import Atom, packed, primitive, product_of, unpacked
from interpreters.staging.borders import Borders, Shape
from interpreters.staging.cotangent_layouts import dense
from interpreters.staging.known_functions import (
    Known,
    call_known,
    call_recorded,
    calls_written_again,
    without_calls,
)


def staged(mode: Running) -> StagedControl:
    """The control of a mode over the Terms carrier."""
    assert isinstance(mode.control, StagedControl)
    return mode.control


class StagedControl(Direct):
    """The branches, loops and calls of one program, which is written."""

    runs = False

    def __init__(self, mode: Running, borders: Borders | None = None) -> None:
        """Of a program that is not written yet."""
        super().__init__(mode)
        self.borders = Borders() if borders is None else borders
        self.known: dict[Hashable, Known] = {}
        self.entered: set[Code] = set()

    @property
    def inside(self) -> StagedControl:
        """How functions stand that other functions of unknown code take and give."""
        return self

    def function_term(self, function: Any) -> Atom:
        """A function of unknown code as a term that can be applied."""
        atom: Atom = function
        return atom

    def test(self, number: Any) -> Atom:
        """What a conditional chooses by."""
        atom: Atom = number
        return atom

    def choice(self, then: Arrow, other: Arrow) -> Step:
        """A conditional."""
        return choices.choice(self, self.mode, then, other)

    def loop(self, operation: Operation, dom: Object) -> Step:
        """A loop."""
        return loops.WrittenLoop(self, self.mode, operation, dom)

    def recompute(self, function: Fun) -> Step:
        """``eval`` of a function that is run again when it is pulled back."""
        return self._apply(self.mode, function, again=self.mode.reverses)

    def call(self, function: Fun) -> tuple[Step, ...]:
        """``eval``."""
        return (self._apply(self.mode, function, again=False),)

    def _apply(self, mode: Running, function: Fun, *, again: bool) -> Step:
        """Of a closure, a call of its code; of any other value, an application."""

        def apply(machine: Machine) -> Written:
            value, argument = machine.stack.pop()
            if isinstance(value, Closure) and mode.records_calls and not again:
                step = call_recorded(self, mode, value, argument)
            elif isinstance(value, Closure):
                step = call_known(self, mode, value, argument, again=again)
            else:
                term = self.function_term(value)
                step = unknown_functions.call(self.inside, mode, term, argument, function)
            yield step

        return apply

    def without_calls(
        self, mode: Running, machine: Machine, cotangent: Cotangent, value: Any
    ) -> Written:
        """A cotangent of ``value`` that can cross a border."""
        if not mode.records_calls:
            return cotangent
        return (yield from without_calls(self, mode, machine, cotangent, value))

    def called(self, code: Code, env: Any) -> Step:
        """The pullback of a closure in the simply-typed form: its calls, written again."""

        def transpose(machine: Machine) -> Written:
            listed = machine.stack.pop()
            made = yield from calls_written_again(self, self.mode, machine, code, env, listed)
            machine.stack.append(made)

        return transpose

    def structural(self, operation: Operation, obj: Object) -> Callable[..., Any]:
        """The algebra of cotangents: a node of the program."""

        def compute(*values: Any) -> Any:
            types = [obj] * len(values)
            return primitive(operation, *self.borders.terms(values, types)[1])

        return compute

    def erasure(self, obj: Object) -> tuple[Callable[[Any], Atom], Callable[[Any], Atom]]:
        """``pack`` and ``unpack`` of cotangents of type ``obj``, as nodes of the program."""
        return lambda g: packed(dense(g, obj)), lambda t: unpacked(t, obj)

    def enters(self, code: Code) -> bool:
        """Whether this is the first loop to run ``code``, which then stands in it."""
        first = code not in self.entered
        self.entered.add(code)
        return first

    def plain(
        self, mode: Running, machine: Machine, shape: Shape, term: Atom, obj: Object
    ) -> Written:
        """A term of any shape as a value of the program."""
        written = yield from unknown_functions.plain(self, mode, machine, shape, term, obj)
        return written

    def plain_shape(self, mode: Running, obj: Object) -> Shape:
        """The shape of what ``plain`` gives."""
        return self.borders.shapes.plain(obj)

    def represented(self, mode: Running, obj: Object) -> Object:
        """The type of what ``plain`` gives."""
        return represented(obj, rep_function if mode.reverses else Fun)

    def with_tangent(self, shape: Shape, term: Atom, obj: Object) -> Atom:
        """A plain term, as every value of the program is."""
        return term

    def together(self, mode: Running, terms: list[Atom], obj: Object) -> Atom:
        """The plain term of a product, from those of its components."""
        return product_of(terms, obj)

    def returned(self, shape: Shape, own: Object, cotangent: Cotangent) -> Cotangent:
        """The cotangent of a value, from that of what ``plain`` made of it."""
        return unknown_functions.returned(shape, own, cotangent)
