"""Reductions over axes: sums, extremes and where they are, whether any and all, means."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from combinators.errors import ShapeMismatch
from combinators.literal import Literal
from combinators.objects import Object, Tensor
from combinators.operation import (
    CONSTANT,
    Linear,
    Primitive,
    Typing,
    Weighted,
    declare,
    over_arguments,
)
from combinators.primitives.arithmetic import divide, unscale
from combinators.primitives.elementary import exp, sqrt, square
from combinators.primitives.selection import equal, not_equal, where
from combinators.primitives.shapes import (
    Axis,
    astype,
    broadcast_to,
    flip,
    normal_axis,
    ravel,
    reshape,
    several_axes,
    shape_of,
)
from combinators.primitives.signatures import common, common_float, common_number, summed, tensor
from combinators.terms import Const
from combinators.tracing.emit import apply, dtype_of, emit
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
        if 0 in [given.shape[i] for i in axis]:
            raise ShapeMismatch(f"there is no {name} of no elements, over {axis} of {given!r}")
        return reduced(x, axis, keepdims)

    return typing


@library("keep_axes", word=False)
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


def _position(name: str) -> Primitive:
    reduced = reduced_from_some(name)

    def typing(x: Object, axis: Axes, keepdims: bool) -> Object:
        return Tensor(tensor(reduced(x, axis, keepdims)).shape, "int64")

    return declare(
        name,
        typing,
        CONSTANT,
        promote=common_number,
        cost=over_arguments,
        kink="its derivative is 0 everywhere",
    )


ARGMAX, ARGMIN = map(_position, ("argmax", "argmin"))


@library("argmax")
def argmax(x: Any, axis: int | None = None, *, keepdims: bool = False) -> Any:
    """The index of the largest along ``axis``, or in ``x`` laid flat: int64, the first of equals.

    As in NumPy, nan is larger than all. Raises ``ShapeMismatch`` where there are no elements.
    """
    return _found(ARGMAX, x, axis, keepdims)


@library("argmin")
def argmin(x: Any, axis: int | None = None, *, keepdims: bool = False) -> Any:
    """The index of the smallest along ``axis``, or in ``x`` laid flat: int64, the first of equals.

    As in NumPy, nan is smaller than all. Raises ``ShapeMismatch`` where there are no elements.
    """
    return _found(ARGMIN, x, axis, keepdims)


def _found(primitive: Primitive, x: Any, axis: int | None, keepdims: bool) -> Any:
    if axis is None:
        at = apply(primitive, ravel(x), axis=(0,), keepdims=False)
        return reshape(at, (1,) * len(shape_of(x))) if keepdims else at
    return apply(primitive, x, axis=several_axes((axis,), shape_of(x)), keepdims=keepdims)


@library("any")
def any(x: Any, axis: Axis | None = None, *, keepdims: bool = False) -> Any:
    """Whether any over ``axis`` is true, or not 0."""
    known = _of_nothing(x, axis, keepdims, False)
    return max(not_equal(x, 0), axis, keepdims=keepdims) if known is None else known


@library("all")
def all(x: Any, axis: Axis | None = None, *, keepdims: bool = False) -> Any:
    """Whether all over ``axis`` are true, or not 0."""
    known = _of_nothing(x, axis, keepdims, True)
    return min(not_equal(x, 0), axis, keepdims=keepdims) if known is None else known


def _of_nothing(x: Any, axis: Axis | None, keepdims: bool, truth: bool) -> Any:
    """``truth`` everywhere, where no element is asked; else None."""
    shape, axes = shape_of(x), normal_axes(x, axis)
    if 0 not in [shape[a] for a in axes]:
        return None
    obj = reduced(Tensor(shape, "bool"), axes, keepdims)
    assert isinstance(obj, Tensor)
    literal = Literal.filled(truth, obj)
    return emit(Const(literal))


def _softmax(x: Any, total: Any, axis: tuple[int, ...]) -> Any:
    """The shares of a sum of exponentials; 0 where all are 0."""
    shares = exp(x - where(total == -math.inf, 0.0, total))
    # What the rounding of a large total did to all of them, their sum undoes.
    return unscale(shares, sum(shares, axis, keepdims=True))


LOGSUMEXP = declare(
    "logsumexp",
    reduced_from_some("logsumexp"),
    Weighted(lambda x, y, axis, keepdims: _softmax(x, y, axis)),
    promote=common_float,
    cost=over_arguments,
    kink="its derivatives are 0 where all elements are -inf, and nan where one is inf",
)


@library("logsumexp")
def logsumexp(x: Any, axis: Axis | None = None, *, keepdims: bool = False) -> Any:
    """``log(sum(exp(x)))`` over ``axis``, or over all, without overflow."""
    return apply(LOGSUMEXP, x, axis=normal_axes(x, axis), keepdims=keepdims)


def _count(x: Any, axis: Axis | None) -> float:
    shape = shape_of(x)
    return float(math.prod(shape[a] for a in normal_axes(x, axis)))


@library("mean")
def mean(x: Any, axis: Axis | None = None, *, keepdims: bool = False) -> Any:
    """The mean over ``axis``, or over all."""
    return divide(sum(_as_float(x), axis, keepdims=keepdims), _count(x, axis))


def _as_float(x: Any) -> Any:
    """Integers as floats, which do not overflow."""
    return x if np.result_type(dtype_of(x)).kind == "f" else astype(x, float)


@library("var")
def var(x: Any, axis: Axis | None = None, *, ddof: float = 0, keepdims: bool = False) -> Any:
    """The variance over ``axis``, or over all: the mean square distance from the mean."""
    squares = square(x - mean(x, axis, keepdims=True))
    return divide(sum(squares, axis, keepdims=keepdims), _count(x, axis) - ddof)


@library("std")
def std(x: Any, axis: Axis | None = None, *, ddof: float = 0, keepdims: bool = False) -> Any:
    """The standard deviation over ``axis``, or over all."""
    return sqrt(var(x, axis, ddof=ddof, keepdims=keepdims))
