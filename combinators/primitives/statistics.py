"""Means, and the logarithm of a sum of exponentials."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from combinators.derivatives import Weighted
from combinators.operation import declare, over_arguments
from combinators.primitives.arithmetic import divide, unscale
from combinators.primitives.axes import Axis
from combinators.primitives.conversion import astype
from combinators.primitives.exponential import exp
from combinators.primitives.powers import sqrt, square
from combinators.primitives.reduction import normal_axes, reduced_from_some, sum
from combinators.primitives.selection import where
from combinators.primitives.shape import shape_of
from combinators.primitives.typing import common_float
from combinators.tracing.emit import apply, dtype_of
from combinators.tracing.traced import library


def _shares(x: Any, total: Any, axis: tuple[int, ...]) -> Any:
    """The shares of a sum of exponentials; 0 where all are 0."""
    shares = exp(x - where(total == -math.inf, 0.0, total))
    # What the rounding of a large total did to all of them, their sum undoes.
    return unscale(shares, sum(shares, axis, keepdims=True))


LOGSUMEXP = declare(
    "logsumexp",
    reduced_from_some("logsumexp"),
    Weighted(lambda x, y, axis, keepdims: _shares(x, y, axis)),
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
