"""Running products and linear recurrences along an axis: two scans, and their derivatives.

The running products ``w`` of ``x`` solve ``w₀ = 1``, ``wⱼ₊₁ = xⱼ wⱼ``. Their tangents solve
``ẇ₀ = 0``, ``ẇⱼ₊₁ = xⱼ ẇⱼ + wⱼ ẋⱼ``: a linear recurrence, whose own tangents and cotangents are
linear recurrences again. Nothing is divided, so zeros do no harm, at any order. The product of all
is the last of them, and its derivative what stands before an element times what stands behind it.

These are the exclusive scans, or prescans, of Blelloch, *Prefix sums and their applications*
(1990): what stands before an element, without itself. So a recurrence and its transpose, which
runs the other way, have the same coefficients in the same places.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from combinators.errors import ShapeMismatch
from combinators.objects import Object, Tensor
from combinators.operation import Pair, Weighted, declare, over_arguments
from combinators.primitives.arithmetic import multiply, scale
from combinators.primitives.reductions import Axes, normal_axes, reduced
from combinators.primitives.shapes import Axis, moveaxis, normal_axis, ravel, reshape, shape_of
from combinators.primitives.signatures import common_number, same_dtype, summed, tensor
from combinators.tracing.emit import apply
from combinators.tracing.traced import library


def _along(x: Object, axis: int) -> Tensor:
    given = tensor(x)
    normal_axis(axis, given.shape)
    return given


def _recurrence_type(a: Object, b: Object, axis: int, reverse: bool) -> Object:
    given = _along(a, axis)
    if given.shape != tensor(b).shape:
        raise ShapeMismatch(f"a recurrence has as many coefficients as terms, not {a!r} and {b!r}")
    same_dtype(a, b)
    return given


def _recurrence_cost(arguments: Sequence[Tensor], _: Object) -> int:
    """A product and a sum an element."""
    return 2 * arguments[0].size


EXCLUSIVE_CUMPROD = declare(
    "exclusive_cumprod",
    lambda x, axis, reverse: _along(x, axis),
    Pair(
        (lambda v, x, y, axis, reverse: recurrence(x, scale(v, y), axis, reverse),),
        lambda v, x, y, axis, reverse: (scale(recurrence(x, v, axis, not reverse), y),),
    ),
    promote=summed,
    cost=over_arguments,
)


def _transposed(v: Any, a: Any, y: Any, axis: int, reverse: bool) -> tuple[Any, Any]:
    of_terms = recurrence(a, v, axis, not reverse)
    return scale(of_terms, y), of_terms


RECURRENCE = declare(
    "recurrence",
    _recurrence_type,
    Pair(
        (
            lambda v, a, b, y, axis, reverse: recurrence(a, scale(v, y), axis, reverse),
            lambda v, a, b, y, axis, reverse: recurrence(a, v, axis, reverse),
        ),
        lambda v, a, b, y, axis, reverse: _transposed(v, a, y, axis, reverse),
    ),
    promote=common_number,
    cost=_recurrence_cost,
)


def exclusive_cumprod(x: Any, axis: int, *, reverse: bool = False) -> Any:
    """For each element, the product of those before it along ``axis``; of those behind, reversed.

    It is 1 where there are none, and has the type of ``x``.
    """
    return apply(EXCLUSIVE_CUMPROD, x, axis=normal_axis(axis, shape_of(x)), reverse=reverse)


def recurrence(a: Any, b: Any, axis: int, reverse: bool = False) -> Any:
    """``y₀ = 0``, ``yⱼ₊₁ = aⱼ yⱼ + bⱼ`` along ``axis``, from its end if reversed.

    ``a``, ``b`` and the result have one type. It is linear in ``b``: ``aⱼ yⱼ`` is ``scale``'s
    product, 0 wherever ``yⱼ`` is.
    """
    return apply(RECURRENCE, a, b, axis=normal_axis(axis, shape_of(a)), reverse=reverse)


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


PROD = declare("prod", reduced, Weighted(_others), promote=summed, cost=over_arguments)


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
