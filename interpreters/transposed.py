"""The transpose of a pullback that is given as a function value.

Of a linear map nobody but the map itself tells its transpose, so it is evaluated at every basis
cotangent: ``⟨e, ẏ⟩ = ⟨ẋ, rule(x, e)⟩`` for every number ``e`` of the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from combinators.errors import WrongMode
from combinators.literal import Literal
from combinators.objects import Object, Tensor
from combinators.operation import Operation, named
from combinators.terms import Lam
from combinators.tracing.functions import Draft
from combinators.tracing.scope import apart
from combinators.tracing.traced import LIBRARY
from combinators.type_folds import Layout, parts_of
from interpreters.carriers.duals import Duals
from interpreters.execution.machine import Arrow, Machine, Step, settled
from interpreters.rules import program
from interpreters.tangents.cotangents import plus


class Transposed:
    """The pushforward ``ẋ ↦ ẏ`` that a rule ``(x, ȳ) ↦ x̄`` is the transpose of."""

    def __init__(self, evaluate: Arrow, argument: Object, result: Object, duals: Duals) -> None:
        """``evaluate`` applies rules; ``argument`` and ``result`` are the types of x and y."""
        self.evaluate, self.argument = evaluate, argument
        self.duals, self.over = duals, duals.over
        self._argument, self._result = Layout(argument, parts_of), Layout(result, parts_of)
        self.argument_leaves, self.result_leaves = map(_tensors, (self._argument, self._result))

    def steps(self, machine: Machine, rule: Any, x: Any, tangent: Any) -> Iterator[Step]:
        """Push ``ẏ``, given the dual value ``x``, which stands still, and ``ẋ`` over the base."""
        tangents = enumerate(self._argument.flat(tangent))
        moving = [(at, leaf) for at, leaf in tangents if leaf is not None]
        if not moving:
            machine.stack.append(None)
            return
        zero = [self._number(Literal.filled(0.0, leaf)) for leaf in self.result_leaves]
        pushed: list[Any] = []
        for at, leaf in enumerate(self.result_leaves):
            numbers: list[Any] = []
            for unit in _units(leaf):
                cotangent = [*zero[:at], self._number(unit), *zero[at + 1 :]]
                machine.stack.append((rule, (x, self._result.nested(cotangent))))
                yield self.evaluate.enter
                pulled = settled(machine.stack.pop(), self.argument)
                numbers.append(self._inner(moving, self._argument.flat(pulled), leaf))
            pushed.append(self._tensor(numbers, leaf))
        machine.stack.append(self._result.nested(pushed))

    def _number(self, literal: Literal) -> Any:
        return self.duals.const(literal)

    def _inner(self, moving: list[tuple[int, Any]], pulled: list[Any], result: Tensor) -> Any:
        """``⟨ẋ, x̄⟩``, a number of the base carrier."""
        total = None
        for at, tangent in moving:
            product = program(_inner(self.argument_leaves[at], result.dtype), self.over)
            total = plus(total, product(tangent, pulled[at].primal), self.over.add)
        return total

    def _tensor(self, numbers: list[Any], obj: Tensor) -> Any:
        """The tensor of these numbers, in order; None where it cannot move."""
        if not numbers:
            return None
        if not obj.shape:
            return numbers[0]
        flat = Tensor((len(numbers),), obj.dtype)
        reshape = Operation(named("reshape"), (("shape", obj.shape),))
        return self.over.operation(reshape, (flat,), obj)(self.over.stack(numbers, flat))


@cache
def _inner(obj: Tensor, dtype: str) -> Lam:
    """``λ(ẋ, x̄). ⟨ẋ, x̄⟩`` of two tensors, as a number of element type ``dtype``."""

    def inner(tangent: Any, cotangent: Any) -> Any:
        total = LIBRARY["sum"](LIBRARY["scale"](tangent, cotangent))
        return total if obj.dtype == dtype else LIBRARY["astype"](total, dtype)

    with apart():
        return Draft(inner, (obj, obj), (None, None)).finish().lam


def _units(obj: Tensor) -> Iterator[Literal]:
    """The basis of a tensor type; integers and booleans have none."""
    for index in np.ndindex(obj.shape) if obj.is_smooth else ():
        unit = np.zeros(obj.shape, dtype=obj.dtype)
        unit[index] = 1
        yield Literal(unit)


def _tensors(layout: Layout) -> list[Tensor]:
    """The leaves, which have to be tensors."""
    found: list[Tensor] = []
    for leaf in layout.leaves:
        if not isinstance(leaf, Tensor):
            raise WrongMode(
                f"with_derivative from or to {leaf!r} has no forward mode: its rule cannot be "
                "transposed; use a pullback, or let the function capture what is a function"
            )
        found.append(leaf)
    return found
