"""How branches, loops and calls run: the control of a mode whose numbers can be looked at.

A mode says what is recorded and what a call means; its carrier says whether a branch is taken or
written down. A carrier of numbers has ``Direct``; that of terms brings a control of its own, which
writes. So no mode asks which of the two it runs over.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter
from typing import Any

from combinators.errors import TypeMismatch, WrongAlternative
from combinators.literal import Literal
from combinators.objects import (
    Fun,
    Object,
    Product,
    Sum,
    Tagged,
    Tangent,
    Tensor,
    Vector,
    components,
)
from combinators.operation import Operation, check_size
from combinators.primitives.loops import LoopType
from combinators.primitives.structural import PACK, PLUS, UNPACK, VECTOR
from combinators.primitives.sums import INJECT, IS, SUMS, TAG
from combinators.spaces import Space
from combinators.type_folds import columns_of, is_smooth, row_of
from combinators.value_folds import Injected, map_leaves
from interpreters.carriers.carrier import Carrier
from interpreters.execution.machine import Arrow, Machine, Reversible, Step, Written, settled
from interpreters.sparse_cotangents import Cotangent, Packed, gathered, nonzero, plus, zeros

Erasure = tuple[Callable[[Any], Any], Callable[[Any], Any]]
"""What makes a ``Tangent`` of a sparse cotangent, and what opens it."""


class Direct:
    """A branch is taken, a loop is its rounds, a call goes to the closure's code.

    A carrier that writes has a ``control`` of its own, with these methods.
    """

    runs = True
    """Whether numbers are there to be looked at while an arrow runs."""

    def __init__(self, mode: Any) -> None:
        self.mode = mode

    def choice(self, then: Arrow, other: Arrow) -> Step:
        """A conditional, on a pair of a boolean and a context."""
        truth = self.mode.over.truth

        def choose(machine: Machine) -> Iterator[Step]:
            test, machine.stack[-1] = machine.stack[-1]
            return iter(then.steps if truth(test) else other.steps)

        step: Step = self.mode.record(Reversible(choose, second))
        return step

    def loop(self, operation: Operation, dom: Object) -> Step:
        """A loop from the product ``dom`` of its arguments."""
        assert isinstance(dom, Product)
        return Rounds(self.mode, LoopType.of(operation, dom.parts))

    def call(self, function: Fun) -> tuple[Step, ...]:
        """``eval`` of a function and its argument."""
        found: tuple[Step, ...] = self.mode.entering(function)
        return found

    def fix(self, step: Fun) -> Arrow:
        """``fix`` of a step."""
        arrow: Arrow = self.mode.fix(step)
        return arrow

    def recompute(self, function: Fun) -> Step:
        """``eval`` of a function that is run again when it is pulled back."""
        mode = self.mode
        step: Step = mode.run_again(function) if mode.reverses else mode.eval(function).enter
        return step

    def called(self, code: Any, env: Any) -> Step:
        """From calls of a closure to the cotangent of what it captured (``new_pb`` of Fig. 3)."""
        return partial(self.mode.pull_calls, code, env)

    def structural(self, operation: Operation, obj: Object) -> Callable[..., Any]:
        """The algebra of cotangents, with a result or (of ``pack``) an argument of type ``obj``."""
        over = self.mode.over
        if operation.primitive is PLUS:
            return lambda x, y: map_leaves(partial(_sum, over), obj, x, y)
        if operation.primitive is PACK:
            return partial(Packed, obj)
        if operation.primitive is UNPACK:
            return lambda packed: _unpacked(over, packed, obj)
        if operation.primitive is VECTOR:
            return lambda *items: items
        if operation.primitive in SUMS:
            return _of_sum(operation, obj, over)
        zero = map_leaves(partial(_zero, over), obj)
        return lambda: zero

    def of_sum(self, operation: Operation, dom: Object, cod: Object) -> Arrow:
        """What makes and opens values of sums and of recursive types."""
        arrow: Arrow = self.mode.generator(operation, dom, cod)
        return arrow

    def erasure(self, obj: Object) -> Erasure:
        """``pack`` and ``unpack`` of sparse cotangents of type ``obj``."""
        return partial(Packed, obj), attrgetter("value")


def _of_sum(operation: Operation, obj: Object, over: Carrier) -> Callable[[Any], Any]:
    """What makes and opens values of sums, at an argument of type ``obj``."""
    primitive, index = operation.primitive, operation.keywords.get("index")
    if index is None:
        return lambda x: x
    if primitive in (INJECT, TAG):
        return lambda x: Injected(index, settled(x, obj))
    assert isinstance(obj, Sum)
    if primitive is IS:
        answers = [over.const(Literal(is_it)) for is_it in (False, True)]
        return lambda s: answers[s.tag == index]

    def opened(s: Injected | None) -> Any:
        if s is None:
            return map_leaves(partial(_zero, over), obj.parts[index])
        if s.tag != index:
            raise WrongAlternative(f"alternative {index} of {obj!r} is asked of its {s.tag}")
        return s.value

    return opened


def of_cotangents(operation: Operation) -> Callable[[Cotangent], Cotangent]:
    """What makes and opens tangents of sums and of recursive types: on sparse cotangents."""
    index = operation.keywords.get("index")
    if index is None:
        return lambda g: g
    return (lambda g: {index: g}) if operation.primitive is TAG else (lambda g: g.get(index))


def second(machine: Machine) -> None:
    """A cotangent of the second component of a pair."""
    if machine.stack[-1] is not None:
        machine.stack[-1] = {1: machine.stack[-1]}


def _zero(over: Carrier, leaf: Object) -> Any:
    if isinstance(leaf, Tensor | Space):
        return zeros(over, leaf)
    if leaf is not Tangent and not isinstance(leaf, Tagged):
        raise TypeMismatch(f"{leaf!r} has no zero")
    return None


def _sum(over: Carrier, leaf: Object, x: Any, y: Any) -> Any:
    if x is None or y is None:
        return y if x is None else x
    if leaf is not Tangent:
        return over.add(x, y)
    if x.obj is not y.obj:
        raise TypeMismatch(
            f"cotangents of two functions, {x.obj!r} and {y.obj!r}, are added: the function values "
            "were taken for one another"
        )
    return Packed(x.obj, map_leaves(partial(_sum, over), x.obj, x.value, y.value))


def _unpacked(over: Carrier, packed: Packed | None, obj: Object) -> Any:
    """What was packed; the zero ``Tangent`` gives the zero of ``obj``."""
    if packed is None:
        return map_leaves(partial(_zero, over), obj)
    if packed.obj is not obj:
        raise TypeMismatch(f"a tangent of {packed.obj!r} is unpacked as one of {obj!r}")
    return packed.value


class Rounds:
    """A loop at given types, as a step of a mode."""

    def __init__(self, mode: Any, types: LoopType) -> None:
        self.mode, self.over, self.types = mode, mode.over, types
        self.evaluate: Arrow = mode.eval(types.function)

    def __call__(self, machine: Machine) -> Iterator[Step]:
        """Each round an application of the function."""
        types = self.types
        function, *start, xs = machine.stack.pop()
        carry = start[0] if start else None
        if types.stack is not None:
            check_size("a loop", types.stack)
        kept: list[Any] = []
        tapes: list[list[Step]] = []
        for i in types.rounds:
            row = self._row(xs, i)
            argument = (carry, row) if start else row
            made, tape = yield from machine.forwards(self.evaluate.enter, (function, argument))
            made = settled(made, types.function.cod)
            carry, item = types.halves(made, operator.getitem)
            kept.append(item)
            tapes.append(tape)
        rows, stack = kept[::-1] if types.reverse else kept, None
        if types.stack is not None:
            stack = map_leaves(self._stacked, types.stack, *rows, parts=columns_of)
        machine.stack.append(types.joined(carry, stack, lambda *both: both))
        self.mode.leave(machine, partial(self._pull, tapes))

    def _row(self, xs: Any, index: int) -> Any:
        """Row ``index`` of a tensor, a vector, or a tuple or record of them."""

        def taken(leaf: Object, stack: Any) -> Any:
            return stack[index] if isinstance(leaf, Vector) else self.over.row(stack, index)

        return map_leaves(taken, self.types.xs, xs, parts=columns_of)

    def _stacked(self, leaf: Object, *rows: Any) -> Any:
        return self.over.stack(rows, leaf) if isinstance(leaf, Tensor) else rows

    def _pull(self, tapes: list[list[Step]], machine: Machine) -> Written:
        """The rounds from the last to the first, each its tape backwards."""
        types, add = self.types, self.over.add
        carry, stack = types.halves(machine.stack.pop(), _part)
        items = self._rows(stack, types.stack) if types.stack is not None else [None] * len(tapes)
        rows: list[Cotangent] = [None] * len(tapes)
        total: Cotangent = None
        for i, tape in zip(reversed(types.rounds), reversed(tapes), strict=True):
            given = types.joined(carry, items[i], lambda *both: nonzero(enumerate(both)))
            pulled = yield from machine.backwards(tape, given)
            total = plus(total, _part(pulled, 0), add)
            rows[i] = argument = _part(pulled, 1)
            if types.carry is not None:
                carry, rows[i] = _part(argument, 0), _part(argument, 1)
        start = [] if types.carry is None else [carry]
        parts = (total, *start, self._stack(rows, types.xs))
        machine.stack.append(nonzero(enumerate(parts)))

    def _rows(self, cotangent: Cotangent, obj: Object) -> list[Cotangent]:
        """The cotangents of the rows, given that of the stack."""
        length = self.types.length
        if cotangent is None:
            return [None] * length
        if isinstance(obj, Vector):
            return [cotangent.get(i) for i in range(length)]
        product = components(obj)
        if product is None:
            whole = gathered(cotangent, self.over)
            return [self.over.row(whole, i) for i in range(length)]
        parts = {i: self._rows(g, product.parts[i]) for i, g in cotangent.items()}
        return [nonzero((i, rows[at]) for i, rows in parts.items()) for at in range(length)]

    def _stack(self, rows: list[Cotangent], obj: Object) -> Cotangent:
        """The cotangent of a stack of type ``obj``, given those of its rows."""
        if not is_smooth(obj) or all(row is None for row in rows):
            return None
        if isinstance(obj, Vector):
            return nonzero(enumerate(rows))
        product = components(obj)
        if product is not None:
            columns = enumerate(product.parts)
            return nonzero(
                (i, self._stack([_part(row, i) for row in rows], part)) for i, part in columns
            )
        item = row_of(obj)
        assert isinstance(item, Tensor)
        zero = zeros(self.over, item)
        leaves = [zero if row is None else gathered(row, self.over) for row in rows]
        return self.over.stack(leaves, obj)


def _part(cotangent: Cotangent, index: int) -> Cotangent:
    """A component of a sparse cotangent."""
    return cotangent and cotangent.get(index)
