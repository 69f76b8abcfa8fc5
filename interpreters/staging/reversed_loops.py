"""Loops backwards: a loop from the last round to the first.

What its body mentions of the body forwards goes there as residuals, a row a round, but for the row
of the loop's own sequence, which is taken again. Cotangents of what the body captures are carried
and summed; parts that are to be put into an array are kept, a row a round, and put after the loop.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from combinators.objects import Product
from combinators.rows import row_of
from combinators.terms import Lam, Proj, Term, Var, packed
from combinators.tracing.scope import current, entered
from combinators.type_folds import is_smooth, tangent_of
from interpreters.execution.machine import Machine, Step
from interpreters.staging.atoms import Atom
from interpreters.staging.blocks import (
    Closed,
    Written,
    backwards,
    binding,
    bundled,
    opening,
    twin,
)
from interpreters.staging.gathering import Gathered, gather
from interpreters.staging.loops import Body, Given, WrittenLoop, loop, round_of
from interpreters.staging.skeletons import dense
from interpreters.tangents.cotangents import Cotangent, opened

if TYPE_CHECKING:
    from combinators.objects import Object


class Reversed:
    """A loop's pullback: its body, written once, and the loop, written at each use."""

    def __init__(
        self, forward: WrittenLoop, function: Any, init: Given | None, rows: Given, body: Body
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
            pulled = yield from control.settled(mode, machine, pulled, self.body.start)
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
        self.block = round_of(self.scope, carried, self.gathered.rows)
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
        return self.forward.types.joined(*halves, sparse)

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
                machine.stack[-1] = sparse(*self._loop(cotangent, value, residuals))

        return transpose

    def _loop(self, cotangent: Cotangent, value: Any, residuals: Atom | None) -> list[Cotangent]:
        """The cotangents of the loop's arguments."""
        assert self.block is not None
        carry, items = self._results(cotangent, value)
        gathering, rows = self.gathered.gathering, self.gathered.rows
        taken = self._sequence(items, residuals)
        init = ([carry] if carry is not None else []) + gathering.start()
        lam = self._function([source for source, _ in taken], [opened for _, opened in taken])
        stack = bundled([source for source, _ in taken])
        reverse = not self.forward.types.reverse
        whole = loop(lam, self._mentioned(), init, stack, len(rows), reverse=reverse)
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


def sparse(*parts: Cotangent) -> Cotangent:
    """The cotangent with these components; None where none of them is there."""
    return {i: g for i, g in enumerate(parts) if g is not None} or None
