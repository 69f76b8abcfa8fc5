"""Loops in programs: they stay loops, with one copy of the body forwards and one backwards.

The forward loop keeps what its body backwards mentions, a row a round; the backward loop runs over
these rows from the last to the first. With ``fold (λ(c, x). sin c * x * a) c₀ xs`` there is written

    (y, kept) = scan (λ(c, x). let s = sin c; p = s * x in (p * a, (p, s, c))) c₀ xs

and for the cotangent ``dy`` of y

    ((dc₀, da), dxs) = scan[reverse=True] (λ((dc, da), ((p, s, c), x)).
        ((dc · a · x · cos c, da + dc · p), dc · a · s)) (dy, 0) (kept, xs)

The rows ``xs`` are there already, and are taken again. The cotangent of ``a``, which the body
captures, is carried and summed. Parts that are to be put into an array, as of ``v[i]`` for a
captured v, would be kept instead, a row a round, and put after the loop (``gathering``).
"""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

from combinators.objects import Object, Product
from combinators.operation import Operation
from combinators.primitives.loops import LoopType, loop_term, looping
from combinators.terms import Lam, Proj, Term, Tuple, Var, pack, packed
from combinators.tracing.scope import Scope, current, entered
from combinators.type_folds import is_smooth, row_of, tangent_of
from interpreters.execution.machine import (
    Machine,
    Step,
    Written,
    backwards,
    forwards,
    nothing,
    settled,
)
from interpreters.execution.running import Closure, Running
from interpreters.sparse_cotangents import Cotangent, opened
from interpreters.staging.atoms import Atom, write
from interpreters.staging.blocks import (
    Closed,
    binding,
    bundled,
    opening,
    record,
    twin,
    unbundled,
)
from interpreters.staging.borders import Plain, Shape, Staging
from interpreters.staging.cotangent_layouts import dense
from interpreters.staging.gathering import Gathered, gather


class Given(NamedTuple):
    """An argument of a loop, as a term of the program."""

    shape: Shape
    own: Atom
    plain: Shape
    term: Atom

    def returned(self, control: Staging, cotangent: Cotangent) -> Cotangent:
        """The cotangent of the argument, from that of the term."""
        return control.returned(self.shape, self.own.type, cotangent)


class WrittenBody(NamedTuple):
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

    def __init__(self, control: Staging, mode: Running, operation: Operation, dom: Object) -> None:
        """``dom`` is the product of its arguments."""
        assert isinstance(dom, Product)
        self.control, self.mode = control, mode
        self.types = LoopType.of(operation, dom.parts)

    def __call__(self, machine: Machine) -> Written:
        """Write the loop, and leave what writes it backwards."""
        function, *start, xs = machine.stack.pop()
        rows = yield from self._rows(machine, xs, self.types.xs)
        init = yield from self._given(machine, start[0] if start else None, self.types.carry)
        body = yield from self._body(machine, function, init, rows)
        back = ReversedLoop(self, function, init, rows, body)
        if self.mode.reverses and is_smooth(self.types.function.cod):
            yield from back.write(machine)
        value, residuals = self._write(body, back.residuals, init, rows.term)
        machine.stack.append(value)
        if self.mode.reverses:
            back_step = back.step(value, residuals)
            machine.tape.append(nothing if back_step is None else back_step)

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
            made, tape = yield from forwards(machine, arrow.enter, start)
            made = settled(made, self.types.function.cod)
            carried, kept = self.types.halves(made, operator.getitem)
            after = yield from self._given(machine, carried, self.types.carry)
            item = yield from self._given(machine, kept, self.types.item)
        return WrittenBody(scope, inlined, carry, row, after, item, tape, start)

    def _write(
        self, body: WrittenBody, residuals: list[Var], init: Given | None, rows: Atom
    ) -> tuple[Any, Atom | None]:
        """The loop forwards: its value, and the rows of its residuals."""
        with entered(body.scope):
            kept = record(residuals)
        carried = [] if body.next is None else [body.next.term]
        items = [item for item in (body.item and body.item.term, kept) if item is not None]
        block = _round(body.scope, carried, items)
        params = tuple(var for var in (body.carry, body.row) if var is not None)
        function = Lam(params, block.body)
        start = [] if init is None else [init.term]
        reverse = self.types.reverse
        last, stacks = _loop(function, block.captured, start, rows, len(items), reverse=reverse)
        value = self.types.joined(
            self._value(last, self.types.carry), self._value(stacks, self.types.stack), _pair
        )
        return value, stacks[-1] if kept is not None else None

    def _value(self, atoms: list[Atom], obj: Object | None) -> Any:
        """The value of a half of what the loop gives, which stands first."""
        if obj is None:
            return None
        return self.control.borders.value(self.control.plain_shape(self.mode, obj), atoms[0])


class ReversedLoop:
    """A loop's pullback: its body, written once, and the loop, written at each use."""

    def __init__(
        self,
        forward: WrittenLoop,
        function: Any,
        init: Given | None,
        rows: Given,
        body: WrittenBody,
    ) -> None:
        """Of a loop whose body is written forwards."""
        self.forward, self.function = forward, function
        self.init, self.rows, self.body = init, rows, body
        self.scope = twin(body.scope, current())
        self.carry = self._seed("dc", body.next)
        self.item = self._seed("dy", body.item)
        self.block: Closed | None = None
        self.gathered: Gathered
        self.residuals: list[Var] = []
        self.again = False

    def _seed(self, wish: str, result: Given | None) -> Var | None:
        if result is None or not is_smooth(result.term.type):
            return None
        return self.scope.parameter(wish, tangent_of(result.term.type))

    def write(self, machine: Machine) -> Written:
        """Write the body backwards."""
        with entered(self.scope):
            start = self._start()
            pulled = yield from backwards(machine, self.body.tape, start)
            control, mode = self.forward.control, self.forward.mode
            pulled = yield from control.without_calls(mode, machine, pulled, self.body.start)
            captured, before, row = self._split(pulled)
            carried = [] if self.carry is None else [dense(before, self.carry.type)]
            self.gathered = gather(
                self.scope,
                captured,
                self._captured_type(),
                row,
                tangent_of(self.body.row.type),
            )
            carried += self.gathered.sums
        self.block = _round(self.scope, carried, self.gathered.rows)
        owned = self.block.owned_by(self.body.scope)
        self.residuals = [var for var in owned if var is not self.body.row]
        self.again = len(self.residuals) < len(owned)

    def _start(self) -> Cotangent:
        """The cotangent of what the function gives."""

        def given(result: Given | None, var: Var | None) -> Cotangent:
            if result is None or var is None:
                return None
            return result.returned(self.forward.control, Atom(var))

        halves = given(self.body.next, self.carry), given(self.body.item, self.item)
        return self.forward.types.joined(*halves, _sparse)

    def _captured_type(self) -> Object:
        """The type of the cotangent of the loop's function."""
        borders = self.forward.control.borders
        return tangent_of(borders.term(self.function, self.forward.types.function)[1].type)

    def _split(self, pulled: Cotangent) -> tuple[Cotangent, Cotangent, Cotangent]:
        """The cotangents of the function, of the carry before the round, and of the row."""
        parts = {} if pulled is None else dict(opened(pulled))
        if self.body.inlined:
            argument = parts.pop(self.function.code.width, None)
            captured: Cotangent = parts or None
        else:
            captured, argument = parts.get(0), parts.get(1)
        if self.init is None:
            return captured, None, argument
        pair = {} if argument is None else opened(argument)
        return captured, pair.get(0), pair.get(1)

    def step(self, value: Any, residuals: Atom | None) -> Step | None:
        """The step that writes the loop backwards; None where nothing comes back."""
        if self.block is None:
            return None

        def transpose(machine: Machine) -> None:
            cotangent = machine.stack[-1]
            if cotangent is not None:
                machine.stack[-1] = _sparse(*self._pulled(cotangent, value, residuals))

        return transpose

    def _pulled(self, cotangent: Cotangent, value: Any, residuals: Atom | None) -> list[Cotangent]:
        """The cotangents of the loop's arguments."""
        assert self.block is not None
        carry, items = self._results(cotangent, value)
        gathering, rows = self.gathered.gathering, self.gathered.rows
        taken = self._sequence(items, residuals)
        init = ([carry] if carry is not None else []) + gathering.start()
        lam = self._function([source for source, _ in taken], [opened for _, opened in taken])
        stack = bundled([source for source, _ in taken])
        reverse = not self.forward.types.reverse
        whole = _loop(lam, self._mentioned(), init, stack, len(rows), reverse=reverse)
        return self._arguments(*whole)

    def _arguments(self, sums: list[Atom], rows: list[Atom]) -> list[Cotangent]:
        control = self.forward.control
        before = sums.pop(0) if self.carry is not None else None
        row = rows.pop() if self.gathered.gathering.row is not None else None
        captured = self.gathered.gathering.finish(iter(sums), iter(rows))
        xs = self.rows.returned(control, row)
        if self.init is None:
            return [captured, xs]
        return [captured, self.init.returned(control, before), xs]

    def _results(self, cotangent: Cotangent, value: Any) -> tuple[Atom | None, Atom | None]:
        """The cotangents of the last carry and of what was kept, each as one term."""
        types = self.forward.types
        carry, items = types.halves(cotangent, lambda whole, index: opened(whole).get(index))
        kept = types.halves(value, operator.getitem)[1]
        return (
            None if self.carry is None else dense(carry, self.carry.type),
            None if self.item is None else dense(items, tangent_of(kept.type)),
        )

    def _sequence(self, items: Atom | None, residuals: Atom | None) -> list[tuple[Atom, list[Var]]]:
        """What the reversed loop runs over, and the variables that each row of it gives."""
        taken: list[tuple[Atom, list[Var]]] = []
        if residuals is not None:
            taken.append((residuals, self.residuals))
        if items is not None and self.item is not None:
            taken.append((items, [self.item]))
        if self.again or not taken:
            taken.append((self.rows.term, [self.body.row]))
        return taken

    def _function(self, sources: list[Atom], opened: list[list[Var]]) -> Lam:
        """The round as a function of what is carried and of the row."""
        assert self.block is not None
        names = self.scope.names
        types = [row_of(source.type) for source in sources]
        row = Var(names.fresh("row"), packed(tuple(types)))
        bindings: list[tuple[Var, Term]] = []
        for index, variables in enumerate(opened):
            whole: Term = row if len(types) == 1 else Proj(index, row)
            bindings += opening(variables, whole)
        carried = [var for var in (self.carry, *self.gathered.gathering.sums) if var is not None]
        if not carried:
            return Lam((row,), binding(bindings, self.block.body))
        carry = carried[0]
        if len(carried) > 1:
            carry = Var(names.fresh("c"), Product(*(var.type for var in carried)))
            bindings = opening(carried, carry) + bindings
        return Lam((carry, row), binding(bindings, self.block.body))

    def _mentioned(self) -> tuple[Var, ...]:
        """What the body mentions from outside the loop."""
        assert self.block is not None
        scopes = (self.scope, self.body.scope)
        return tuple(
            var for var in self.block.captured if not any(scope.owns(var) for scope in scopes)
        )


def _pair(carry: Any, kept: Any) -> Any:
    return carry, kept


def _round(scope: Scope, carried: list[Atom], items: list[Atom]) -> Closed:
    """A round that gives what it carries and what is kept, each one as it is or as a tuple."""
    halves = [pack(tuple(atom.term for atom in half)) for half in (carried, items) if half]
    with entered(scope):
        return Closed(*scope.close(halves[0] if len(halves) == 1 else Tuple(tuple(halves))))


def _loop(
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


def _sparse(*parts: Cotangent) -> Cotangent:
    """The cotangent with these components; None where none of them is there."""
    return {i: g for i, g in enumerate(parts) if g is not None} or None
