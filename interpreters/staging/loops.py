"""Loops in programs: they stay loops, with one copy of the body forwards and one backwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from combinators.objects import Object, Product, component
from combinators.operation import Operation
from combinators.primitives.loops import FOLD, MAP, SCAN
from combinators.rows import row_of
from combinators.terms import Lam, Prim, Tuple, Var, pack
from combinators.tracing.scope import Scope, current, entered
from combinators.type_folds import is_smooth
from interpreters.execution import steps
from interpreters.execution.machine import Machine, Step, settled
from interpreters.execution.running import Closure, Running, function_of
from interpreters.staging.atoms import Atom, write
from interpreters.staging.blocks import Closed, Written, forwards, record, unbundled
from interpreters.staging.shapes import Plain, Shape
from interpreters.tangents.cotangents import Cotangent

if TYPE_CHECKING:
    from interpreters.staging.control import Control


class Given(NamedTuple):
    """An argument of a loop, as a term of the program."""

    shape: Shape
    own: Atom
    plain: Shape
    term: Atom

    def returned(self, control: Control, cotangent: Cotangent) -> Cotangent:
        """The cotangent of the argument, from that of the term."""
        return control.returned(self.shape, self.own.type, cotangent)


class Body(NamedTuple):
    """The body of a loop, written forwards."""

    scope: Scope
    inlined: bool
    """Whether the function's code stands in the loop, or else a call of it."""
    carry: Var | None
    row: Var
    next: Given | None
    """The carry that a round gives."""
    item: Given | None
    """What a round gives to be kept."""
    tape: list[Step]
    start: Any
    """What the function's code, or its call, starts from."""


class Loop:
    """``fold``, ``scan`` or ``map`` at given types, as a step that writes it."""

    def __init__(
        self, control: Control, mode: Running, operation: Operation, dom: Object, cod: Object
    ) -> None:
        """The types are those of the arrow."""
        self.cod = cod
        self.control, self.mode, self.operation = control, mode, operation
        self.function = function_of(dom)
        assert isinstance(dom, Product)
        self.types = dom.parts
        self.carries = operation.primitive is not MAP.primitive
        self.keeps = operation.primitive is not FOLD.primitive

    def __call__(self, machine: Machine) -> Written:
        """Write the loop, and leave what writes it backwards."""
        from interpreters.staging.reversed_loops import Reversed

        function, *carried, xs = machine.stack.pop()
        rows = yield from self._rows(machine, xs, self.types[-1])
        init = None
        if self.carries:
            init = yield from self._given(machine, carried[0], self.types[1])
        body = yield from self._body(machine, function, init, rows)
        back = Reversed(self, function, init, rows, body)
        if self.mode.reverses and is_smooth(self.function.cod):
            yield from back.write(machine)
        value, residuals = self._write(body, back.residuals, init, rows.term)
        machine.stack.append(value)
        if self.mode.reverses:
            back_step = back.step(value, residuals)
            machine.tape.append(steps.nothing if back_step is None else back_step)

    def _given(self, machine: Machine, value: Any, obj: Object) -> Written:
        shape, own = self.control.borders.term(value, obj)
        term = yield from self.control.plain(self.mode, machine, shape, own, obj)
        return Given(shape, own, self.control.plain_shape(self.mode, obj), term)

    def _rows(self, machine: Machine, value: Any, obj: Object) -> Written:
        """The sequence; one that does not move goes as it is."""
        shape, own = self.control.borders.term(value, obj)
        if isinstance(shape, Plain):
            return Given(shape, own, shape, own)
        return (yield from self._given(machine, value, obj))

    def _row(self, rows: Given, var: Var) -> Any:
        """A row of the sequence as a value."""
        assert isinstance(rows.plain, Plain)
        obj = row_of(self.types[-1])
        shape = self.control.borders.shapes.plain(obj, rows.plain.moves)
        return self.control.borders.value(shape, Atom(var))

    def _body(self, machine: Machine, function: Any, init: Given | None, rows: Given) -> Written:
        """The function, applied once to variables."""
        scope = Scope(current(), "a loop")
        with entered(scope):
            carry = scope.parameter("c", init.term.type) if init is not None else None
            row = scope.parameter("x", row_of(rows.term.type))
            argument = self._row(rows, row)
            if init is not None and carry is not None:
                before = self.control.borders.value(init.plain, Atom(carry))
                argument = (before, argument)
            inlined = isinstance(function, Closure) and self.control.enters(function.code)
            arrow = function.code.arrow if inlined else self.mode.eval(self.function)
            start = [*function.env, argument] if inlined else (function, argument)
            made, tape = yield from forwards(machine, arrow, start)
            made, cod = settled(made, self.function.cod), self.function.cod
            after: Given | None = None
            item: Given | None = None
            if not self.keeps:
                after = yield from self._given(machine, made, cod)
            elif not self.carries:
                item = yield from self._given(machine, made, cod)
            else:
                after = yield from self._given(machine, made[0], component(cod, 0))
                item = yield from self._given(machine, made[1], component(cod, 1))
        return Body(scope, inlined, carry, row, after, item, tape, start)

    def _write(
        self, body: Body, residuals: list[Var], init: Given | None, rows: Atom
    ) -> tuple[Any, Atom | None]:
        """The loop forwards: its value, and the rows of its residuals."""
        with entered(body.scope):
            kept = record(residuals)
        item = None if body.item is None else body.item.term
        items = [atom for atom in (item, kept) if atom is not None]
        block = round_of(body.scope, [body.next.term] if body.next is not None else None, items)
        params = tuple(var for var in (body.carry, body.row) if var is not None)
        operation = self.operation
        if kept is not None and not self.keeps:
            operation = Operation(SCAN.primitive, operation.parameters)
        whole = loop(operation, Lam(params, block.body), block.captured, init and init.term, rows)
        last, stacks = (whole[0], whole[1]) if self.carries and items else (whole, whole)
        parts = unbundled(stacks, len(items)) if items else []
        return self._value(last, parts), parts[-1] if kept is not None else None

    def _value(self, last: Atom, parts: list[Atom]) -> Any:
        """The value of the loop, from the last carry and from what was kept."""
        value, plain = self.control.borders.value, self.control.plain_shape
        if not self.keeps:
            return value(plain(self.mode, self.cod), last)
        stack = self.cod if not self.carries else component(self.cod, 1)
        items = value(plain(self.mode, stack), parts[0])
        if not self.carries:
            return items
        return value(plain(self.mode, component(self.cod, 0)), last), items


def round_of(scope: Scope, carried: list[Atom] | None, items: list[Atom]) -> Closed:
    """A round that gives what it carries and what is kept, each one as it is or as a tuple."""
    kept = pack(tuple(atom.term for atom in items))
    with entered(scope):
        if carried is None:
            return Closed(*scope.close(kept))
        after = pack(tuple(atom.term for atom in carried))
        return Closed(*scope.close(Tuple((after, kept)) if items else after))


def loop(
    operation: Operation, function: Lam, captured: tuple[Var, ...], init: Atom | None, rows: Atom
) -> Atom:
    """The loop of a λ that captures, written into the current scope."""
    operands = (init.term, rows.term) if init is not None else (rows.term,)
    return write(Prim(operation, (function, *operands)), captured=captured)
