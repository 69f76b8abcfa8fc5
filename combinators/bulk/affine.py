"""Integers that are affine in the indices of builds: kept as they are, so that no table is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from combinators.bulk.block import Axis, Block
from combinators.bulk.laying import extent_of, pointwise
from combinators.bulk.values import Affine, Array, Label, Tensors
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
    whole = Array(term, tuple(range(len(obj.shape))), obj)
    if obj.dtype != "int64" or len(obj.shape) > 1:
        return whole
    values = term.literal.array
    if not obj.shape:
        return Affine(int(values), {}, obj, [whole])
    if not obj.size:
        return whole
    start = int(values[0])
    step = int(values[1]) - start if obj.size > 1 else 0
    if not np.array_equal(values, np.arange(obj.size) * step + start):
        return whole
    return Affine(start, {0: step} if step else {}, obj, [whole])


def positions(obj: Tensor) -> Affine:
    """``iota``."""
    return Affine(0, {0: 1}, obj)


def index_of(axis: Axis) -> Affine:
    """The index of a build."""
    return Affine(0, {axis: 1}, Int)


def _raised(index: Affine, out: Tensor) -> Mapping[Label, int]:
    """The slopes, own axes counted as in ``out``; along one of extent 1 nothing changes."""
    more = len(out.shape) - len(index.type.shape)
    return {
        label + more if isinstance(label, int) else label: slope
        for label, slope in index.slopes.items()
        if not isinstance(label, int) or index.type.shape[label] != 1
    }


def _combined(x: Affine, y: Affine, sign: int, out: Tensor) -> Affine:
    slopes = dict(_raised(x, out))
    for label, slope in _raised(y, out).items():
        slopes[label] = slopes.get(label, 0) + sign * slope
    kept = {label: slope for label, slope in slopes.items() if slope}
    return Affine(x.offset + sign * y.offset, kept, out)


def scaled(x: Affine, factor: int, out: Tensor) -> Affine:
    """Each of them times a number."""
    slopes = {label: slope * factor for label, slope in _raised(x, out).items()} if factor else {}
    return Affine(x.offset * factor, slopes, out)


def _multiplied(x: Affine, y: Affine, out: Tensor) -> Affine | None:
    if x.slopes and y.slopes:
        return None
    return scaled(y, x.offset, out) if not x.slopes else scaled(x, y.offset, out)


_ARITHMETIC: dict[str, Callable[..., Affine | None]] = {
    "add": lambda out, x, y: _combined(x, y, 1, out),
    "subtract": lambda out, x, y: _combined(x, y, -1, out),
    "negative": lambda out, x: scaled(x, -1, out),
    "multiply": lambda out, x, y: _multiplied(x, y, out),
}


def affine(name: str, reps: tuple[Any, ...], out: Any) -> Affine | None:
    """``op`` of affine integers, where that is affine again."""
    rule = _ARITHMETIC.get(name)
    if rule is None or not all(isinstance(rep, Affine) for rep in reps):
        return None
    made = rule(out, *reps)
    found = bounds(made) if made is not None else None
    return None if found is not None and max(map(abs, found)) >= WIDE else made


def arithmetic(block: Block, name: str, x: Tensors, y: Tensors) -> Tensors:
    """An operation on integers: affine, or else a line."""
    operation = Operation(named(name))
    out = operation.type(x.type, y.type)
    found = affine(name, (x, y), out)
    return pointwise(block, operation, (x, y)) if found is None else found


def number(value: int) -> Affine:
    """An integer that is known."""
    return Affine(value, {}, Int)
