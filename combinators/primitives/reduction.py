"""Reductions over axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from combinators.derivatives import Linear
from combinators.emit import apply
from combinators.errors import ShapeMismatch
from combinators.objects import Object, Tensor
from combinators.operation import declare, over_arguments
from combinators.primitives.shape import broadcast_to, reshape, shape_of
from combinators.primitives.typing import tensor
from combinators.traced import library

Axes = tuple[int, ...]


def normal_axes(x: Any, axis: int | Sequence[int] | None) -> Axes:
    """The axes that are meant, counted from the front."""
    rank = len(shape_of(x))
    given = range(rank) if axis is None else (axis,) if isinstance(axis, int) else axis
    if any(not -rank <= a < rank for a in given):
        raise ShapeMismatch(f"axis {axis} is not an axis of an array of shape {shape_of(x)}")
    return tuple(sorted({a % rank for a in given}))


def reduced(x: Object, axis: Axes, keepdims: bool) -> Object:
    """The type that is left when ``axis`` are reduced."""
    given = tensor(x)
    if keepdims:
        shape = tuple(1 if i in axis else n for i, n in enumerate(given.shape))
    else:
        shape = tuple(n for i, n in enumerate(given.shape) if i not in axis)
    return Tensor(shape, given.dtype)


@library("keep_axes")
def keep_axes(y: Any, x: Any, axis: Axes, keepdims: bool) -> Any:
    """``y``, reduced from ``x``, with the axes that it lost as axes of extent 1."""
    shape = tuple(1 if i in axis else n for i, n in enumerate(shape_of(x)))
    return y if keepdims else reshape(y, shape)


def _spread(g: Any, x: Object, axis: Axes, keepdims: bool) -> Any:
    shape = tensor(x).shape
    kept = tuple(1 if i in axis else n for i, n in enumerate(shape))
    return broadcast_to(g if keepdims else reshape(g, kept), shape)


SUM = declare("sum", reduced, Linear(_spread), cost=over_arguments)


@library("sum")
def sum(x: Any, axis: int | Sequence[int] | None = None, *, keepdims: bool = False) -> Any:
    """The sum over ``axis``, or over all."""
    return apply(SUM, x, axis=normal_axes(x, axis), keepdims=keepdims)
