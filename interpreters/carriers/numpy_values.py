"""The values on NumPy's scalars and arrays of the primitives that are not pointwise.

Element types are kept, and a number stays a NumPy scalar, not an array of shape ``()``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from interpreters.carriers.places import (
    add_at,
    exact,
    nonnegative,
    nonzero,
    put,
    take,
    whole,
    within,
)
from interpreters.carriers.pointwise_values import scaled
from interpreters.carriers.recurrences import exclusive_cumprod, recurrence
from interpreters.sparse_cotangents import Part

Make = Callable[..., Callable[..., Any]]
"""From a primitive's parameters to what computes it."""

Shape = tuple[int, ...]


def _absorbing_matmul(x: Any, y: Any) -> Any:
    """The plain product; where that gives a nan, the terms that are not finite are ``scale``'s."""
    product = np.matmul(x, y)
    if not np.isnan(product).any():
        return product
    inner = x.shape[-1]
    rows, columns = np.isfinite(x), np.isfinite(y).swapaxes(-1, -2)
    fine = rows.reshape(-1, inner).all(0) & columns.reshape(-1, inner).all(0)
    product = np.matmul(x[..., fine], y[..., fine, :])
    for k in np.flatnonzero(~fine):
        product += scaled(x[..., k, None], y[..., k, None, :])
    return product


def _where(p: Any, x: Any, y: Any) -> Any:
    return np.where(p, x, y)[()]


def _convert(dtype: str) -> Any:
    return lambda x: x.astype(dtype)


def _reduce(function: Callable[..., Any]) -> Make:
    def make(axis: Shape, keepdims: bool) -> Callable[..., Any]:
        return lambda x: function(x, axis=axis, keepdims=keepdims)[()]

    return make


def _search(function: Callable[..., Any]) -> Make:
    """Where along one axis an element is."""

    def make(axis: Shape, keepdims: bool) -> Callable[..., Any]:
        return lambda x: function(x, axis=axis[0], keepdims=keepdims)

    return make


def _accumulate(function: Callable[..., Any]) -> Make:
    """A reduction in the element type of its argument, which NumPy would widen."""

    def make(axis: Shape, keepdims: bool) -> Callable[..., Any]:
        return lambda x: function(x, axis=axis, keepdims=keepdims, dtype=x.dtype)[()]

    return make


def _recurrence(axis: int, reverse: bool) -> Callable[..., Any]:
    """The plain products, and those that absorb only where that gives a nan."""
    plain, absorbing = (recurrence(axis, reverse, times) for times in (np.multiply, scaled))

    def compute(a: Any, b: Any) -> Any:
        y = plain(a, b)
        return absorbing(a, b) if np.isnan(np.sum(y)) else y

    return compute


def _logsumexp(axis: Shape, keepdims: bool) -> Callable[..., Any]:
    def compute(x: Any) -> Any:
        largest = np.max(x, axis=axis, keepdims=True)
        base = np.where(np.isfinite(largest), largest, np.zeros_like(largest))
        total = np.log(np.sum(np.exp(x - base), axis=axis, keepdims=True)) + base
        return (total if keepdims else np.squeeze(total, axis))[()]

    return compute


def _slices(start: Shape, step: Shape, extent: Shape) -> tuple[slice, ...]:
    ends = (first + stride * n for first, stride, n in zip(start, step, extent, strict=True))
    return tuple(
        slice(first, end if end >= 0 else None, stride)
        for first, end, stride in zip(start, ends, step, strict=True)
    )


def _slice(start: Shape, step: Shape, extent: Shape) -> Callable[..., Any]:
    window = _slices(start, step, extent)
    return lambda x: x[window]


def _embed(start: Shape, step: Shape, shape: Shape) -> Callable[..., Any]:
    def compute(x: Any) -> Any:
        whole = np.zeros(shape, x.dtype)
        whole[_slices(start, step, np.shape(x))] = x
        return whole[()]

    return compute


def scatter_into(whole: Any, parts: Sequence[Part]) -> None:
    """Add each part to ``whole`` in its place; the array is written to."""
    for operation, _, (x, *indices) in parts:
        parameters = operation.keywords
        if operation.name == "embed":
            whole[_slices(parameters["start"], parameters["step"], np.shape(x))] += x
            continue
        add_at(whole, parameters["axis"], indices, x)


VALUES: dict[str, Make] = {
    "iota": lambda length: lambda: np.arange(length, dtype=np.int64),
    "where": lambda: _where,
    "convert": _convert,
    "stop_gradient": lambda: lambda x: x,
    "broadcast_to": lambda shape: lambda x: np.broadcast_to(x, shape)[()],
    "reshape": lambda shape: lambda x: np.reshape(x, shape)[()],
    "transpose": lambda axes: lambda x: np.transpose(x, axes)[()],
    "slice": _slice,
    "embed": _embed,
    "take": take,
    "put": put,
    "within": within,
    "nonzero": nonzero,
    "nonnegative": nonnegative,
    "whole": whole,
    "exact": exact,
    "concatenate": lambda axis: lambda *parts: np.concatenate(parts, axis),
    "sum": _accumulate(np.sum),
    "prod": _accumulate(np.prod),
    "cumsum": lambda axis: lambda x: np.cumsum(x, axis, dtype=x.dtype),
    "exclusive_cumprod": exclusive_cumprod,
    "recurrence": _recurrence,
    "max": _reduce(np.max),
    "min": _reduce(np.min),
    "argmax": _search(np.argmax),
    "argmin": _search(np.argmin),
    "logsumexp": _logsumexp,
    "matmul": lambda absorbing=False: _absorbing_matmul if absorbing else np.matmul,
}
"""What makes the computation of each primitive that is not pointwise."""
