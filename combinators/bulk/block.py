"""The lines of a λ's body, or of a branch, as they are written; moves of nothing are no lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from combinators import block
from combinators.errors import Place
from combinators.objects import Tensor
from combinators.operation import Operation, named
from combinators.terms import Const, Prim, Term, Var

FEW, MANY = 32, 1024
"""Rows of at most so many numbers, and at least so many of them, are laid column by column."""
Shape = tuple[int, ...]
Atom = Var | Const


def shape_of(term: Term) -> Shape:
    """The shape of a tensor."""
    assert isinstance(term.type, Tensor)
    return term.type.shape


_SERIALS = count()


@dataclass(frozen=True, eq=False, slots=True)
class Axis:
    """The index of a build, which is a batch axis of what depends on it.

    Builds further in have larger serials; ``block`` is where the build stands. The axis of many
    small rows is laid ``last``, so that each number of a row is a column in memory.
    """

    extent: int
    block: Block
    serial: int
    last: bool = False

    def __repr__(self) -> str:
        """Its number and extent."""
        return f"i{self.serial}<{self.extent}"


class Block(block.Block):
    """The lines of a block, and the moves of arrays that are written there."""

    def axis(self, extent: int, *, last: bool = False) -> Axis:
        """The index of a build that stands here."""
        return Axis(extent, self, next(_SERIALS), last)

    def rows(self, extent: int, size: int) -> Axis:
        """The index of so many rows of at most this size."""
        return self.axis(extent, last=extent >= MANY and 1 < size <= FEW)

    def apply(self, name: str, *args: Term, place: Place | None = None, **parameters: Any) -> Var:
        """A line that applies a primitive."""
        return self.operate(Operation(named(name), tuple(parameters.items())), *args, place=place)

    def operate(self, operation: Operation, *args: Term, place: Place | None = None) -> Var:
        """A line that applies an operation."""
        return self.bind(Prim(operation, args, place))

    def transposed(self, x: Atom, axes: Sequence[int]) -> Atom:
        """``x`` with its axes in this order."""
        order = tuple(axes)
        return x if order == tuple(range(len(order))) else self.apply("transpose", x, axes=order)

    def reshaped(self, x: Atom, shape: Shape) -> Atom:
        """``x`` in this shape."""
        return x if shape_of(x) == shape else self.apply("reshape", x, shape=shape)

    def broadcast(self, x: Atom, shape: Shape) -> Atom:
        """``x`` repeated to this shape."""
        return x if shape_of(x) == shape else self.apply("broadcast_to", x, shape=shape)

    def part(self, x: Atom, axis: int, start: int, step: int, extent: int) -> Atom:
        """The elements ``start, start + step, …`` of ``x`` along ``axis``, so many of them."""
        shape = shape_of(x)
        if extent == shape[axis] and (extent == 0 or (start == 0 and step == 1)):
            return x
        starts, steps = [0] * len(shape), [1] * len(shape)
        starts[axis], steps[axis] = (start if extent else 0), (step if extent > 1 else 1)
        return self.window(x, starts, steps, (*shape[:axis], extent, *shape[axis + 1 :]))

    def window(self, x: Atom, start: Sequence[int], step: Sequence[int], extent: Shape) -> Atom:
        """A window of ``x``; all of it is ``x`` itself."""
        if extent == shape_of(x) and not any(start) and all(stride == 1 for stride in step):
            return x
        return self.apply("slice", x, start=tuple(start), step=tuple(step), extent=extent)

    def covered(self, x: Atom, axis: int, low: int, extent: int) -> Atom:
        """So many elements along ``axis`` from ``low`` on; zeros where there are none."""
        start = max(low, 0)
        inside = max(0, min(low + extent, shape_of(x)[axis]) - start)
        part = self.part(x, axis, start, 1, inside)
        return self.padded(part, axis, start - low if inside else 0, extent)

    def padded(self, x: Atom, axis: int, start: int, extent: int) -> Atom:
        """``x`` among zeros along ``axis``, where it begins at ``start``."""
        shape = shape_of(x)
        if shape[axis] == extent:
            return x
        starts = [0] * len(shape)
        starts[axis] = start if math.prod(shape) else 0
        whole = (*shape[:axis], extent, *shape[axis + 1 :])
        return self.apply("embed", x, start=tuple(starts), step=(1,) * len(shape), shape=whole)

    def summed(self, x: Atom, axes: Sequence[int]) -> Atom:
        """The sum of ``x`` over these axes."""
        return self.apply("sum", x, axis=tuple(axes), keepdims=False) if axes else x
