"""Reductions over axes."""

from __future__ import annotations

from typing import Any

from combinators.derivatives import Linear, Weighted
from combinators.errors import ShapeMismatch
from combinators.objects import Object, Tensor
from combinators.operation import Typing, declare, over_arguments
from combinators.primitives.axes import Axis, flip, normal_axis, ravel, several_axes
from combinators.primitives.comparison import equal
from combinators.primitives.conversion import astype
from combinators.primitives.shape import broadcast_to, reshape, shape_of
from combinators.primitives.typing import common, summed, tensor
from combinators.tracing.emit import apply
from combinators.tracing.traced import library

Axes = tuple[int, ...]


def normal_axes(x: Any, axis: Axis | None) -> Axes:
    """The axes that are meant, counted from the front, in order."""
    return tuple(sorted(several_axes(axis, shape_of(x))))


def reduced(x: Object, axis: Axes, keepdims: bool) -> Object:
    """The type that is left when ``axis`` are reduced."""
    given = tensor(x)
    if keepdims:
        shape = tuple(1 if i in axis else n for i, n in enumerate(given.shape))
    else:
        shape = tuple(n for i, n in enumerate(given.shape) if i not in axis)
    return Tensor(shape, given.dtype)


def reduced_from_some(name: str) -> Typing:
    """The same, of a reduction that has no value for no elements."""

    def typing(x: Object, axis: Axes, keepdims: bool) -> Object:
        given = tensor(x)
        if any(given.shape[i] == 0 for i in axis):
            raise ShapeMismatch(f"there is no {name} of no elements, over {axis} of {given!r}")
        return reduced(x, axis, keepdims)

    return typing


@library("keep_axes")
def keep_axes(y: Any, x: Any, axis: Axes, keepdims: bool) -> Any:
    """``y``, reduced from ``x``, with the axes that it lost as axes of extent 1."""
    shape = tuple(1 if i in axis else n for i, n in enumerate(shape_of(x)))
    return y if keepdims else reshape(y, shape)


def _spread(g: Any, x: Object, axis: Axes, keepdims: bool) -> Any:
    shape = tensor(x).shape
    kept = tuple(1 if i in axis else n for i, n in enumerate(shape))
    return broadcast_to(g if keepdims else reshape(g, kept), shape)


def _ties(x: Any, y: Any, axis: Axes, keepdims: bool) -> Any:
    best = astype(equal(x, y), x.dtype)
    return best / sum(best, axis, keepdims=True)


SUM = declare("sum", reduced, Linear(_spread), promote=summed, cost=over_arguments)
MAX, MIN = (
    declare(
        name,
        reduced_from_some(name),
        Weighted(_ties),
        promote=common,
        cost=over_arguments,
        kink="equal extreme elements share the derivative equally",
    )
    for name in ("max", "min")
)
CUMSUM = declare(
    "cumsum",
    lambda x, axis: tensor(x),
    Linear(lambda g, x, axis: flip(cumsum(flip(g, axis), axis), axis)),
    promote=summed,
    cost=over_arguments,
)


@library("sum")
def sum(x: Any, axis: Axis | None = None, *, keepdims: bool = False) -> Any:
    """The sum over ``axis``, or over all; booleans are counted."""
    return apply(SUM, x, axis=normal_axes(x, axis), keepdims=keepdims)


@library("max", "amax")
def max(x: Any, axis: Axis | None = None, *, keepdims: bool = False) -> Any:
    """The largest over ``axis``, or over all."""
    return apply(MAX, x, axis=normal_axes(x, axis), keepdims=keepdims)


@library("min", "amin")
def min(x: Any, axis: Axis | None = None, *, keepdims: bool = False) -> Any:
    """The smallest over ``axis``, or over all."""
    return apply(MIN, x, axis=normal_axes(x, axis), keepdims=keepdims)


@library("cumsum")
def cumsum(x: Any, axis: int | None = None) -> Any:
    """The sums of the first 1, 2, … elements along ``axis``, or of ``x`` laid flat."""
    if axis is None:
        return cumsum(ravel(x), 0)
    return apply(CUMSUM, x, axis=normal_axis(axis, shape_of(x)))
