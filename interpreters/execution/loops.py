"""Loops in any mode: rounds of the mode's own ``eval``, and their transpose.

``fold``, ``scan`` and ``map`` differ in what they pass to the function and in what they keep.
Backwards, the rounds' cotangents are met in reverse order; one accumulator stands on the stack
between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from combinators.objects import Object, Tensor, Vector, components
from combinators.operation import Operation
from combinators.primitives.loops import FOLD, MAP, SCAN
from combinators.rows import length_of, row_of
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


class Loop:
    """``fold``, ``scan`` or ``map`` at given types, as a step of a mode."""

    def __init__(self, operation: Operation, dom: Object, cod: Object, carrier: Carrier) -> None:
        """The types are those of the arrow."""
        self.carrier, self.cod = carrier, cod
        primitive = operation.primitive
        self.carries, self.keeps = primitive != MAP.primitive, primitive != FOLD.primitive
        product = components(dom)
        assert product is not None
        self.xs = product.parts[-1]
        self.length = length_of(self.xs)
        rounds = range(self.length)
        self.rounds = rounds[::-1] if operation.keywords.get("reverse") else rounds
        self.carry = product.parts[1] if self.carries else None
        kept = components(cod) if primitive == SCAN.primitive else None
        self.ys = kept.parts[1] if kept is not None else cod if self.keeps else None

    def forward(self, evaluate: Arrow, leave: Leave) -> Step:
        """The rounds, each an application of the function by ``evaluate``."""

        def step(machine: Machine) -> Iterator[Step]:
            function, *carry, xs = machine.stack.pop()
            kept: list[Any] = []
            leave(machine, self.finish)
            for i in self.rounds:
                row = take_row(self.carrier, xs, self.xs, i)
                machine.stack.append((function, (*carry, row) if self.carries else row))
                leave(machine, self.collect)
                yield evaluate.enter
                leave(machine, self.feed)
                self._split(machine.stack.pop(), carry, kept)
            leave(machine, self.start)
            machine.stack.append(self._result(carry, kept))

        return step

    def _split(self, result: Any, carry: list[Any], kept: list[Any]) -> None:
        if self.carries and self.keeps:
            carry[0], y = result[0], result[1]
            kept.append(y)
        elif self.carries and self.carry is not None:
            carry[0] = settled(result, self.carry)
        else:
            kept.append(settled(result, row_of(self.ys)) if self.ys is not None else result)

    def _result(self, carry: list[Any], kept: list[Any]) -> Any:
        if self.ys is None:
            return carry[0]
        rows = kept if self.rounds.step > 0 else kept[::-1]
        ys = stack_rows(self.carrier, rows, self.ys)
        return (carry[0], ys) if self.carries else ys

    def start(self, machine: Machine) -> None:
        """Backwards, first: the result's cotangent becomes an accumulator."""
        cotangent = machine.stack.pop()
        both = self.carries and self.keeps
        carry = (cotangent and cotangent.get(0)) if both else cotangent if self.carries else None
        ys = (cotangent and cotangent.get(1)) if both else None if self.carries else cotangent
        if ys is not None and self.ys is not None:
            ys = gathered_rows(self.carrier, ys, self.ys)
        machine.stack.append(_Accumulator(carry, ys, self.length))

    def feed(self, machine: Machine) -> None:
        """Backwards, before a round: the cotangent of the function's result."""
        total: _Accumulator = machine.stack[-1]
        total.at = self.rounds[total.round - 1]
        total.round -= 1
        if not self.keeps or self.ys is None:
            machine.stack.append(total.carry)
            return
        y = row_cotangent(self.carrier, total.ys, self.ys, total.at)
        if not self.carries:
            machine.stack.append(y)
            return
        parts = {i: g for i, g in enumerate((total.carry, y)) if g is not None}
        machine.stack.append(parts or None)

    def collect(self, machine: Machine) -> None:
        """Backwards, after a round: the cotangents of the function and of its argument."""
        cotangent = machine.stack.pop() or {}
        total: _Accumulator = machine.stack[-1]
        total.function = plus(total.function, cotangent.get(0), self.carrier.add)
        argument = cotangent.get(1)
        if self.carries:
            total.carry = argument and argument.get(0)
            argument = argument and argument.get(1)
        total.rows[total.at] = argument

    def finish(self, machine: Machine) -> None:
        """Backwards, last: the cotangents of the loop's arguments."""
        total: _Accumulator = machine.stack.pop()
        xs = stack_cotangents(self.carrier, total.rows, self.xs)
        parts = (total.function, total.carry, xs) if self.carries else (total.function, xs)
        machine.stack.append({i: g for i, g in enumerate(parts) if g is not None} or None)


class _Accumulator:
    """What a reversed loop holds between its rounds."""

    __slots__ = ("at", "carry", "function", "round", "rows", "ys")

    def __init__(self, carry: Any, ys: Any, length: int) -> None:
        self.carry, self.ys, self.round, self.at = carry, ys, length, length
        self.function: Any = None
        self.rows: list[Any] = [None] * length
