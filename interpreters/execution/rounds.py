"""Loops in any mode: rounds of the mode's own ``eval``, and their transpose.

A loop may carry, keep, or both; what it does not is not there on the stack either. Backwards, the
rounds' cotangents are met in reverse order; one accumulator stands on the stack between them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

from combinators.objects import Object, Product, Tensor, Vector, components
from combinators.operation import Operation
from combinators.primitives.loops import LoopType
from combinators.rows import row_of
from combinators.type_folds import is_smooth
from interpreters.carriers.carrier import Carrier
from interpreters.execution.machine import Arrow, Machine, Step, settled
from interpreters.tangents.cotangents import plus
from interpreters.tangents.dense import zeros
from interpreters.tangents.scattered import gathered

Leave = Callable[[Machine, Step], None]
"""Leave what undoes a step on the tape, in a mode that keeps one."""


def take_row(carrier: Carrier, stack: Any, obj: Object, index: int) -> Any:
    """Row ``index`` of a tensor, a vector, or a tuple or record of them."""
    product = components(obj)
    if product is not None:
        return tuple(
            take_row(carrier, part, o, index) for part, o in zip(stack, product.parts, strict=False)
        )
    return stack[index] if isinstance(obj, Vector) else carrier.row(stack, index)


def stack_rows(carrier: Carrier, rows: list[Any], obj: Object) -> Any:
    """The stack of type ``obj`` with these rows."""
    product = components(obj)
    if product is not None:
        return tuple(
            stack_rows(carrier, [row[i] for row in rows], part)
            for i, part in enumerate(product.parts)
        )
    return carrier.stack(rows, obj) if isinstance(obj, Tensor) else tuple(rows)


def row_cotangent(carrier: Carrier, cotangent: Any, obj: Object, index: int) -> Any:
    """The cotangent of row ``index``, given that of the stack."""
    if cotangent is None:
        return None
    product = components(obj)
    if product is None:
        if isinstance(obj, Vector):
            return cotangent.get(index)
        return carrier.row(cotangent, index)
    parts = product.parts
    rows = {i: row_cotangent(carrier, g, parts[i], index) for i, g in cotangent.items()}
    return {i: g for i, g in rows.items() if g is not None} or None


def gathered_rows(carrier: Carrier, cotangent: Any, obj: Object) -> Any:
    """The cotangent of a stack, with its tensors as numbers, so that rows can be taken."""
    product = components(obj)
    if product is None or cotangent is None:
        return gathered(cotangent, carrier)
    parts = product.parts
    return {i: gathered_rows(carrier, g, parts[i]) for i, g in cotangent.items()}


def stack_cotangents(carrier: Carrier, rows: list[Any], obj: Object) -> Any:
    """The cotangent of a stack of type ``obj``, given those of its rows."""
    if not is_smooth(obj) or all(row is None for row in rows):
        return None
    product = components(obj)
    if product is not None:
        parts = {
            i: stack_cotangents(carrier, [row and row.get(i) for row in rows], part)
            for i, part in enumerate(product.parts)
        }
        return {i: g for i, g in parts.items() if g is not None} or None
    if not isinstance(obj, Tensor):
        return {i: row for i, row in enumerate(rows) if row is not None}
    item = row_of(obj)
    assert isinstance(item, Tensor)
    zero = zeros(carrier, item)
    return carrier.stack([zero if row is None else gathered(row, carrier) for row in rows], obj)


class Rounds:
    """A loop at given types, as a step of a mode."""

    def __init__(self, operation: Operation, dom: Object, carrier: Carrier) -> None:
        """``dom`` is the product of its arguments."""
        assert isinstance(dom, Product)
        self.carrier, self.types = carrier, LoopType.of(operation, dom.parts)
        self.xs, self.stack = self.types.xs, self.types.stack
        self.rounds = self.types.rounds

    def forward(self, evaluate: Arrow, leave: Leave) -> Step:
        """The rounds, each an application of the function by ``evaluate``."""
        types = self.types

        def step(machine: Machine) -> Iterator[Step]:
            function, *start, xs = machine.stack.pop()
            carry = start[0] if start else None
            kept: list[Any] = []
            leave(machine, self.finish)
            for i in self.rounds:
                row = take_row(self.carrier, xs, self.xs, i)
                machine.stack.append((function, (carry, row) if start else row))
                leave(machine, self.collect)
                yield evaluate.enter
                leave(machine, self.feed)
                made = settled(machine.stack.pop(), types.function.cod)
                carry, item = types.halves(made, operator.getitem)
                kept.append(item)
            leave(machine, self.start)
            stack = None
            if self.stack is not None:
                rows = kept[::-1] if types.reverse else kept
                stack = stack_rows(self.carrier, rows, self.stack)
            machine.stack.append(types.joined(carry, stack, _pair))

        return step

    def start(self, machine: Machine) -> None:
        """Backwards, first: the result's cotangent becomes an accumulator."""
        carry, stack = self.types.halves(machine.stack.pop(), _part)
        if stack is not None and self.stack is not None:
            stack = gathered_rows(self.carrier, stack, self.stack)
        machine.stack.append(_Accumulator(carry, stack, len(self.rounds)))

    def feed(self, machine: Machine) -> None:
        """Backwards, before a round: the cotangent of the function's result."""
        total: _Accumulator = machine.stack[-1]
        total.round -= 1
        at = total.at = self.rounds[total.round]
        item = (
            None if self.stack is None else row_cotangent(self.carrier, total.stack, self.stack, at)
        )
        machine.stack.append(self.types.joined(total.carry, item, _sparse))

    def collect(self, machine: Machine) -> None:
        """Backwards, after a round: the cotangents of the function and of its argument."""
        cotangent = machine.stack.pop() or {}
        total: _Accumulator = machine.stack[-1]
        total.function = plus(total.function, cotangent.get(0), self.carrier.add)
        argument = cotangent.get(1)
        if self.types.carry is not None:
            total.carry, argument = _part(argument, 0), _part(argument, 1)
        total.rows[total.at] = argument

    def finish(self, machine: Machine) -> None:
        """Backwards, last: the cotangents of the loop's arguments."""
        total: _Accumulator = machine.stack.pop()
        xs = stack_cotangents(self.carrier, total.rows, self.xs)
        carries = self.types.carry is not None
        parts = (total.function, total.carry, xs) if carries else (total.function, xs)
        machine.stack.append(_sparse(*parts))


def _pair(carry: Any, kept: Any) -> Any:
    return carry, kept


def _part(cotangent: Any, index: int) -> Any:
    """A component of a sparse cotangent."""
    return cotangent and cotangent.get(index)


def _sparse(*parts: Any) -> Any:
    """The sparse cotangent with these components."""
    return {i: g for i, g in enumerate(parts) if g is not None} or None


class _Accumulator:
    """What a reversed loop holds between its rounds."""

    __slots__ = ("at", "carry", "function", "round", "rows", "stack")

    def __init__(self, carry: Any, stack: Any, length: int) -> None:
        self.carry, self.stack, self.round, self.at = carry, stack, length, length
        self.function: Any = None
        self.rows: list[Any] = [None] * length
