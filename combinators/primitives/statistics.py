"""Means, variances and covariances; and what leaves nan out."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial, update_wrapper
from typing import Any

import numpy as np

from combinators.primitives.arithmetic import divide, isnan, multiply, where
from combinators.primitives.contraction import matmul
from combinators.primitives.elementary import sqrt, square
from combinators.primitives.indexing import getitem
from combinators.primitives.ordering import median, percentile, quantile
from combinators.primitives.reductions import (
    argmax,
    argmin,
    cumprod,
    cumsum,
    max,
    min,
    normal_axes,
    prod,
    sum,
)
from combinators.primitives.shapes import (
    Axis,
    astype,
    broadcast_to,
    concatenate,
    normal_axis,
    reshape,
    shape_of,
    transpose,
)
from combinators.tracing.emit import dtype_of
from combinators.tracing.traced import library


def _count(x: Any, axis: Axis | None) -> float:
    shape = shape_of(x)
    return float(math.prod(shape[a] for a in normal_axes(x, axis)))


@library("mean")
def mean(
    x: Any,
    axis: Axis | None = None,
    dtype: Any = None,
    *,
    keepdims: bool = False,
    where: Any = None,
) -> Any:
    """The mean over ``axis``, or over all, ``where`` a mask holds."""
    # Integers as floats, which do not overflow.
    is_float = dtype is None and np.result_type(dtype_of(x)).kind == "f"
    floats = x if is_float else astype(x, float if dtype is None else dtype)
    total = sum(floats, axis, keepdims=keepdims, where=where)
    return divide(total, _count(x, axis) if where is None else _chosen(x, axis, keepdims, where))


def _chosen(x: Any, axis: Axis | None, keepdims: bool, mask: Any) -> Any:
    """How many a mask chooses."""
    return sum(broadcast_to(mask, shape_of(x)), axis, keepdims=keepdims)


@library("var")
def var(
    x: Any,
    axis: Axis | None = None,
    dtype: Any = None,
    *,
    ddof: float = 0,
    keepdims: bool = False,
    mean: Any = None,
    correction: float | None = None,
    where: Any = None,
) -> Any:
    """The variance over ``axis``, or over all: the mean square distance from the mean."""
    x = x if dtype is None else astype(x, dtype)
    middle = _mean(x, axis, keepdims=True, where=where) if mean is None else mean
    squares = sum(square(x - middle), axis, keepdims=keepdims, where=where)
    count = _count(x, axis) if where is None else _chosen(x, axis, keepdims, where)
    return divide(squares, count - (ddof if correction is None else correction))


_mean = mean


@library("std")
def std(x: Any, axis: Axis | None = None, dtype: Any = None, **options: Any) -> Any:
    """The standard deviation over ``axis``, or over all, with the options of ``var``."""
    return sqrt(var(x, axis, dtype, **options))


@library("average")
def average(
    a: Any,
    axis: int | None = None,
    weights: Any = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Any:
    """The mean, of which ``weights`` say how much each counts; with ``returned``, and their sum."""
    if weights is None:
        made, total = mean(a, axis, keepdims=keepdims), _count(a, axis)
    else:
        if shape_of(weights) != shape_of(a):
            along = normal_axis(0 if axis is None else axis, shape_of(a))
            lined = [1] * len(shape_of(a))
            lined[along] = shape_of(weights)[0]
            weights = reshape(weights, tuple(lined))
        weights = broadcast_to(weights, shape_of(a))
        total = sum(weights, axis, keepdims=keepdims)
        made = divide(sum(multiply(a, weights), axis, keepdims=keepdims), total)
    return (made, broadcast_to(total, shape_of(made))) if returned else made


@library("ptp")
def ptp(a: Any, axis: Axis | None = None, *, keepdims: bool = False) -> Any:
    """From the smallest to the largest."""
    return max(a, axis, keepdims=keepdims) - min(a, axis, keepdims=keepdims)


@library("count_nonzero")
def count_nonzero(a: Any, axis: Axis | None = None, *, keepdims: bool = False) -> Any:
    """How many are not 0, or true."""
    return sum(a != 0, axis, keepdims=keepdims)


@library("cov")
def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
) -> Any:
    """The covariances of variables, which are rows; of columns, where not ``rowvar``."""

    def rows(x: Any) -> Any:
        whole = reshape(x, (1, -1)) if len(shape_of(x)) < 2 else x
        return transpose(whole) if not rowvar and len(shape_of(x)) == 2 else whole

    x = rows(m) if y is None else concatenate([rows(m), rows(y)])
    less = (0 if bias else 1) if ddof is None else ddof
    weights = 1.0 if fweights is None else fweights
    each = weights if aweights is None else multiply(weights, aweights)
    each = broadcast_to(each, shape_of(x)[-1:])
    total = sum(each)
    middle = divide(matmul(x, each), total)
    apart = x - reshape(middle, (-1, 1))
    lost = less if aweights is None else less * divide(sum(multiply(each, aweights)), total)
    made = divide(matmul(multiply(apart, each), transpose(apart)), total - lost)
    return reshape(made, tuple(n for n in shape_of(made) if n > 1))


@library("corrcoef")
def corrcoef(x: Any, y: Any = None, rowvar: bool = True) -> Any:
    """The coefficients of correlation of variables, which are rows."""
    found = cov(x, y, rowvar)
    if not shape_of(found):
        return divide(found, found)
    sizes = sqrt(getitem(found, (range_ := np.arange(shape_of(found)[0]), range_)))
    return divide(divide(found, reshape(sizes, (-1, 1))), sizes)


# ---- without what is nan -------------------------------------------------------------------------


def _filled(x: Any, number: float) -> Any:
    return where(isnan(x), number, x) if np.result_type(dtype_of(x)).kind == "f" else x


def _leaving_out(name: str, word: Callable[..., Any], number: float) -> Callable[..., Any]:
    """``word`` of what is no number; nan counts as ``number``."""

    def left(a: Any, axis: Any = None, **options: Any) -> Any:
        return word(_filled(a, number), axis, **options)

    left.__name__ = left.__qualname__ = name
    left.__doc__ = f"``{name[3:]}``, of what is not nan."
    return library(name)(left)


nansum, nancumsum = (_leaving_out(f"nan{f.__name__}", f, 0.0) for f in (sum, cumsum))
nanprod, nancumprod = (_leaving_out(f"nan{f.__name__}", f, 1.0) for f in (prod, cumprod))
nanargmax, nanargmin = (
    _leaving_out(f"nan{f.__name__}", f, n) for f, n in ((argmax, -math.inf), (argmin, math.inf))
)


def _or_nan(name: str, word: Callable[..., Any], number: float) -> Callable[..., Any]:
    """The same, and nan where there is nothing else."""

    def left(a: Any, axis: Any = None, *, keepdims: bool = False, where: Any = None) -> Any:
        made = word(_filled(a, number), axis, keepdims=keepdims, where=where)
        return chosen_where(_present(a, axis, keepdims=keepdims) == 0, math.nan, made)

    left.__name__ = left.__qualname__ = name
    left.__doc__ = f"``{name[3:]}``, of what is not nan; nan where there is nothing else."
    return library(name)(left)


chosen_where = where


def _present(x: Any, axis: Any, *, keepdims: bool = False) -> Any:
    return sum(~isnan(x), axis, keepdims=keepdims)


nanmax, nanmin = (_or_nan(f"nan{f.__name__}", f, n) for f, n in ((max, -math.inf), (min, math.inf)))


@library("nanmean")
def nanmean(a: Any, axis: Axis | None = None, *, keepdims: bool = False) -> Any:
    """The mean of what is not nan."""
    return mean(_filled(a, 0.0), axis, keepdims=keepdims, where=~isnan(a))


@library("nanvar")
def nanvar(a: Any, axis: Axis | None = None, *, ddof: float = 0, keepdims: bool = False) -> Any:
    """The variance of what is not nan."""
    options: dict[str, Any] = {"ddof": ddof, "keepdims": keepdims, "where": ~isnan(a)}
    return var(_filled(a, 0.0), axis, **options)


@library("nanstd")
def nanstd(a: Any, axis: Axis | None = None, *, ddof: float = 0, keepdims: bool = False) -> Any:
    """The standard deviation of what is not nan."""
    return sqrt(nanvar(a, axis, ddof=ddof, keepdims=keepdims))


def _counting(word: Callable[..., Any]) -> Callable[..., Any]:
    """A quantile of as many as are not nan, which stand first in order."""
    counting = update_wrapper(partial(word, count=_present), word)
    counting.__name__ = f"nan{word.__name__}"
    return library(f"nan{word.__name__}")(counting)


nanmedian, nanquantile, nanpercentile = map(_counting, (median, quantile, percentile))
