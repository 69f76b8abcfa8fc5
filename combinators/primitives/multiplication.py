"""The product of many numbers, and the products of the first of them."""

from __future__ import annotations

import math
from typing import Any

from combinators.derivatives import Weighted
from combinators.operation import declare, over_arguments
from combinators.primitives.arithmetic import multiply
from combinators.primitives.axes import Axis, moveaxis, ravel
from combinators.primitives.recurrences import exclusive_cumprod
from combinators.primitives.reduction import Axes, normal_axes, reduced
from combinators.primitives.shape import reshape
from combinators.primitives.typing import summed
from combinators.tracing.emit import apply
from combinators.tracing.traced import library


def _others(x: Any, y: Any, axis: Axes, keepdims: bool) -> Any:
    """For each element, the product of all the others."""
    if len(axis) == 1:
        return _others_along(x, axis[0])
    ends = tuple(range(-len(axis), 0))
    moved = moveaxis(x, axis, ends)
    kept = moved.shape[: len(moved.shape) - len(axis)]
    flat = reshape(moved, (*kept, math.prod(x.shape[a] for a in axis)))
    return moveaxis(reshape(_others_along(flat, len(kept)), moved.shape), ends, axis)


def _others_along(x: Any, axis: int) -> Any:
    """What stands before each element, times what stands behind it: right where some are 0."""
    return multiply(exclusive_cumprod(x, axis), exclusive_cumprod(x, axis, reverse=True))


PROD = declare(
    "prod",
    reduced,
    Weighted(_others),
    promote=summed,
    cost=over_arguments,
)


@library("prod")
def prod(x: Any, axis: Axis | None = None, *, keepdims: bool = False) -> Any:
    """The product over ``axis``, or over all."""
    return apply(PROD, x, axis=normal_axes(x, axis), keepdims=keepdims)


@library("cumprod")
def cumprod(x: Any, axis: int | None = None) -> Any:
    """The products of the first 1, 2, … elements along ``axis``, or of ``x`` laid flat."""
    if axis is None:
        return cumprod(ravel(x), 0)
    return multiply(exclusive_cumprod(x, axis), x)
