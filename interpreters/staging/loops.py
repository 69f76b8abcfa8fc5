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
from collections.abc import Sequence
from typing import Any

from combinators.objects import Object, Product, Tensor
from combinators.operation import Operation
from combinators.primitives.loops import LoopType, loop_term, looping
from combinators.terms import Lam, Proj, Term, Tuple, Var, pack, packed
from combinators.tracing.scope import Scope, current, entered
from combinators.type_folds import is_smooth, row_of, tangent_of
from interpreters.execution.machine import Machine, Step, Written, nothing, settled
from interpreters.execution.running import Closure, Code
from interpreters.sparse_cotangents import Cotangent, nonzero, opened
from interpreters.staging import atoms
from interpreters.staging import cotangent_layouts as layouts
from interpreters.staging.atoms import Atom, ClosedBlock
from interpreters.staging.borders import Borders, Given, Plain

SMALL = 64
"""What has so many numbers may be kept for each round, and summed after all of them."""


class WrittenLoop:
    """A loop at given types, as it is written once, forwards and backwards."""

    carry: Var | None = None
    row: Var
    next: Given | None
    """The carry that a round gives."""
    item: Given | None
    """What a round gives to be kept."""
    block: ClosedBlock | None = None
    """The body backwards."""
    held: layouts.Layout = None
    """What comes of the cotangent of what the body captures: of each term, parts to be put are kept
    a row a round, and the others summed, in the variables ``sums``."""
    kept: Sequence[bool] = ()
    """Which of these terms are kept, a row a round."""
    gives_row = False
    """Whether the body backwards gives a cotangent of the sequence's row."""

    def __init__(self, borders: Borders, types: LoopType, *, apart: bool = False) -> None:
        """``apart`` says that its rounds are to stay so: small sums are of rows that it keeps."""
        self.borders, self.types, self.apart = borders, types, apart
        self.scope = Scope(current(), "a loop")
        self.sums: list[Var] = []
        self.owned: list[Var] = []
        """What the body backwards mentions of the body forwards."""

    @property
    def residuals(self) -> list[Var]:
        """What is kept of each round; the rows of the sequence are there already."""
        return [var for var in self.owned if var is not self.row]

    def write(self, machine: Machine, in_loops: set[Code]) -> Written:
        """Write the loop, and leave what writes it backwards; some code is ``in_loops`` already."""
        self.function, *start, xs = machine.stack.pop()
        shape, own = self.borders.term(xs, self.types.xs)
        self.rows = Given(shape, own, own)
        if self.types.is_associative or not isinstance(
            shape, Plain
        ):  # it combines what moves alike
            self.rows = yield from self.borders.given(machine, xs, self.types.xs)
        self.init = yield from self._given(machine, start[0] if start else None, self.types.carry)
        self.inlined = isinstance(self.function, Closure) and self.function.code not in in_loops
        if self.inlined:
            in_loops.add(self.function.code)
        tape = yield from self._body(machine)
        mode = self.borders.mode
        if mode.reverses and is_smooth(self.types.function.cod):
            yield from self._back(machine, tape)
        value, residuals = self._forwards()
        machine.stack.append(value)
        if mode.reverses:
            machine.tape.append(nothing if self.block is None else self._step(value, residuals))

    def _given(self, machine: Machine, value: Any, obj: Object | None) -> Written:
        return None if obj is None else (yield from self.borders.given(machine, value, obj))

    def _body(self, machine: Machine) -> Written:
        """The function, applied once to variables."""
        types, borders, function = self.types, self.borders, self.function
        with entered(self.scope):
            if types.carry is not None:
                self.carry, before = borders.parameter(self.scope, "c", types.carry)
            self.row = self.scope.parameter("x", row_of(self.rows.term.type))
            shape, plain = self.rows.shape, borders.plain_shape(types.row)
            if isinstance(shape, Plain) and not types.is_associative:
                plain = borders.still(types.row, moves=shape.moves)
            row = borders.value(plain, Atom(self.row))
            argument = row if types.carry is None else (before, row)
            arrow = function.code.arrow if self.inlined else borders.mode.eval(types.function)
            self.start = [*function.env, argument] if self.inlined else (function, argument)
            made, tape = yield from machine.forwards(arrow.enter, self.start)
            made = settled(made, types.function.cod)
            carried, kept = types.halves(made, operator.getitem)
            self.next = yield from self._given(machine, carried, types.carry)
            self.item = yield from self._given(machine, kept, types.item)
        return tape

    def _back(self, machine: Machine, tape: list[Step]) -> Written:
        """The body backwards."""
        self.back_scope = scope = atoms.twin(self.scope, current())
        self.dc, self.dy = self._seed("dc", self.next), self._seed("dy", self.item)
        of_row, rows = tangent_of(self.row.type), []
        with entered(scope):
            after = self.next and self.dc and self.next.returned(Atom(self.dc))
            item = self.item and self.dy and self.item.returned(Atom(self.dy))
            given = self.types.joined(after, item, _sparse)
            pulled = yield from self.borders.pulled(machine, tape, given, self.start)
            captured, before, row = self._split(pulled)
            carried = [] if self.dc is None else [layouts.dense(before, self.dc.type)]
            obj = self.borders.term(self.function, self.types.function)[1].type
            self.held = layouts.layout_of_context(captured, tangent_of(obj))
            leaves = layouts.leaves(self.held, captured)
            self.kept = [
                is_put or (self.apart and isinstance(leaf.type, Tensor) and leaf.type.size <= SMALL)
                for leaf, is_put in zip(leaves, layouts.are_put(self.held), strict=True)
            ]
            for leaf, is_kept in zip(leaves, self.kept, strict=True):
                if is_kept:
                    rows.append(leaf)
                else:
                    self.sums.append(scope.parameter("total", leaf.type))
                    carried.append(atoms.plus(Atom(self.sums[-1]), leaf))
            self.gives_row = row is not None and is_smooth(of_row)
            rows += [layouts.dense(row, of_row)] if self.gives_row else []
        self.block = _round(scope, carried, rows)
        self.owned = self.block.owned_by(self.scope)

    def _seed(self, wish: str, result: Given | None) -> Var | None:
        if result is None or not is_smooth(result.term.type):
            return None
        return self.back_scope.parameter(wish, tangent_of(result.term.type))

    def _split(self, pulled: Cotangent) -> tuple[Cotangent, Cotangent, Cotangent]:
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

    def _forwards(self) -> tuple[Any, Atom | None]:
        """The loop forwards: its value, and the rows of its residuals."""
        with entered(self.scope):
            kept = atoms.record(self.residuals)
        carried = [] if self.next is None else [self.next.term]
        items = [item for item in (self.item and self.item.term, kept) if item is not None]
        block = _round(self.scope, carried, items)
        function = Lam(tuple(var for var in (self.carry, self.row) if var is not None), block.body)
        start = [] if self.init is None else [self.init.term]
        types, value = self.types, self.borders.plain_value
        last, stacks = _loop(
            looping(
                carries=bool(start),
                keeps=bool(items),
                reverse=types.reverse,
                sequential=not types.is_associative,
            ),
            function,
            block.captured,
            start,
            self.rows.term,
            len(items),
        )
        carry = None if types.carry is None else value(types.carry, last[0])
        stack = None if types.stack is None else value(types.stack, stacks[0])
        whole = types.joined(carry, stack, lambda *both: both)
        return whole, stacks[-1] if kept is not None else None

    def _step(self, value: Any, residuals: Atom | None) -> Step:
        """The step that writes the loop backwards."""

        def transpose(machine: Machine) -> None:
            if machine.stack[-1] is not None:
                machine.stack[-1] = self._pulled(machine.stack[-1], value, residuals)

        return transpose

    def _pulled(self, cotangent: Cotangent, value: Any, residuals: Atom | None) -> Cotangent:
        """The cotangents of the loop's arguments."""
        types = self.types
        carry, items = types.halves(cotangent, lambda whole, index: opened(whole).get(index))
        kept = types.halves(value, operator.getitem)[1]
        taken: list[tuple[Atom, list[Var]]] = []
        init = [] if self.dc is None else [layouts.dense(carry, self.dc.type)]
        if residuals is not None:
            taken.append((residuals, self.residuals))
        if self.dy is not None:
            taken.append((layouts.dense(items, tangent_of(kept.type)), [self.dy]))
        if self.row in self.owned or not taken:
            taken.append((self.rows.term, [self.row]))
        init += [atoms.zeros(var.type) for var in self.sums]
        assert self.block is not None
        lam = self._function([(row_of(source.type), names) for source, names in taken], self.block)
        stack = atoms.bundled([source for source, _ in taken])
        mentioned = tuple(self.block.beyond(self.back_scope, self.scope))
        rounds = sum(self.kept) + self.gives_row
        operation = looping(carries=bool(init), keeps=bool(rounds), reverse=not types.reverse)
        last, rows = _loop(operation, lam, mentioned, init, stack, rounds)
        before = last.pop(0) if self.dc is not None else None
        row = rows.pop() if self.gives_row else None
        sums, stacks = iter(last), iter(rows)
        terms = [next(stacks if is_kept else sums) for is_kept in self.kept]
        for index, is_put in enumerate(layouts.are_put(self.held)):
            if self.kept[index] and not is_put:
                terms[index] = atoms.library("sum", terms[index], axis=0)
        captured = layouts.cotangent_of(self.held, iter(terms), stacked=True)
        start = [] if self.init is None else [self.init.returned(before)]
        return _sparse(captured, *start, self.rows.returned(row))

    def _function(self, sources: list[tuple[Object, list[Var]]], block: ClosedBlock) -> Lam:
        """The round backwards as a function of what is carried and of the row."""
        names, bindings = self.back_scope.names, list[tuple[Var, Term]]()
        param = Var(names.fresh("row"), packed(tuple(obj for obj, _ in sources)))
        for index, (_, variables) in enumerate(sources):
            whole: Term = param if len(sources) == 1 else Proj(index, param)
            bindings += atoms.opening(variables, whole)
        carried = [var for var in (self.dc, *self.sums) if var is not None]
        if len(carried) <= 1:
            return Lam((*carried, param), atoms.binding(bindings, block.body))
        carry = Var(names.fresh("c"), Product(*(var.type for var in carried)))
        bindings = atoms.opening(carried, carry) + bindings
        return Lam((carry, param), atoms.binding(bindings, block.body))


def _sparse(*parts: Cotangent) -> Cotangent:
    return nonzero(enumerate(parts))


def _round(scope: Scope, carried: list[Atom], items: list[Atom]) -> ClosedBlock:
    """A round that gives what it carries and what is kept, each one as it is or as a tuple."""
    halves = [pack(tuple(atom.term for atom in half)) for half in (carried, items) if half]
    with entered(scope):
        return ClosedBlock(*scope.close(halves[0] if len(halves) == 1 else Tuple(tuple(halves))))


def _loop(
    operation: Operation,
    function: Lam,
    captured: tuple[Var, ...],
    init: list[Atom],
    rows: Atom,
    kept: int,
) -> tuple[list[Atom], list[Atom]]:
    """The loop of a λ that captures, written into the current scope: the last carries, the stacks.

    It carries what ``init`` is, and keeps so many things of each round; of neither there is none.
    """
    if not init and not kept:
        return [], []
    start = atoms.bundled(init).term if init else None
    whole = atoms.write(loop_term(operation, function, start, rows.term), captured=captured)
    last, stacks = (whole[0], whole[1]) if init and kept else (whole, whole)
    return atoms.unbundled(last, len(init)), atoms.unbundled(stacks, kept)
