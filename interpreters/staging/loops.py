"""Loops in programs: they stay loops, with one copy of the body forwards and one backwards."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NamedTuple

from combinators.objects import Object, Product
from combinators.operation import Operation
from combinators.primitives.loops import LoopType, loop_term, looping
from combinators.rows import row_of
from combinators.terms import Lam, Tuple, Var, pack
from combinators.tracing.scope import Scope, current, entered
from combinators.type_folds import is_smooth
from interpreters.execution import steps
from interpreters.execution.machine import Machine, Step, settled
from interpreters.execution.running import Closure, Running
from interpreters.staging.atoms import Atom, write
from interpreters.staging.blocks import (
    Closed,
    Written,
    bundled,
    forwards,
    record,
    unbundled,
)
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


class WrittenLoop:
    """A loop at given types, as a step that writes it."""

    def __init__(self, control: Control, mode: Running, operation: Operation, dom: Object) -> None:
        """``dom`` is the product of its arguments."""
        assert isinstance(dom, Product)
        self.control, self.mode = control, mode
        self.types = LoopType.of(operation, dom.parts)

    def __call__(self, machine: Machine) -> Written:
        """Write the loop, and leave what writes it backwards."""
        from interpreters.staging.reversed_loops import Reversed

        function, *start, xs = machine.stack.pop()
        rows = yield from self._rows(machine, xs, self.types.xs)
        init = yield from self._given(machine, start[0] if start else None, self.types.carry)
        body = yield from self._body(machine, function, init, rows)
        back = Reversed(self, function, init, rows, body)
        if self.mode.reverses and is_smooth(self.types.function.cod):
            yield from back.write(machine)
        value, residuals = self._write(body, back.residuals, init, rows.term)
        machine.stack.append(value)
        if self.mode.reverses:
            back_step = back.step(value, residuals)
            machine.tape.append(steps.nothing if back_step is None else back_step)

    def _given(self, machine: Machine, value: Any, obj: Object | None) -> Written:
        """An argument, or a result of a round; None where there is none."""
        if obj is None:
            return None
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
        obj = self.types.row
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
            arrow = function.code.arrow if inlined else self.mode.eval(self.types.function)
            start = [*function.env, argument] if inlined else (function, argument)
            made, tape = yield from forwards(machine, arrow, start)
            made = settled(made, self.types.function.cod)
            carried, kept = self.types.halves(made, operator.getitem)
            after = yield from self._given(machine, carried, self.types.carry)
            item = yield from self._given(machine, kept, self.types.item)
        return Body(scope, inlined, carry, row, after, item, tape, start)

    def _write(
        self, body: Body, residuals: list[Var], init: Given | None, rows: Atom
    ) -> tuple[Any, Atom | None]:
        """The loop forwards: its value, and the rows of its residuals."""
        with entered(body.scope):
            kept = record(residuals)
        carried = [] if body.next is None else [body.next.term]
        items = [item for item in (body.item and body.item.term, kept) if item is not None]
        block = round_of(body.scope, carried, items)
        params = tuple(var for var in (body.carry, body.row) if var is not None)
        function = Lam(params, block.body)
        start = [] if init is None else [init.term]
        reverse = self.types.reverse
        last, stacks = loop(function, block.captured, start, rows, len(items), reverse=reverse)
        value = self.types.joined(
            self._value(last, self.types.carry), self._value(stacks, self.types.stack), _pair
        )
        return value, stacks[-1] if kept is not None else None

    def _value(self, atoms: list[Atom], obj: Object | None) -> Any:
        """The value of a half of what the loop gives, which stands first."""
        if obj is None:
            return None
        return self.control.borders.value(self.control.plain_shape(self.mode, obj), atoms[0])


def _pair(carry: Any, kept: Any) -> Any:
    return carry, kept


def round_of(scope: Scope, carried: list[Atom], items: list[Atom]) -> Closed:
    """A round that gives what it carries and what is kept, each one as it is or as a tuple."""
    halves = [pack(tuple(atom.term for atom in half)) for half in (carried, items) if half]
    with entered(scope):
        return Closed(*scope.close(halves[0] if len(halves) == 1 else Tuple(tuple(halves))))


def loop(
    function: Lam,
    captured: tuple[Var, ...],
    init: list[Atom],
    rows: Atom,
    kept: int,
    *,
    reverse: bool,
) -> tuple[list[Atom], list[Atom]]:
    """The loop of a λ that captures, written into the current scope: the last carries, the stacks.

    It carries what ``init`` is, and keeps so many things of each round; of neither there is none.
    """
    if not init and not kept:
        return [], []
    operation = looping(carries=bool(init), keeps=bool(kept), reverse=reverse)
    start = bundled(init).term if init else None
    whole = write(loop_term(operation, function, start, rows.term), captured=captured)
    last, stacks = (whole[0], whole[1]) if init and kept else (whole, whole)
    return unbundled(last, len(init)), unbundled(stacks, kept)
