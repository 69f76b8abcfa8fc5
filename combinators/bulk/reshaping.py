"""Indices of a reshaped array as indices of what was reshaped: linear, and taken apart again."""

from __future__ import annotations

import math
from collections.abc import Iterator

from combinators.bulk.affine import arithmetic, number
from combinators.bulk.block import Block
from combinators.bulk.masking import Index, Key
from combinators.bulk.values import Tensors

Shape = tuple[int, ...]
Axes = list[int]


def groups(given: Shape, wanted: Shape) -> Iterator[tuple[Axes, Axes]]:
    """Axes of the one shape and of the other that hold the same elements, as few as can be.

    Axes of extent 1 are in none.
    """
    mine = [axis for axis, n in enumerate(given) if n != 1]
    yours = [axis for axis, n in enumerate(wanted) if n != 1]
    while mine:
        left, right = [mine.pop(0)], [yours.pop(0)]
        while (size := _size(given, left)) != (other := _size(wanted, right)):
            if size < other:
                left.append(mine.pop(0))
            else:
                right.append(yours.pop(0))
        yield left, right


def _size(shape: Shape, axes: Axes) -> int:
    return math.prod(shape[axis] for axis in axes)


def linear(block: Block, given: Shape, wanted: Shape, key: Key) -> Key | None:
    """The index of what was reshaped from ``given``; None where it would split an axis."""
    if 0 in given:
        return None
    found: dict[int, Index] = {}
    for mine, yours in groups(given, wanted):
        if all(axis not in key for axis in yours):
            continue
        if any(axis not in key for axis in yours):
            return None
        at = _flat(block, [(key[axis], wanted[axis]) for axis in yours])
        found.update(_taken_apart(block, at, mine, given))
    return found


def _flat(block: Block, indices: list[tuple[Index, int]]) -> Tensors:
    """``toLinearIdx``."""
    at: Tensors = number(0)
    for index, extent in indices:
        at = arithmetic(block, "multiply", at, number(extent))
        at = arithmetic(block, "add", at, index.at)
    return at


def _taken_apart(
    block: Block, at: Tensors, axes: Axes, shape: Shape
) -> Iterator[tuple[int, Index]]:
    """``fromLinearIdx``."""
    for count, axis in enumerate(axes):
        below = math.prod(shape[a] for a in axes[count + 1 :])
        here = at if below == 1 else arithmetic(block, "floor_divide", at, number(below))
        if count:
            here = arithmetic(block, "remainder", here, number(shape[axis]))
        yield axis, Index(here, sure=True)
