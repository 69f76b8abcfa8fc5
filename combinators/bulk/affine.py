"""Affine indices: integers ``offset + Σ slope · i`` are kept as that, so that no table is made.

Whatever the arithmetic that wrote it, ``x[2 * (i + 1) - j]`` has the index ``2 + 2·i - j``. With
``a : Tensor[3, 4]``, in ``build (3, 4) (λi j. reshape[12] a [4 * i + j])``, the axes that were
joined are indexed by ``k = 4·i + j``, taken apart again (``linear``): by ``k // 4`` and ``k % 4``,
which are ``i`` and ``j``, since the multiples of 4 in ``k`` are ``4·i`` and ``0 ≤ j < 4``. So the
whole is ``a`` itself.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple

from combinators.bulk.block import (
    Affine,
    Array,
    Axis,
    Block,
    Label,
    Shape,
    Tensors,
    extent_of,
    own_labels,
    relabelled,
)
from combinators.literal import Literal
from combinators.objects import Int, Tensor
from combinators.operation import Operation, named
from combinators.terms import Const

WIDE = 1 << 62
"""Beyond this, integers may have wrapped: they are no longer said to be affine."""


def bounds(index: Affine) -> tuple[int, int] | None:
    """The least and the largest; None where there are none at all."""
    low = high = index.offset
    for label, slope in index.slopes.items():
        last = extent_of(label, index.type) - 1
        if last < 0:
            return None
        low, high = low + min(0, slope * last), high + max(0, slope * last)
    return low, high


def is_within(index: Affine, extent: int) -> bool:
    """Whether all of them are in ``[0, extent)``."""
    found = bounds(index)
    return found is None or (found[0] >= 0 and found[1] < extent)


def of_constant(term: Const) -> Tensors:
    """A constant; integers with equal steps between them are affine in their axis."""
    obj = term.literal.type
    whole = Array(term, own_labels(obj), obj)
    if obj.dtype != "int64" or len(obj.shape) > 1 or not obj.size:
        return whole
    start, *rest = term.literal.array.ravel().tolist()
    step = rest[0] - start if rest else 0
    if rest != [start + step * (at + 1) for at in range(len(rest))]:
        return whole
    return Affine(start, {0: step} if step else {}, obj, whole)


def index_of(axis: Axis) -> Affine:
    """The index of a build."""
    return Affine(0, {axis: 1}, Int)


def _sum(out: Tensor, *terms: tuple[Affine, int]) -> Affine:
    """Multiples of affine integers added; their own axes are counted as in ``out``."""
    offset, slopes = 0, Counter[Label]()
    for index, factor in terms:
        offset += factor * index.offset
        more = len(out.shape) - len(index.type.shape)
        for label, slope in index.slopes.items():
            if not isinstance(label, int):
                slopes[label] += factor * slope
            elif index.type.shape[label] != 1:  # along an axis of extent 1 nothing changes
                slopes[label + more] += factor * slope
    return Affine(offset, {label: slope for label, slope in slopes.items() if slope}, out)


def _divided(out: Tensor, index: Affine, by: int) -> tuple[Affine, Affine] | None:
    """``(by · q + r) // by`` and ``% by``, which are ``q`` and ``r``, if ``0 ≤ r < by``."""
    quotient = {label: slope // by for label, slope in index.slopes.items() if slope % by == 0}
    rest = {label: slope for label, slope in index.slopes.items() if slope % by}
    remainder = Affine(index.offset % by, rest, index.type)
    if not is_within(remainder, by):
        return None
    whole = Affine(index.offset // by, quotient, index.type)
    return _sum(out, (whole, 1)), _sum(out, (remainder, 1))


def affine(name: str, reps: Sequence[Any], out: Tensor) -> Affine | None:
    """``op`` of affine integers, where that is affine again."""
    if not all(isinstance(rep, Affine) for rep in reps):
        return None
    made: Affine | None = None
    match name, reps:
        case "add", (x, y):
            made = _sum(out, (x, 1), (y, 1))
        case "subtract", (x, y):
            made = _sum(out, (x, 1), (y, -1))
        case "negative", (x,):
            made = _sum(out, (x, -1))
        case "multiply", (x, y) if not (x.slopes and y.slopes):
            made = _sum(out, (x, y.offset) if x.slopes else (y, x.offset))
        case "floor_divide" | "remainder", (x, y) if not y.slopes and y.offset > 0:
            both = _divided(out, x, y.offset)
            made = both[name == "remainder"] if both else None
    found = bounds(made) if made is not None else None
    return None if found is not None and max(map(abs, found)) >= WIDE else made


def arithmetic(block: Block, name: str, x: Tensors, y: Tensors) -> Tensors:
    """An operation on integers: affine, or else a line."""
    out = Operation(named(name)).type(x.type, y.type)
    assert isinstance(out, Tensor)
    found = affine(name, (x, y), out)
    return block.pointwise(name, (x, y)) if found is None else found


def number(value: int) -> Affine:
    """An integer that is known."""
    return Affine(value, {}, Int)


class Index(NamedTuple):
    """Where an axis is indexed; ``sure`` where what lies outside is masked later on."""

    at: Tensors
    sure: bool = False

    def lies_in(self, extent: int) -> bool:
        """Whether it lies inside, or is masked where it does not."""
        return self.sure or (isinstance(self.at, Affine) and is_within(self.at, extent))


Key = Mapping[int, Index]
"""The indices of some of the own axes: these are of extent 1 then, and have no label."""
NO_KEY: Key = {}


def narrowed(obj: Tensor, key: Key) -> Tensor:
    """The type of what a key leaves."""
    shape = (1 if axis in key else n for axis, n in enumerate(obj.shape))
    return Tensor(shape, obj.dtype) if key else obj


def without(rep: Tensors, key: Key) -> Tensors:
    """What a key has left, without the axes that were indexed."""
    left = [axis for axis in own_labels(rep.type) if axis not in key]
    obj = Tensor((rep.type.shape[axis] for axis in left), rep.type.dtype)
    return relabelled(rep, {axis: at for at, axis in enumerate(left)}, obj)


def within(rep: Tensors, obj: Tensor, key: Key) -> Tensors:
    """What a key has left of a value of type ``obj``, given ``without`` the axes."""
    left = (axis for axis in own_labels(obj) if axis not in key)
    return relabelled(rep, dict(enumerate(left)), narrowed(obj, key))


def masked(block: Block, rep: Tensors, valid: Array | None) -> Tensors:
    """``rep`` where ``valid`` holds, if it does not everywhere, and zeros elsewhere."""
    if valid is None:
        return rep
    zero = Array(Const(Literal(0, rep.type.dtype)), (), Tensor((), rep.type.dtype))
    return block.pointwise("where", (valid, rep, zero))


def validity(block: Block, key: Key, obj: Tensor) -> Array | None:
    """Whether the indices that may lie outside of ``obj`` lie inside; None where all do."""
    tests = []
    for axis, index in key.items():
        if not index.lies_in(obj.shape[axis]):
            at = block.array(index.at)
            tests.append(block.pointwise("greater_equal", (at, number(0))))
            tests.append(block.pointwise("less", (at, number(obj.shape[axis]))))
    return reduce(lambda x, y: block.pointwise("logical_and", (x, y)), tests) if tests else None


def _extent(shape: Shape, axes: Sequence[int]) -> int:
    return math.prod(shape[axis] for axis in axes)


def groups(given: Shape, wanted: Shape) -> Iterator[tuple[list[int], list[int]]]:
    """Axes of the one shape and of the other that hold the same elements, as few as can be.

    Axes of extent 1 are in none.
    """
    mine = [axis for axis, n in enumerate(given) if n != 1]
    yours = [axis for axis, n in enumerate(wanted) if n != 1]
    while mine:
        left, right = [mine.pop(0)], [yours.pop(0)]
        while (size := _extent(given, left)) != (other := _extent(wanted, right)):
            if size < other:
                left.append(mine.pop(0))
            else:
                right.append(yours.pop(0))
        yield left, right


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
        at: Tensors = number(0)  # toLinearIdx
        for axis in yours:
            at = arithmetic(block, "multiply", at, number(wanted[axis]))
            at = arithmetic(block, "add", at, key[axis].at)
        for count, axis in enumerate(mine):  # fromLinearIdx
            below = _extent(given, mine[count + 1 :])
            here = at if below == 1 else arithmetic(block, "floor_divide", at, number(below))
            if count:
                here = arithmetic(block, "remainder", here, number(given[axis]))
            found[axis] = Index(here, sure=True)
    return found
