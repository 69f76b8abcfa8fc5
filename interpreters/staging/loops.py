"""Loops in programs: they stay loops, with one copy of the body forwards and one backwards.

The forward loop keeps what its body backwards mentions, a row a round; the backward loop runs over
these rows from the last to the first. With ``fold (λ(c, x). sin c * x * a) c₀ xs`` there is written

    (y, kept) = scan (λ(c, x). let s = sin c; p = s * x in (p * a, (p, s, c))) c₀ xs

and for the cotangent ``dy`` of y

    ((dc₀, da), dxs) = scan[reverse=True] (λ((dc, da), ((p, s, c), x)).
        ((dc · a · x · cos c, da + dc · p), dc · a · s)) (dy, 0) (kept, xs)

The rows ``xs`` are there already, and are taken again. The cotangent of ``a``, which the body
captures, is carried and summed. Parts that are to be put into an array, as of ``v[i]`` for a
captured v, are kept instead, a row a round, and put after the loop.
"""

from __future__ import annotations

import operator
from typing import Any

from combinators.objects import Object, Product
from combinators.primitives.loops import LoopType, loop_term, looping
from combinators.terms import Lam, Proj, Term, Tuple, Var, pack, packed
from combinators.tracing.scope import Scope, current, entered
from combinators.type_folds import is_smooth, row_of, tangent_of
from interpreters.execution.machine import Machine, Step, Written, forwards, nothing, settled
from interpreters.execution.running import Closure, Code
from interpreters.sparse_cotangents import Cotangent, nonzero, opened
from interpreters.staging import atoms
from interpreters.staging.atoms import Atom, ClosedBlock
from interpreters.staging.borders import Borders, Given, Plain
from interpreters.staging.cotangent_layouts import (
    Layout,
    are_put,
    cotangent_of,
    dense,
    layout_of_context,
    leaves,
)


class WrittenLoop:
    """A loop at given types, as a step that writes it."""

    def __init__(self, borders: Borders, types: LoopType, in_loops: set[Code]) -> None:
        """``in_loops`` is the code that stands in loops already."""
        self.borders, self.mode = borders, borders.mode
        self.types, self._in_loops = types, in_loops

    def __call__(self, machine: Machine) -> Written:
        """Write the loop, and leave what writes it backwards."""
        function, *start, xs = machine.stack.pop()
        rows = yield from self._rows(machine, xs)
        init = yield from self.given(machine, start[0] if start else None, self.types.carry)
        body = Body(self, function, init, rows)
        yield from body.write(machine)
        back = ReversedLoop(self, body)
        if self.mode.reverses and is_smooth(self.types.function.cod):
            yield from back.write(machine)
        value, residuals = self._write(body, back.residuals)
        machine.stack.append(value)
        if self.mode.reverses:
            machine.tape.append(nothing if back.block is None else back.step(value, residuals))

    def given(self, machine: Machine, value: Any, obj: Object | None) -> Written:
        """An argument, or a result of a round; None where there is none."""
        return None if obj is None else (yield from self.borders.given(machine, value, obj))

    def _rows(self, machine: Machine, value: Any) -> Written:
        """The sequence; one that does not move goes as it is."""
        shape, own = self.borders.term(value, self.types.xs)
        if isinstance(shape, Plain):
            return Given(shape, own, own)
        return (yield from self.given(machine, value, self.types.xs))

    def row(self, rows: Given, var: Var) -> Any:
        """A row of the sequence as a value."""
        shape, obj = rows.shape, self.types.row
        if isinstance(shape, Plain):
            return self.borders.value(self.borders.still(obj, moves=shape.moves), Atom(var))
        return self.borders.plain_value(obj, Atom(var))

    def function(self, function: Any) -> tuple[Any, bool]:
        """The function; and whether its code stands in this loop, or else a call of it."""
        inlined = isinstance(function, Closure) and function.code not in self._in_loops
        if inlined:
            self._in_loops.add(function.code)
        return function, inlined

    def _write(self, body: Body, residuals: list[Var]) -> tuple[Any, Atom | None]:
        """The loop forwards: its value, and the rows of its residuals."""
        with entered(body.scope):
            kept = atoms.record(residuals)
        carried = [] if body.next is None else [body.next.term]
        items = [item for item in (body.item and body.item.term, kept) if item is not None]
        block = _round(body.scope, carried, items)
        function = Lam(tuple(var for var in (body.carry, body.row) if var is not None), block.body)
        start = [] if body.init is None else [body.init.term]
        last, stacks = _loop(
            function, block.captured, start, body.rows.term, len(items), reverse=self.types.reverse
        )
        types, value = self.types, self.borders.plain_value
        carry = None if types.carry is None else value(types.carry, last[0])
        stack = None if types.stack is None else value(types.stack, stacks[0])
        return types.joined(carry, stack, _pair), stacks[-1] if kept is not None else None


class Body:
    """The body of a loop: the function, applied once to variables."""

    next: Given | None
    """The carry that a round gives."""
    item: Given | None
    """What a round gives to be kept."""

    def __init__(self, loop: WrittenLoop, function: Any, init: Given | None, rows: Given) -> None:
        """Of a loop from ``init`` over ``rows``."""
        self.loop, self.init, self.rows = loop, init, rows
        self.function, self.inlined = loop.function(function)
        self.scope = Scope(current(), "a loop")
        self.carry: Var | None = None
        self.row: Var
        self.tape: list[Step] = []
        self.start: Any
        """What the function's code, or its call, starts from."""

    def write(self, machine: Machine) -> Written:
        """Write it forwards."""
        loop, types, function = self.loop, self.loop.types, self.function
        with entered(self.scope):
            if types.carry is not None:
                self.carry, before = loop.borders.parameter(self.scope, "c", types.carry)
            self.row = self.scope.parameter("x", row_of(self.rows.term.type))
            argument = loop.row(self.rows, self.row)
            argument = argument if types.carry is None else (before, argument)
            arrow = function.code.arrow if self.inlined else loop.mode.eval(types.function)
            self.start = [*function.env, argument] if self.inlined else (function, argument)
            made, self.tape = yield from forwards(machine, arrow.enter, self.start)
            made = settled(made, types.function.cod)
            carried, kept = types.halves(made, operator.getitem)
            self.next = yield from loop.given(machine, carried, types.carry)
            self.item = yield from loop.given(machine, kept, types.item)

    def split(self, pulled: Cotangent) -> tuple[Cotangent, Cotangent, Cotangent]:
        """The cotangents of the function, of the carry before the round, and of the row."""
        parts = {} if pulled is None else dict(opened(pulled))
        if self.inlined:
            argument = parts.pop(self.function.code.width, None)
            captured: Cotangent = parts or None
        else:
            captured, argument = parts.get(0), parts.get(1)
        if self.init is None:
            return captured, None, argument
        pair = {} if argument is None else opened(argument)
        return captured, pair.get(0), pair.get(1)


class ReversedLoop:
    """A loop's pullback: its body, written once, and the loop, written at each use.

    What the body captures comes together by its layout ``held``: of each term, parts to be put are
    kept a row a round, and the others summed, in the variables ``sums``.
    """

    block: ClosedBlock | None = None
    held: Layout = None
    gives_row: bool = False
    """Whether it gives a cotangent of the sequence's row."""
    again: bool = False
    """Whether it takes the rows of the forward loop again."""

    def __init__(self, forward: WrittenLoop, body: Body) -> None:
        """Of a loop whose body is written forwards."""
        self.forward, self.body, self.borders = forward, body, forward.borders
        self.scope = atoms.twin(body.scope, current())
        self.carry, self.item = self._seed("dc", body.next), self._seed("dy", body.item)
        self.sums: list[Var] = []
        self.residuals: list[Var] = []

    def _seed(self, wish: str, result: Given | None) -> Var | None:
        if result is None or not is_smooth(result.term.type):
            return None
        return atoms.seed(self.scope, wish, result.term)

    def write(self, machine: Machine) -> Written:
        """Write the body backwards."""
        body, of_row = self.body, tangent_of(self.body.row.type)
        with entered(self.scope):
            after, item = [
                None if result is None or var is None else result.returned(Atom(var))
                for result, var in ((body.next, self.carry), (body.item, self.item))
            ]
            start = self.forward.types.joined(after, item, _sparse)
            pulled = yield from self.borders.pulled(machine, body.tape, start, body.start)
            captured, before, row = body.split(pulled)
            carried = [] if self.carry is None else [dense(before, self.carry.type)]
            function = self.borders.term(body.function, self.forward.types.function)[1]
            self.held, rows = layout_of_context(captured, tangent_of(function.type)), []
            terms = zip(leaves(self.held, captured), are_put(self.held), strict=True)
            for leaf, is_put in terms:
                if is_put:
                    rows.append(leaf)
                else:
                    self.sums.append(self.scope.parameter("total", leaf.type))
                    carried.append(atoms.plus(Atom(self.sums[-1]), leaf))
            self.gives_row = row is not None and is_smooth(of_row)
            rows += [dense(row, of_row)] if self.gives_row else []
        self.block = _round(self.scope, carried, rows)
        owned = self.block.owned_by(body.scope)
        self.residuals = [var for var in owned if var is not body.row]
        self.again = len(self.residuals) < len(owned)

    def step(self, value: Any, residuals: Atom | None) -> Step:
        """The step that writes the loop backwards."""

        def transpose(machine: Machine) -> None:
            cotangent = machine.stack[-1]
            if cotangent is not None:
                machine.stack[-1] = self._pulled(cotangent, value, residuals)

        return transpose

    def _pulled(self, cotangent: Cotangent, value: Any, residuals: Atom | None) -> Cotangent:
        """The cotangents of the loop's arguments."""
        types, body, block = self.forward.types, self.body, self.block
        assert block is not None
        carry, items = types.halves(cotangent, lambda whole, index: opened(whole).get(index))
        kept = types.halves(value, operator.getitem)[1]
        taken: list[tuple[Atom, list[Var]]] = []
        init = [] if self.carry is None else [dense(carry, self.carry.type)]
        if residuals is not None:
            taken.append((residuals, self.residuals))
        if self.item is not None:
            taken.append((dense(items, tangent_of(kept.type)), [self.item]))
        if self.again or not taken:
            taken.append((body.rows.term, [body.row]))
        init += [atoms.zeros(var.type) for var in self.sums]
        lam = self._function([(row_of(source.type), names) for source, names in taken], block.body)
        stack = atoms.bundled([source for source, _ in taken])
        kinds = are_put(self.held)
        mentioned = tuple(block.beyond(self.scope, body.scope))
        rounds = sum(kinds) + self.gives_row
        last, rows = _loop(lam, mentioned, init, stack, rounds, reverse=not types.reverse)
        before = last.pop(0) if self.carry is not None else None
        row = rows.pop() if self.gives_row else None
        sums, stacks = iter(last), iter(rows)
        terms = iter([next(stacks if is_put else sums) for is_put in kinds])
        captured = cotangent_of(self.held, terms, stacked=True)
        start = [] if body.init is None else [body.init.returned(before)]
        return _sparse(captured, *start, body.rows.returned(row))

    def _function(self, sources: list[tuple[Object, list[Var]]], body: Term) -> Lam:
        """The round as a function of what is carried and of the row."""
        names, bindings = self.scope.names, list[tuple[Var, Term]]()
        param = Var(names.fresh("row"), packed(tuple(obj for obj, _ in sources)))
        for index, (_, variables) in enumerate(sources):
            whole: Term = param if len(sources) == 1 else Proj(index, param)
            bindings += atoms.opening(variables, whole)
        carried = [var for var in (self.carry, *self.sums) if var is not None]
        if len(carried) <= 1:
            return Lam((*carried, param), atoms.binding(bindings, body))
        carry = Var(names.fresh("c"), Product(*(var.type for var in carried)))
        return Lam((carry, param), atoms.binding(atoms.opening(carried, carry) + bindings, body))


def _pair(carry: Any, kept: Any) -> Any:
    return carry, kept


def _sparse(*parts: Cotangent) -> Cotangent:
    return nonzero(enumerate(parts))


def _round(scope: Scope, carried: list[Atom], items: list[Atom]) -> ClosedBlock:
    """A round that gives what it carries and what is kept, each one as it is or as a tuple."""
    halves = [pack(tuple(atom.term for atom in half)) for half in (carried, items) if half]
    with entered(scope):
        return ClosedBlock(*scope.close(halves[0] if len(halves) == 1 else Tuple(tuple(halves))))


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
    start = atoms.bundled(init).term if init else None
    whole = atoms.write(loop_term(operation, function, start, rows.term), captured=captured)
    last, stacks = (whole[0], whole[1]) if init and kept else (whole, whole)
    return atoms.unbundled(last, len(init)), atoms.unbundled(stacks, kept)
