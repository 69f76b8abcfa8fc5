"""Dual numbers over a carrier: a number, and the tangent with which it moves.

Every number of the carrier ``Duals(over)`` is a ``Dual`` of two numbers of ``over``. The level of a
nested dual number is therefore in its structure, and two levels cannot be taken for one another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from combinators.literal import Literal
from combinators.objects import Object, Tensor
from combinators.operation import Linear, Operation
from combinators.terms import packed
from combinators.type_folds import is_smooth
from interpreters import rules
from interpreters.carriers.carrier import Carrier, Compute, Numbered, carrier_of
from interpreters.execution.direct import Direct
from interpreters.sparse_cotangents import Part, Scattered, gathered, plus, zeros

Push = Callable[[Sequence[Any], Sequence[Any], Any], Any]
"""From the tangents of the arguments, the arguments and the result to the result's tangent."""


@dataclass(frozen=True, slots=True, eq=False)
class Dual:
    """``x + ẋ ε``; a tangent None is zero, as is that of every integer and boolean."""

    primal: Any
    tangent: Any = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the primal."""
        return getattr(self.primal, "shape", ())


class Duals:
    """The carrier of dual numbers; a primitive moves as its declared pushforwards say."""

    def __init__(self, over: Carrier | Numbered) -> None:
        self.over = carrier_of(over)
        self.control = getattr(self.over, "dual_control", Direct)

    def const(self, literal: Literal) -> Dual:
        """A number that does not move."""
        return Dual(self.over.const(literal))

    def operation(self, operation: Operation, types: Sequence[Object], cod: Object) -> Compute:
        """The primitive, and its derivative where an argument moves."""
        compute = self.over.operation(operation, types, cod)
        push = self._push(operation, tuple(types), compute) if is_smooth(cod) else None

        def dual(*xs: Dual) -> Dual:
            primals = [x.primal for x in xs]
            y = compute(*primals)
            tangents = [x.tangent for x in xs]
            if push is None or all(tangent is None for tangent in tangents):
                return Dual(y)
            return Dual(y, push(tangents, primals, y))

        return dual

    def _push(self, operation: Operation, types: tuple[Object, ...], compute: Compute) -> Push:
        @cache
        def rule(index: int) -> rules.Linear | None:
            return rules.pushforward_of(operation, packed(types), index, self.over)

        def each(tangents: Sequence[Any], primals: Sequence[Any], y: Any) -> Any:
            total = None
            for index, tangent in enumerate(tangents):
                if tangent is not None and (push := rule(index)) is not None:
                    total = plus(total, push(tangent, *primals, y), self.over.add)
            return total

        def together(tangents: Sequence[Any], primals: Sequence[Any], y: Any) -> Any:
            """A linear primitive is its own derivative: one run serves all arguments."""
            moved = list(primals)
            for index, (obj, tangent) in enumerate(zip(types, tangents, strict=True)):
                if isinstance(obj, Tensor) and obj.is_smooth:
                    moved[index] = zeros(self.over, obj) if tangent is None else tangent
            return compute(*moved)

        return together if isinstance(operation.primitive.derivative, Linear) else each

    def add(self, x: Dual, y: Dual) -> Dual:
        """Both parts."""
        return Dual(self.over.add(x.primal, y.primal), plus(x.tangent, y.tangent, self.over.add))

    def truth(self, number: Dual) -> bool:
        """As the primal chooses."""
        return self.over.truth(number.primal)

    def row(self, stack: Dual, index: int) -> Dual:
        """The rows of both parts."""
        tangent = None if stack.tangent is None else self.over.row(stack.tangent, index)
        return Dual(self.over.row(stack.primal, index), tangent)

    def stack(self, rows: Sequence[Dual], obj: Tensor) -> Dual:
        """The stacks of both parts."""
        primal = self.over.stack([row.primal for row in rows], obj)
        if all(row.tangent is None for row in rows):
            return Dual(primal)
        zero = zeros(self.over, Tensor(obj.shape[1:], obj.dtype))
        tangents = [zero if row.tangent is None else row.tangent for row in rows]
        return Dual(primal, self.over.stack(tangents, obj))

    def scatter(self, parts: Sequence[Part], obj: Tensor, rest: Dual | None) -> Dual:
        """The scattered parts of both parts."""
        still = [Part(o, t, tuple([x.primal for x in xs])) for o, t, xs in parts]
        moving = [
            Part(o, t, (xs[0].tangent, *(x.primal for x in xs[1:])))
            for o, t, xs in parts
            if xs[0].tangent is not None
        ]
        primal = gathered(Scattered(obj, still, rest and rest.primal), self.over)
        if not moving:
            return Dual(primal, rest and rest.tangent)
        return Dual(primal, gathered(Scattered(obj, moving, rest and rest.tangent), self.over))

    def lift(self, value: Any, obj: Tensor) -> Dual:
        """A number that does not move; a ``Dual`` part by part."""
        if not isinstance(value, Dual):
            return Dual(self.over.lift(value, obj))
        still = value.tangent is None or not obj.is_smooth
        tangent = None if still else self.over.lift(value.tangent, obj)
        return Dual(self.over.lift(value.primal, obj), tangent)

    def lower(self, number: Dual) -> Dual:
        """Both parts, as the user gets them."""
        tangent = None if number.tangent is None else self.over.lower(number.tangent)
        return Dual(self.over.lower(number.primal), tangent)
