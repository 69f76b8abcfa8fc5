"""Order: where elements stand once they are sorted, and what is taken from there.

An order is of integers, and has no derivative; what is taken by it has that of ``take``. So the
derivative of ``sort`` puts each cotangent where its element came from.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from combinators.errors import ShapeMismatch, TypeMismatch
from combinators.objects import Object, Tensor
from combinators.operation import CONSTANT, Primitive, declare, over_arguments
from combinators.primitives.arithmetic import ceil, clip, floor, isnan, minimum, where
from combinators.primitives.arithmetic import round as nearest
from combinators.primitives.indexing import put_at, static_index, take_at
from combinators.primitives.reductions import Axes, max, min, sum
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
    window,
)
from combinators.primitives.signatures import common, common_number, same_dtype, tensor
from combinators.tracing.emit import apply, dtype_of
from combinators.tracing.traced import Traced, library


def _places(x: Object, axis: int) -> Object:
    return Tensor(tensor(x).shape, "int64")


_order = partial(
    declare,
    typing=_places,
    derivative=CONSTANT,
    promote=common_number,
    cost=lambda arguments, _: arguments[0].size * math.ceil(math.log2(arguments[0].size + 1)),
    kink="its derivative is 0 everywhere; equal elements stay in their order",
)
ARGSORT = _order("argsort")
RUNNING_ARGMAX, RUNNING_ARGMIN = (
    declare(
        f"running_{name}",
        _places,
        CONSTANT,
        promote=common_number,
        cost=over_arguments,
        kink="its derivative is 0 everywhere; of equal elements it is the last",
    )
    for name in ("argmax", "argmin")
)


def _along(x: Any, axis: int | None) -> tuple[Any, int]:
    return (ravel(x), 0) if axis is None else (x, normal_axis(axis, shape_of(x)))


@library("argsort")
def argsort(a: Any, axis: int | None = -1, kind: Any = None, *, stable: Any = None) -> Any:
    """The indices that sort ``a`` along ``axis``, or laid flat: int64; equal ones in order."""
    x, along = _along(a, axis)
    return apply(ARGSORT, x, axis=along)


@library("argpartition")
def argpartition(a: Any, kth: Any, axis: int | None = -1) -> Any:
    """The same, which is one of the partitions at any ``kth``."""
    return argsort(a, axis)


@library("sort")
def sort(a: Any, axis: int | None = -1, kind: Any = None, *, stable: Any = None) -> Any:
    """``a`` in order along ``axis``, or laid flat; nan is last."""
    x, along = _along(a, axis)
    return take_along_axis(x, argsort(x, along), along)


@library("partition")
def partition(a: Any, kth: Any, axis: int | None = -1) -> Any:
    """``a`` in order, which is one of the partitions at any ``kth``."""
    return sort(a, axis)


@library("take_along_axis")
def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Any:
    """From each line along ``axis`` the elements at the ``indices`` of that line."""
    x, along = _along(arr, axis)
    shape = shape_of(x)
    if len(shape_of(indices)) != len(shape):
        raise ShapeMismatch(
            f"indices of shape {shape_of(indices)} have not as many axes as an array of {shape}"
        )
    if len(shape) == 1:
        return take_at(x, [static_index(indices, 0, shape)], 0)
    lined = [
        np.arange(n).reshape([-1 if a == b else 1 for b in range(len(shape))])
        for a, n in enumerate(shape)
    ]
    return take_at(x, [*lined[:along], static_index(indices, along, shape), *lined[along + 1 :]], 0)


def _running(name: str, primitive: Primitive, which: str) -> Callable[..., Any]:
    def word(a: Any, axis: int | None = None) -> Any:
        x, along = _along(a, axis)
        return take_along_axis(x, apply(primitive, x, axis=along), along)

    word.__name__ = word.__qualname__ = name
    word.__doc__ = f"The {which} of the first 1, 2, … elements along ``axis``, or laid flat."
    return library(name)(word)


cummax = _running("cummax", RUNNING_ARGMAX, "largest")
cummin = _running("cummin", RUNNING_ARGMIN, "smallest")


@library("linspace")
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """``num`` numbers from ``start`` to ``stop``, at equal steps along a new ``axis``."""
    spaces = builtins.max(num - 1 if endpoint else num, 1)
    step = (stop - start) / spaces
    at = np.arange(num, dtype=float).reshape((-1,) + (1,) * len(shape_of(step)))
    made = start + at * step
    if endpoint and num > 1:
        made = where(at == num - 1, stop, made)
    made = moveaxis(made if dtype is None else astype(made, dtype), 0, axis)
    return (made, step) if retstep else made


# ---- in sorted arrays ----------------------------------------------------------------------------


def _searched(a: Object, v: Object, side: str) -> Object:
    if len(tensor(a).shape) != 1:
        raise ShapeMismatch(f"what is searched is a vector in order, and this is {a!r}")
    same_dtype(a, v)
    return Tensor(tensor(v).shape, "int64")


SEARCHSORTED = declare(
    "searchsorted",
    _searched,
    CONSTANT,
    promote=common,
    cost=lambda xs, _: xs[1].size * math.ceil(math.log2(xs[0].size + 1)),
    kink="its derivative is 0 everywhere",
)


@library("searchsorted")
def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """Where ``v`` would stand in the vector ``a``, which is in order, or is by ``sorter``."""
    if side not in ("left", "right"):
        raise TypeMismatch(f"side is 'left' or 'right', and not {side!r:.30}")
    given = a if sorter is None else take_at(a, [static_index(sorter, 0, shape_of(a))], 0)
    return apply(SEARCHSORTED, given, v, side=side)


@library("digitize")
def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """In which of ``bins``, which increase, or decrease and are known, ``x`` lies."""
    side = "left" if right else "right"
    if not isinstance(bins, Traced) and len(bins) > 1 and bins[0] > bins[-1]:
        return len(bins) - searchsorted(flip(bins), x, "right" if right else "left")
    return searchsorted(bins, x, side)


@library("bincount")
def bincount(x: Any, weights: Any = None, minlength: int = 0) -> Any:
    """How often, or with which ``weights``, each integer from 0 on stands in ``x``.

    Integers that are traced are counted below ``minlength``.
    """
    length = int(minlength)
    if not isinstance(x, Traced):
        length = np.max([length, np.max(x, initial=-1) + 1])
    elif not length:
        raise TypeMismatch(
            "bincount of what is traced has a length that is not known; write minlength=, the "
            "number of integers to count"
        )
    each = np.ones(shape_of(x), np.int64) if weights is None else astype(weights, np.float64)
    return put_at(each, [x], 0, (int(length),))


@library("histogram_bin_edges")
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """The edges of ``bins``, so many of one width or the edges themselves, over ``range``."""
    if not isinstance(bins, int):
        return bins
    low, high = (min(a), max(a)) if range is None else range
    return linspace(low, high, bins + 1)


@library("histogram")
def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: bool = False, weights: Any = None
) -> Any:
    """How many numbers, or which ``weights``, lie in each of the ``bins``; and their edges."""
    edges = histogram_bin_edges(a, bins, range)
    count = shape_of(edges)[0] - 1
    flat, last = ravel(a), take_at(edges, [count], 0)
    at = where(flat == last, count - 1, searchsorted(edges, flat, "right") - 1)
    each = np.ones(shape_of(flat), np.int64) if weights is None else ravel(weights)
    found = put_at(each, [at], 0, (count,))
    if density:
        widths = window(edges, (1,), (1,), (count,)) - window(edges, (0,), (1,), (count,))
        found = found / widths / sum(found)
    return found, edges


@library("interp")
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    """The line through the points ``xp``, which increase, and ``fp``; level outside."""
    last = shape_of(xp)[0] - 1
    after = clip(searchsorted(xp, x, "right"), 1, last) if last else np.zeros(shape_of(x), int)
    (x0, x1), (y0, y1) = ((take_at(z, [after - 1], 0), take_at(z, [after], 0)) for z in (xp, fp))
    steep = (y1 - y0) / where(x1 == x0, 1.0, x1 - x0)
    inside = y0 + steep * (x - x0)
    ends = [take_at(z, [at], 0) for z in (xp, fp) for at in (0, last)]
    low = ends[2] if left is None else left
    high = ends[3] if right is None else right
    return where(x < ends[0], low, where(x > ends[1], high, where(x == ends[1], ends[3], inside)))


# ---- quantiles -----------------------------------------------------------------------------------

_PLOTTING = {
    "linear": (1.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
"""Hyndman & Fan, *Sample quantiles in statistical packages* (1996): α and β of each method."""
_STEPS = {
    "lower": floor,
    "higher": ceil,
    "nearest": nearest,
    "midpoint": lambda at: 0.5 * (floor(at) + ceil(at)),
}


@library("quantile")
def quantile(
    a: Any,
    q: Any,
    axis: Axis | None = None,
    method: str = "linear",
    *,
    keepdims: bool = False,
    count: Callable[..., Any] | None = None,
) -> Any:
    """Below which the part ``q`` of the elements lies, along ``axis`` or of all.

    ``q`` may be traced. Where an element is nan, so is the quantile, unless ``count`` says how many
    count.
    """
    if method not in _PLOTTING and method not in _STEPS:
        known = ", ".join((*_PLOTTING, *_STEPS))
        raise TypeMismatch(f"the method of a quantile is one of {known}, and not {method!r:.30}")
    x = a if np.result_type(dtype_of(a)).kind == "f" else astype(a, np.float64)
    axes, shape = several_axes(axis, shape_of(x)), shape_of(x)
    kept: Axes = tuple(n for i, n in enumerate(shape) if i not in axes)
    lines = reshape(moveaxis(x, axes, tuple(range(-len(axes), 0))), (*kept, -1))
    length, parts = shape_of(lines)[-1], reshape(q, (-1,))
    if not length:
        raise ShapeMismatch(f"there is no quantile of no elements, over {axes} of shape {shape}")
    n = length if count is None else count(lines, -1, keepdims=True)
    found = _between(sort(lines), n, parts, method)
    lost = isnan(max(lines, -1, keepdims=True)) if count is None else n == 0
    found = moveaxis(where(lost, math.nan, found), -1, 0)
    rest = tuple(1 if i in axes else n for i, n in enumerate(shape)) if keepdims else kept
    return reshape(found, (*shape_of(q), *rest))


def _between(lines: Any, n: Any, q: Any, method: str) -> Any:
    """What lies at the part ``q`` of the first ``n`` of lines in order."""
    low, high = _PLOTTING.get(method, (1.0, 1.0))
    at = n * q + (low + q * (1.0 - low - high)) - 1.0 if low < 1.0 else (n - 1) * q
    at = clip(_STEPS[method](at) if method in _STEPS else at, 0.0, n - 1.0)
    before = floor(at)

    def taken(index: Any) -> Any:
        if not isinstance(index, Traced) and len(shape_of(index)) == 1:
            return take_at(lines, [index], len(shape_of(lines)) - 1)
        spread = broadcast_to(index, (*shape_of(lines)[:-1], shape_of(index)[-1]))
        return take_along_axis(lines, spread, -1)

    index = astype(before, np.int64)
    below, above = taken(index), taken(minimum(index + 1, astype(n - 1, np.int64)))
    return below + (above - below) * astype(at - before, dtype_of(lines))


@library("percentile")
def percentile(a: Any, q: Any, axis: Axis | None = None, **options: Any) -> Any:
    """``quantile``, of parts of a hundred."""
    return quantile(a, q / 100.0 if isinstance(q, Traced) else np.divide(q, 100.0), axis, **options)


@library("median")
def median(a: Any, axis: Axis | None = None, **options: Any) -> Any:
    """The element in the middle, or the mean of the two that are there."""
    return quantile(a, 0.5, axis, **options)
