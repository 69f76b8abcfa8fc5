"""Loops in programs: they stay loops, with one copy of the body forwards and one backwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from combinators.objects import Object, Product, is_smooth
from combinators.operation import Operation
from combinators.primitives.loops import FOLD, MAP, SCAN
from combinators.rows import row_of
from combinators.terms import Lam, Prim, Term, Tuple, Var
from combinators.tracing.emit import emit
from combinators.tracing.scope import Scope, current, entered
from interpreters.execution import steps
from interpreters.execution.machine import Machine, Step
from interpreters.execution.running import Closure, Running, function_of
from interpreters.staging.atoms import Atom
from interpreters.staging.blocks import Closed, Written, bundle, forwards, record, unbundled
from interpreters.staging.shapes import Shape
from interpreters.tangents.cotangents import Cotangent

if TYPE_CHECKING:
    from interpreters.staging.control import Control


class Given(NamedTuple):
    """An argument of a loop, as a term of the program."""

    shape: Shape
    own: Atom
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
    result: Given
    next: Atom | None
    """The carry that a round gives."""
    item: Atom | None
    """What a round gives to be kept."""
    tape: list[Step]


class Loop:
    """``fold``, ``scan`` or ``map`` at given types, as a step that writes it."""

    def __init__(self, control: Control, mode: Running, operation: Operation, dom: Object) -> None:
        """``dom`` is that of the arrow."""
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
        rows = yield from self._given(machine, xs, self.types[-1])
        init = None
        if self.carries:
            init = yield from self._given(machine, carried[0], self.types[1])
        body = yield from self._body(machine, function, init, rows.term)
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
        return Given(shape, own, term)

    def _value(self, obj: Object, var: Var) -> Any:
        return self.control.borders.value(self.control.plain_shape(self.mode, obj), Atom(var))

    def _body(self, machine: Machine, function: Any, init: Given | None, rows: Atom) -> Written:
        """The function, applied once to variables."""
        scope = Scope(current(), "a loop")
        with entered(scope):
            carry = scope.parameter("c", init.term.type) if init is not None else None
            row = scope.parameter("x", row_of(rows.type))
            argument = self._value(row_of(self.types[-1]), row)
            if carry is not None:
                argument = (self._value(self.types[1], carry), argument)
            inlined = isinstance(function, Closure) and self.control.enters(function.code)
            arrow = function.code.arrow if inlined else self.mode.eval(self.function)
            start = [*function.env, argument] if inlined else (function, argument)
            made, tape = yield from forwards(machine, arrow, start)
            result = yield from self._given(machine, made, self.function.cod)
            both = result.term
            after, item = both if self.carries and self.keeps else (both, None)
            if not self.carries:
                after, item = None, both
        return Body(scope, inlined, carry, row, result, after, item, tape)

    def _write(
        self, body: Body, residuals: list[Var], init: Given | None, rows: Atom
    ) -> tuple[Any, Atom | None]:
        """The loop forwards: its value, and the rows of its residuals."""
        with entered(body.scope):
            kept = record(residuals)
        items = [atom for atom in (body.item, kept) if atom is not None]
        block = round_of(body.scope, [body.next] if body.next is not None else None, items)
        params = tuple(var for var in (body.carry, body.row) if var is not None)
        operation = self.operation
        if kept is not None and not self.keeps:
            operation = Operation(SCAN.primitive, operation.parameters)
        whole = loop(operation, Lam(params, block.body), block.captured, init and init.term, rows)
        if not items:
            return whole, None
        last, stacks = (whole[0], whole[1]) if self.carries else (None, whole)
        parts = unbundled(stacks, len(items))
        residual = parts[-1] if kept is not None else None
        if not self.keeps:
            return last, residual
        return (parts[0] if last is None else (last, parts[0])), residual


def round_of(scope: Scope, carried: list[Atom] | None, items: list[Atom]) -> Closed:
    """A round that gives what it carries and what is kept, each one as it is or as a tuple."""
    count = 0 if carried is None else len(carried)

    def make(*parts: Term) -> Term:
        after, kept = parts[:count], parts[count:]
        if carried is None:
            return bundle(kept)
        return Tuple((bundle(after), bundle(kept))) if kept else bundle(after)

    with entered(scope):
        terms = tuple(atom.term for atom in [*(carried or ()), *items])
        return Closed(*scope.close(make, terms))


def loop(
    operation: Operation, function: Lam, captured: tuple[Var, ...], init: Atom | None, rows: Atom
) -> Atom:
    """The loop of a λ that captures, written into the current scope."""
    operands = (init.term, rows.term) if init is not None else (rows.term,)
    made = Prim(operation, (function, *operands))
    emitted = emit(
        made.type, lambda *terms: Prim(operation, (function, *terms)), operands, captured
    )
    return Atom(emitted.variable)
