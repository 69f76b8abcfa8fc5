"""Associative loops in programs: their derivatives are scans and maps.

Of ``y = reduce (∘) u xs``, at a cotangent dy of it, there is written (000, Figs. 5, 13, 16 and 17,
but for two slips of theirs: see ``docs/programs.md``)

    s        = scanl (∘) u xs                              what stands before each row
    c        = dy · scanr (*) 1 (map2 ∂₁(∘) s xs)          how much it counts, with its row
    dxs, dop = map2 (λs x. ∂(s ∘ x)ᵀ c) s xs               what comes of it, a row a round
    du       = ∂₁(u ∘ x₀) · c₀

Of a scan each row of the stack has a cotangent g of its own, and what counts solves a recurrence,
``cᵢ = gᵢ + ∂₁(sᵢ ∘ xᵢ)ᵀ cᵢ₊₁``. That of numbers is the language's own; else it is a ``scanr`` of
affine maps ``c ↦ g + ∂₁(s ∘ x)ᵀ c``, and so are the products above, without a g. No Jacobian is
laid out: since ∘ is associative, a product of them is the one at one row. Each stands as (s, x, g),

    (s, x, g) after (t, y, h) = (s, x ∘ y, g + ∂₁(s ∘ x)ᵀ h)
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from combinators.literal import Literal
from combinators.objects import Product, Tensor
from combinators.operation import Operation
from combinators.primitives.arithmetic import scale
from combinators.primitives.loops import MAP, LoopType, loop_term, looping
from combinators.primitives.reductions import exclusive_cumprod, recurrence
from combinators.terms import Const, Lam
from combinators.tracing.emit import operand
from combinators.tracing.scope import Scope, current, entered
from combinators.type_folds import is_first_order, is_smooth, row_of, tangent_of
from interpreters.execution.machine import Machine, Written, settled
from interpreters.execution.running import Closure, Code
from interpreters.sparse_cotangents import Cotangent, nonzero, opened
from interpreters.staging import atoms
from interpreters.staging import cotangent_layouts as layouts
from interpreters.staging.atoms import Atom, traced
from interpreters.staging.borders import Borders, Given
from interpreters.staging.loops import WrittenLoop

Body = Callable[..., Written]
"""What a round gives, as an atom, of its parameters as atoms."""


class WrittenAssociative:
    """An associative loop over numbers at given types, in a mode that reverses."""

    def __init__(self, borders: Borders, types: LoopType, in_loops: set[Code]) -> None:
        self.borders, self.types, self.in_loops = borders, types, in_loops
        assert types.carry is not None
        self.carry, self.tangent = types.carry, tangent_of(types.carry)
        self.is_number = isinstance(types.carry, Tensor) and not types.carry.shape

    @staticmethod
    def takes(types: LoopType) -> bool:
        """Whether an associative loop is over numbers, and what is carried has a tangent."""
        carry, cod = types.carry, types.function.cod
        is_plain = carry is not None and is_first_order(carry) and is_first_order(cod)
        return is_plain and carry is not None and is_smooth(carry)

    def write(self, machine: Machine) -> Written:
        """Write the loop, and leave what writes it backwards."""
        self.function, init, xs = machine.stack.pop()
        self.inlined = (
            isinstance(self.function, Closure) and self.function.code not in self.in_loops
        )
        self.others = set(self.in_loops)
        if self.inlined:
            self.in_loops.add(self.function.code)
        self.init: Given = yield from self.borders.given(machine, init, self.carry)
        self.xs: Given = yield from self.borders.given(machine, xs, self.types.xs)

        def body(c: Atom, x: Atom) -> Written:
            value, *_ = yield from self._run(machine, c, x)
            return (yield from self.borders.given(machine, value, self.types.function.cod)).term

        whole = yield from self._loop(self.types.operation, body, self.init.term, self.xs.term)
        machine.stack.append(whole)
        machine.tape.append(self._back)

    def _back(self, machine: Machine) -> Written:
        """The cotangents of the loop's arguments, from that of its value."""
        types, cotangent = self.types, machine.stack.pop()
        if cotangent is None:
            machine.stack.append(None)
            return
        last, items = types.halves(cotangent, lambda whole, index: opened(whole).get(index))
        if items is not None and types.stack is not None:
            items = layouts.dense(items, tangent_of(types.stack))
        before = yield from self._before(machine)
        of = self._of_numbers if self.is_number else self._of_rows
        after, start = yield from of(machine, before, last, items)
        rows = LoopType(
            MAP, types.function, None, Product(before.type, types.xs), types.function.cod
        )
        each = WrittenLoop(self.borders, rows, apart=True)
        _, tape = yield from machine.forwards(
            lambda machine: each.write(machine, self.others),
            (self.function, (before, self.xs.term)),
        )
        counts = after if types.item is None else _sparse(after, items)
        pulled = yield from machine.backwards(tape, counts)
        parts = opened(pulled)
        row = opened(parts[1]).get(1) if parts.get(1) is not None else None
        back = self.init.returned(start), self.xs.returned(row)
        machine.stack.append(_sparse(parts.get(0), *back))

    # ---- what stands before each row, and how much what is carried counts

    def _before(self, machine: Machine) -> Written:
        """What stands before each row."""

        def body(c: Atom, x: Atom) -> Written:
            return atoms.tuple_of(((yield from self._value(machine, c, x)), c))

        operation = looping(reverse=self.types.reverse, sequential=False)
        whole = yield from self._loop(operation, body, self.init.term, self.xs.term)
        return whole[1]

    def _of_numbers(
        self, machine: Machine, before: Atom, last: Cotangent, items: Atom | None
    ) -> Written:
        """By products of derivatives, and the language's own recurrence of what is added."""
        assert isinstance(self.carry, Tensor)
        one, backwards = Atom(Const(Literal(np.ones((), self.carry.dtype)))), not self.types.reverse
        slopes = traced((yield from self._moved(machine, one, before)))
        last = layouts.dense(last, self.tangent)
        if not self.types.length:
            return Atom(operand(slopes)), last
        first = self.types.rounds[0]
        after = scale(traced(last), exclusive_cumprod(slopes, 0, reverse=backwards))
        start = scale(after[first], slopes[first])
        if items is not None:
            added = traced((yield from self._moved(machine, None, before, items)))
            after = after + recurrence(slopes, added, 0, reverse=backwards)
            start = scale(after[first], slopes[first]) + added[first]
        return Atom(operand(after)), Atom(operand(start))

    def _of_rows(
        self, machine: Machine, before: Atom, last: Cotangent, items: Atom | None
    ) -> Written:
        """By a scan of affine maps, from the last row on."""
        added = atoms.zeros(tangent_of(before.type))
        if items is not None:
            added = yield from self._moved(machine, None, before, items)

        def body(c: Atom, x: Atom) -> Written:
            both = yield from self._value(machine, x[1], c[1])
            moved = yield from self._pulled(machine, x[0], x[1], c[2])
            return atoms.tuple_of((atoms.tuple_of((x[0], both, atoms.plus(x[2], moved))), c[2]))

        operation = looping(reverse=not self.types.reverse, sequential=False)
        start = (self.init.term, self.init.term, layouts.dense(last, self.tangent))
        rows = atoms.tuple_of((before, self.xs.term, added))
        first, after = yield from self._loop(operation, body, atoms.tuple_of(start), rows)
        return after, first[2]

    def _moved(self, machine: Machine, c: Atom | None, before: Atom, *items: Atom) -> Written:
        """What comes of each round for what it carries: of ``c``, and of what each item counts."""

        def body(x: Atom) -> Written:
            return (yield from self._pulled(machine, x[0], x[1], c, *[x[2] for _ in items]))

        given = atoms.tuple_of((before, self.xs.term, *items))
        return (yield from self._loop(MAP, body, None, given))

    # ---- rounds

    def _run(self, machine: Machine, a: Any, b: Any) -> Written:
        """What the function gives at two rows, the tape that it left, and where it started."""
        function, arrow = self.function, self.borders.mode.eval(self.types.function)
        start: Any = function, (a, b)
        if self.inlined:
            arrow, start = function.code.arrow, [*function.env, (a, b)]
        value, tape = yield from machine.forwards(arrow.enter, start)
        return settled(value, self.types.function.cod), tape, start

    def _value(self, machine: Machine, a: Any, b: Any) -> Written:
        """``a ∘ b``."""
        value, *_ = yield from self._run(machine, a, b)
        carried = self.types.halves(value, operator.getitem)[0]
        return (yield from self.borders.given(machine, carried, self.carry)).term

    def _pulled(self, machine: Machine, a: Any, b: Any, *cotangent: Cotangent) -> Written:
        """The cotangent of a, from that of ``a ∘ b``, and of what is kept with it."""
        given = cotangent[0] if self.types.item is None else _sparse(*cotangent)
        _, tape, start = yield from self._run(machine, a, b)
        found = yield from self.borders.pulled(machine, tape, given, start)
        at = self.function.code.width if self.inlined else 1
        argument = None if found is None else opened(found).get(at)
        return layouts.dense(None if argument is None else opened(argument).get(0), self.tangent)

    def _loop(self, operation: Operation, body: Body, init: Atom | None, rows: Atom) -> Written:
        """A loop of a λ whose body is written in a scope of its own."""
        scope = Scope(current(), "a loop")
        start = [] if init is None else [("c", init.type)]
        with entered(scope):
            params = [scope.parameter(*each) for each in (*start, ("x", row_of(rows.type)))]
            result = yield from body(*map(Atom, params))
        block = atoms.closed(scope, result)
        lam, first = Lam(tuple(params), block.body), None if init is None else init.term
        term = loop_term(operation, lam, first, rows.term)
        return atoms.write(term, captured=block.captured)


def _sparse(*parts: Cotangent) -> Cotangent:
    return nonzero(enumerate(parts))
