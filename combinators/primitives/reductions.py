"""Reductions over axes, and what runs along one: sums, products, extremes and where they are.

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
from collections.abc import Callable
from typing import Any

import numpy as np

from combinators.errors import ShapeMismatch
from combinators.literal import Literal
from combinators.objects import Object, Tensor
from combinators.operation import (
    CONSTANT,
    Derivative,
    Linear,
    Pair,
    Primitive,
    Promotion,
    Typing,
    declare,
    over_arguments,
)
from combinators.primitives.arithmetic import (
    add,
    equal,
    maximum,
    minimum,
    multiply,
    not_equal,
    scale,
    unscale,
    where,
)
from combinators.primitives.arithmetic import where as choice
from combinators.primitives.elementary import exp, logaddexp
from combinators.primitives.shapes import (
    Axis,
    astype,
    broadcast_to,
    flip,
    moveaxis,
    normal_axis,
    ravel,
    reshape,
    several_axes,
    shape_of,
)
from combinators.primitives.signatures import (
    common,
    common_float,
    common_number,
    same_dtype,
    summed,
    tensor,
)
from combinators.terms import Const
from combinators.tracing.emit import apply, dtype_of, emit
from combinators.tracing.traced import library

Axes = tuple[int, ...]


def normal_axes(x: Any, axis: Axis | None) -> Axes:
    """The axes that are meant, in order."""
    return tuple(sorted(several_axes(axis, shape_of(x))))


def _reduced(x: Object, axis: Axes, keepdims: bool) -> Object:
    """The type that is left when ``axis`` are reduced."""
    given = tensor(x)
    if keepdims:
        return Tensor(_kept(given.shape, axis), given.dtype)
    return Tensor((n for i, n in enumerate(given.shape) if i not in axis), given.dtype)


def _kept(shape: Axes, axis: Axes) -> Axes:
    return tuple(1 if i in axis else n for i, n in enumerate(shape))


def _of_some(name: str, dtype: str = "") -> Typing:
    """The same, of a reduction that has no value for no elements."""

    def typing(x: Object, axis: Axes, keepdims: bool) -> Object:
        given = tensor(x)
        if 0 in [given.shape[i] for i in axis]:
            raise ShapeMismatch(f"there is no {name} of no elements, over {axis} of {given!r}")
        return Tensor(tensor(_reduced(x, axis, keepdims)).shape, dtype or given.dtype)

    return typing


def _reduction(
    name: str,
    doc: str,
    derivative: Derivative,
    *names: str,
    typing: Typing = _reduced,
    promote: Promotion = summed,
    kink: str = "",
    join: Callable[..., Any],
    nothing: float,
) -> tuple[Primitive, Callable[..., Any]]:
    """A reduction over some axes, or over all, and the word for it.

    It joins two numbers by ``join``, of which ``nothing`` is the unit.
    """
    primitive = declare(name, typing, derivative, promote=promote, cost=over_arguments, kink=kink)

    def word(
        x: Any,
        axis: Axis | None = None,
        dtype: Any = None,
        *,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = None,
    ) -> Any:
        if dtype is not None:
            x = astype(x, dtype)
        if where is not None:
            x = chosen(x, where, nothing)
        made = apply(primitive, x, axis=normal_axes(x, axis), keepdims=keepdims)
        return made if initial is None else join(made, initial)

    word.__name__, word.__qualname__, word.__doc__ = name, name, doc
    return primitive, library(name, *names)(word)


def chosen(x: Any, mask: Any, otherwise: float) -> Any:
    """``x`` where ``mask`` holds, and elsewhere a number, the largest or smallest for infinity."""
    kind = np.result_type(dtype_of(x))
    if kind.kind in "iu" and math.isinf(otherwise):
        otherwise = np.iinfo(kind).max if otherwise > 0 else np.iinfo(kind).min
    return where(mask, x, otherwise if math.isinf(otherwise) else kind.type(otherwise))


def _spread(g: Any, x: Object, axis: Axes, keepdims: bool) -> Any:
    shape = tensor(x).shape
    return broadcast_to(g if keepdims else reshape(g, _kept(shape, axis)), shape)


def _weighted(weights: Callable[..., Any]) -> Pair:
    """Of a reduction of ``x`` whose pushforward is ``sum(w * ẋ)`` over the reduced axes.

    ``weights(x, y, axis)`` gives ``w``, of the shape of ``x``; ``y`` keeps its axes.
    """

    def kept(y: Any, x: Any, axis: Axes, keepdims: bool) -> Any:
        return y if keepdims else reshape(y, _kept(shape_of(x), axis))

    def push(v: Any, x: Any, y: Any, axis: Axes, keepdims: bool) -> Any:
        moved = scale(v, weights(x, kept(y, x, axis, keepdims), axis))
        return sum(moved, axis, keepdims=keepdims)

    def pull(v: Any, x: Any, y: Any, axis: Axes, keepdims: bool) -> Any:
        y_kept, v_kept = (kept(z, x, axis, keepdims) for z in (y, v))
        return scale(v_kept, weights(x, y_kept, axis))

    return Pair((push,), pull)


def _ties(x: Any, y: Any, axis: Axes) -> Any:
    best = astype(equal(x, y), x.dtype)
    return best / sum(best, axis, keepdims=True)


def _others(x: Any, y: Any, axis: Axes) -> Any:
    """For each element, the product of all the others: those before it, times those behind it."""
    if len(axis) == 1:
        before, behind = (exclusive_cumprod(x, axis[0], reverse=r) for r in (False, True))
        return multiply(before, behind)
    ends = tuple(range(-len(axis), 0))
    moved = moveaxis(x, axis, ends)
    last = len(moved.shape) - len(axis)
    flat = reshape(moved, (*moved.shape[:last], math.prod(x.shape[a] for a in axis)))
    return moveaxis(reshape(_others(flat, y, (last,)), moved.shape), ends, axis)


def _softmax(x: Any, total: Any, axis: Axes) -> Any:
    """The shares of a sum of exponentials; 0 where all are 0."""
    shares = exp(x - where(total == -math.inf, 0.0, total))
    # What the rounding of a large total did to all of them, their sum undoes.
    return unscale(shares, sum(shares, axis, keepdims=True))


SUM, sum = _reduction(
    "sum",
    "The sum over ``axis``, or over all, ``where`` a mask holds; booleans are counted.",
    Linear(_spread),
    join=add,
    nothing=0,
)
PROD, prod = _reduction(
    "prod",
    "The product over ``axis``, or over all, ``where`` a mask holds.",
    _weighted(_others),
    join=multiply,
    nothing=1,
)
(MAX, max), (MIN, min) = (
    _reduction(
        name,
        f"The {which} over ``axis``, or over all.",
        _weighted(_ties),
        f"a{name}",
        typing=_of_some(name),
        promote=common,
        kink="equal extreme elements share the derivative equally",
        join=join,
        nothing=nothing,
    )
    for name, which, join, nothing in (
        ("max", "largest", maximum, -math.inf),
        ("min", "smallest", minimum, math.inf),
    )
)
LOGSUMEXP, logsumexp = _reduction(
    "logsumexp",
    "``log(sum(exp(x)))`` over ``axis``, or over all, without overflow.",
    _weighted(_softmax),
    typing=_of_some("logsumexp"),
    promote=common_float,
    kink="its derivatives are 0 where all elements are -inf, and nan where one is inf",
    join=logaddexp,
    nothing=-math.inf,
)


# ---- where they are ------------------------------------------------------------------------------


def _position(name: str, which: str, than: str) -> tuple[Primitive, Callable[..., Any]]:
    """A search along one axis, and the word for it."""
    primitive = declare(
        name,
        _of_some(name, "int64"),
        CONSTANT,
        promote=common_number,
        cost=over_arguments,
        kink="its derivative is 0 everywhere",
    )

    def word(x: Any, axis: int | None = None, *, keepdims: bool = False) -> Any:
        if axis is None:
            at = apply(primitive, ravel(x), axis=(0,), keepdims=False)
            return reshape(at, (1,) * len(shape_of(x))) if keepdims else at
        return apply(primitive, x, axis=several_axes((axis,), shape_of(x)), keepdims=keepdims)

    word.__doc__ = f"""The index of the {which} along ``axis``, or in ``x`` laid flat: int64.

    It is the first of equals; as in NumPy, nan is {than} than all. Raises ``ShapeMismatch`` where
    there are no elements.
    """
    word.__name__ = word.__qualname__ = name
    return primitive, library(name)(word)


ARGMAX, argmax = _position("argmax", "largest", "larger")
ARGMIN, argmin = _position("argmin", "smallest", "smaller")


@library("any")
def any(x: Any, axis: Axis | None = None, *, keepdims: bool = False, where: Any = True) -> Any:
    """Whether any over ``axis`` is true, or not 0."""
    return _asked(max, False, x if where is True else choice(where, x, 0), axis, keepdims)


@library("all")
def all(x: Any, axis: Axis | None = None, *, keepdims: bool = False, where: Any = True) -> Any:
    """Whether all over ``axis`` are true, or not 0."""
    return _asked(min, True, x if where is True else choice(where, x, 1), axis, keepdims)


def _asked(
    extreme: Callable[..., Any], empty: bool, x: Any, axis: Axis | None, keepdims: bool
) -> Any:
    """An extreme of booleans; where no element is asked, it is ``empty``'s truth everywhere."""
    shape, axes = shape_of(x), normal_axes(x, axis)
    if 0 not in [shape[a] for a in axes]:
        return extreme(not_equal(x, 0), axis, keepdims=keepdims)
    literal = Literal.filled(empty, tensor(_reduced(Tensor(shape, "bool"), axes, keepdims)))
    return emit(Const(literal))


# ---- along one axis ------------------------------------------------------------------------------


def _along(x: Object, axis: int, reverse: bool = False) -> Tensor:
    given = tensor(x)
    normal_axis(axis, given.shape)
    return given


def _recurrence_type(a: Object, b: Object, axis: int, reverse: bool) -> Object:
    given = _along(a, axis)
    if given.shape != tensor(b).shape:
        raise ShapeMismatch(f"a recurrence has as many coefficients as terms, not {a!r} and {b!r}")
    same_dtype(a, b)
    return given


def _transposed(v: Any, a: Any, b: Any, y: Any, axis: int, reverse: bool) -> tuple[Any, Any]:
    of_terms = recurrence(a, v, axis, not reverse)
    return scale(of_terms, y), of_terms


CUMSUM = declare(
    "cumsum",
    _along,
    Linear(lambda g, x, axis: flip(cumsum(flip(g, axis), axis), axis)),
    promote=summed,
    cost=over_arguments,
)
EXCLUSIVE_CUMPROD = declare(
    "exclusive_cumprod",
    _along,
    Pair(
        (lambda v, x, y, axis, reverse: recurrence(x, scale(v, y), axis, reverse),),
        lambda v, x, y, axis, reverse: (scale(recurrence(x, v, axis, not reverse), y),),
    ),
    promote=summed,
    cost=over_arguments,
)
RECURRENCE = declare(
    "recurrence",
    _recurrence_type,
    Pair(
        (
            lambda v, a, b, y, axis, reverse: recurrence(a, scale(v, y), axis, reverse),
            lambda v, a, b, y, axis, reverse: recurrence(a, v, axis, reverse),
        ),
        _transposed,
    ),
    promote=common_number,
    cost=lambda arguments, _: 2 * arguments[0].size,  # a product and a sum an element
)


@library("cumsum")
def cumsum(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """The sums of the first 1, 2, … elements along ``axis``, or of ``x`` laid flat."""
    x = x if dtype is None else astype(x, dtype)
    if axis is None:
        return cumsum(ravel(x), 0)
    return apply(CUMSUM, x, axis=normal_axis(axis, shape_of(x)))


@library("cumprod")
def cumprod(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """The products of the first 1, 2, … elements along ``axis``, or of ``x`` laid flat."""
    x = x if dtype is None else astype(x, dtype)
    if axis is None:
        return cumprod(ravel(x), 0)
    return multiply(exclusive_cumprod(x, axis), x)


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
