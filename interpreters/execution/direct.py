"""How branches, loops and calls run: the control of a carrier whose numbers can be looked at.

A mode says what is recorded and what a call means; its carrier says whether a branch is taken or
written down. A carrier of numbers has ``Direct``; that of terms brings a control of its own, which
writes. So no mode asks which of the two it runs over.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter
from typing import Any, Protocol

from combinators.errors import TypeMismatch
from combinators.kit.recursion import Recursive, recurse
from combinators.literal import Literal
from combinators.objects import Fun, Object, Product, Tangent, Tensor, Vector, components
from combinators.operation import Operation
from combinators.primitives.loops import LoopType
from combinators.primitives.structural import PACK, PLUS, UNPACK, VECTOR
from combinators.rows import row_of
from combinators.type_folds import is_smooth, parts_of
from interpreters.carriers.carrier import Carrier
from interpreters.execution import steps
from interpreters.execution.machine import Arrow, Machine, Step, settled
from interpreters.sparse_cotangents import Packed, gathered, plus, zeros


def structural(over: Carrier, operation: Operation, obj: Object) -> Callable[..., Any]:
    """What computes ``operation``, with a result or (of ``pack``) an argument of type ``obj``."""
    if operation.primitive is PLUS:
        return lambda x, y: sum_value(over, x, y, obj)
    if operation.primitive is PACK:
        return lambda x: Packed(obj, x)
    if operation.primitive is UNPACK:
        return lambda packed: unpacked(over, packed, obj)
    if operation.primitive is VECTOR:
        return lambda *items: items
    zero = zero_value(over, obj)
    return lambda *_: zero


def zero_value(over: Carrier, obj: Object) -> Any:
    """The zero of ``obj``; a type that stands in many places has one zero."""
    return recurse(_zero(over, obj, {}))


def _zero(over: Carrier, obj: Object, known: dict[Object, Any]) -> Recursive[Any]:
    if obj not in known:
        types = parts_of(obj)
        if types is not None:
            parts = []
            for part in types:
                parts.append((yield _zero(over, part, known)))
            known[obj] = tuple(parts)
        elif isinstance(obj, Tensor):
            known[obj] = over.const(Literal.filled(0, obj))
        elif obj is Tangent:
            known[obj] = None
        else:
            raise TypeMismatch(f"{obj!r} has no zero")
    return known[obj]


def sum_value(over: Carrier, x: Any, y: Any, obj: Object) -> Any:
    """The sum of two values of type ``obj``."""
    return recurse(_sum(over, x, y, obj, {}))


def _sum(
    over: Carrier, x: Any, y: Any, obj: Object, known: dict[tuple[int, int], Any]
) -> Recursive[Any]:
    types = parts_of(obj)
    if types is not None:
        key = id(x), id(y)
        if key not in known:
            parts = []
            for a, b, part in zip(x, y, types, strict=True):
                parts.append((yield _sum(over, a, b, part, known)))
            known[key] = tuple(parts)
        return known[key]
    if obj is not Tangent:
        return over.add(x, y)
    if x is None or y is None:
        return y if x is None else x
    same = _same(x, y)
    total = yield _sum(over, x.value, y.value, same, known)
    return Packed(same, total)


def _same(x: Packed, y: Packed) -> Object:
    if x.obj is not y.obj:
        raise TypeMismatch(
            f"cotangents of two functions, {x.obj!r} and {y.obj!r}, are added: the function values "
            "were taken for one another"
        )
    return x.obj


def unpacked(over: Carrier, packed: Packed | None, obj: Object) -> Any:
    """What was packed; the zero ``Tangent`` gives the zero of ``obj``."""
    if packed is None:
        return zero_value(over, obj)
    if packed.obj is not obj:
        raise TypeMismatch(f"a tangent of {packed.obj!r} is unpacked as one of {obj!r}")
    return packed.value


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


Erasure = tuple[Callable[[Any], Any], Callable[[Any], Any]]
"""What makes a ``Tangent`` of a sparse cotangent, and what opens it."""


class Control(Protocol):
    """What a carrier says of the branches, loops and calls of a mode over it."""

    runs: bool
    """Whether numbers are there to be looked at while an arrow runs."""

    def choice(self, mode: Any, then: Arrow, other: Arrow) -> Step:
        """A conditional, on a pair of a boolean and a context."""

    def loop(self, mode: Any, operation: Operation, dom: Object) -> Step:
        """A loop from the product ``dom`` of its arguments."""

    def call(self, mode: Any, function: Fun) -> tuple[Step, ...]:
        """``eval`` of a function and its argument."""

    def recompute(self, mode: Any, function: Fun) -> Step:
        """``eval`` of a function that is run again when it is pulled back."""

    def called(self, mode: Any, code: Any, env: Any) -> Step:
        """From calls of a closure to the cotangent of what it captured (``new_pb`` of Fig. 3)."""

    def structural(self, over: Any, operation: Operation, obj: Object) -> Callable[..., Any]:
        """The algebra of cotangents, with a result or (of ``pack``) an argument of type ``obj``."""

    def erasure(self, obj: Object) -> Erasure:
        """``pack`` and ``unpack`` of sparse cotangents of type ``obj``."""


class Direct:
    """A branch is taken, a loop is its rounds, a call goes to the closure's code."""

    runs = True

    def choice(self, mode: Any, then: Arrow, other: Arrow) -> Step:
        """Enter the branch that the first component chooses."""
        truth = mode.over.truth

        def choose(machine: Machine) -> Iterator[Step]:
            test, machine.stack[-1] = machine.stack[-1]
            return iter(then.steps if truth(test) else other.steps)

        step: Step = mode.record(steps.Reversible(choose, steps.second))
        return step

    def loop(self, mode: Any, operation: Operation, dom: Object) -> Step:
        """Rounds of the mode's own ``eval``."""
        assert isinstance(dom, Product)
        rounds = Rounds(operation, dom, mode.over)
        return rounds.forward(mode.eval(dom.parts[0]), mode.leave)

    def call(self, mode: Any, function: Fun) -> tuple[Step, ...]:
        """As the mode enters a closure."""
        found: tuple[Step, ...] = mode.entering(function)
        return found

    def recompute(self, mode: Any, function: Fun) -> Step:
        """As the mode runs a function again."""
        step: Step = mode.run_again(function)
        return step

    def called(self, mode: Any, code: Any, env: Any) -> Step:
        """Every call, run again."""
        return partial(mode.pull_calls, code, env)

    def structural(self, over: Any, operation: Operation, obj: Object) -> Callable[..., Any]:
        """By components."""
        return structural(over, operation, obj)

    def erasure(self, obj: Object) -> Erasure:
        """The cotangent with its type."""
        return partial(Packed, obj), attrgetter("value")
