"""The values on NumPy's scalars and arrays of the primitives that are not pointwise.

Element types are kept, and a number stays a NumPy scalar, not an array of shape ``()``. An index is
outside where it is not in ``[0, n)``, so that a negative one is, too: it reads 0, and puts nowhere
(003, section 5.2, asks that reading is total).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from operator import and_
from typing import Any

import numpy as np

from combinators.errors import (
    DivisionByZero,
    DomainError,
    IndexOutOfRange,
    IntegerOverflow,
    Place,
    TooManyRounds,
)
from interpreters.carriers.carrier import Compute
from interpreters.carriers.opaque_values import OPAQUE, opaque
from interpreters.carriers.pointwise_values import scaled
from interpreters.sparse_cotangents import Part

Make = Callable[..., Compute]
"""From a primitive's parameters to what computes it."""

Shape = tuple[int, ...]


# ---- sums, products and searches -----------------------------------------------------------------


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


def _reduce(ufunc: np.ufunc) -> Make:
    """A reduction in the element type of its argument, which NumPy would widen."""
    return lambda axis, keepdims: (
        lambda x: np.asarray(ufunc.reduce(x, axis=axis, keepdims=keepdims, dtype=x.dtype), x.dtype)[
            ()
        ]
    )


def _search(function: Callable[..., Any]) -> Make:
    return lambda axis, keepdims: lambda x: function(x, axis=axis[0], keepdims=keepdims)


def _logsumexp(axis: Shape, keepdims: bool) -> Compute:
    def compute(x: Any) -> Any:
        largest = np.max(x, axis=axis, keepdims=True)
        base = np.where(np.isfinite(largest), largest, np.zeros_like(largest))
        total = np.log(np.sum(np.exp(x - base), axis=axis, keepdims=True)) + base
        return (total if keepdims else np.squeeze(total, axis))[()]

    return compute


# ---- running products and linear recurrences, of any numbers -------------------------------------


def exclusive_cumprod(axis: int, reverse: bool) -> Compute:
    """For each element of an array, the product of those before it; of those behind, reversed."""

    def compute(x: Any) -> Any:
        y = np.ones_like(x)
        numbers, products = (_turned(array, axis, reverse) for array in (x, y))
        np.multiply.accumulate(numbers[:-1], out=products[1:])
        return y

    return compute


def recurrence(axis: int, reverse: bool, times: Callable[[Any, Any], Any]) -> Compute:
    """``y₀ = 0``, ``yⱼ₊₁ = times(aⱼ, yⱼ) + bⱼ``."""

    def compute(a: Any, b: Any) -> Any:
        y = np.zeros_like(b)
        factors, terms, sums = (_turned(array, axis, reverse) for array in (a, b, y))
        sums[1:] = terms[:-1]
        _solve(factors[:-1], sums[1:], times)
        return y

    return compute


def _turned(x: Any, axis: int, reverse: bool) -> Any:
    """``x`` seen with ``axis`` in front, from its end if reversed."""
    return np.swapaxes(x, 0, axis)[:: -1 if reverse else 1]


def _solve(a: Any, y: Any, times: Callable[[Any, Any], Any]) -> None:
    """Add ``aⱼ yⱼ₋₁`` to each ``yⱼ``, from the second, in place.

    By pairs, as in Blelloch's scans: two steps together are one of the same form, so that a problem
    of half the length gives every other element. Five operations an element, in as many array
    operations as there are halvings.
    """
    last = len(y) - 1
    if last < 1:
        return
    odds = a[1::2]
    pairs = times(odds, y[:last:2])
    pairs += y[1::2]
    _solve(times(odds, a[:last:2]), pairs, times)
    y[1::2] = pairs
    y[2::2] += times(a[2::2], pairs[: last // 2])


def _recurrence(axis: int, reverse: bool) -> Compute:
    """The plain products, and those that absorb only where that gives a nan."""
    plain, absorbing = (recurrence(axis, reverse, times) for times in (np.multiply, scaled))

    def compute(a: Any, b: Any) -> Any:
        y = plain(a, b)
        return absorbing(a, b) if np.isnan(np.sum(y)) else y

    return compute


# ---- elements in their places --------------------------------------------------------------------


def _where(p: Any, x: Any, y: Any) -> Any:
    return np.where(p, x, y)[()]


def _slices(start: Shape, step: Shape, extent: Shape) -> tuple[slice, ...]:
    ends = (first + stride * n for first, stride, n in zip(start, step, extent, strict=True))
    return tuple(
        slice(first, end if end >= 0 else None, stride)
        for first, end, stride in zip(start, ends, step, strict=True)
    )


def _slice(start: Shape, step: Shape, extent: Shape) -> Compute:
    window = _slices(start, step, extent)
    return lambda x: x[window]


def _embed(start: Shape, step: Shape, shape: Shape) -> Compute:
    def compute(x: Any) -> Any:
        whole = np.zeros(shape, x.dtype)
        whole[_slices(start, step, np.shape(x))] = x
        return whole[()]

    return compute


def _take(axis: int) -> Compute:
    """``x[:, …, i, j, …]``, with as many ``:`` as ``axis`` says."""
    before = (slice(None),) * axis

    def compute(x: Any, *indices: Any) -> Any:
        extents = np.shape(x)[axis : axis + len(indices)]
        if all(map(fits, indices, extents)):
            return x[(*before, *indices)]
        inside = _inside(indices, extents)
        if 0 in extents:
            rest = x.shape[axis + len(indices) :]
            return np.zeros((*x.shape[:axis], *np.shape(inside), *rest), x.dtype)[()]
        taken = np.array(x[(*before, *(np.where(inside, index, 0) for index in indices))])
        taken[(*before, ~inside)] = 0
        return taken[()]

    return compute


def _put(axis: int, extents: Shape) -> Compute:

    def compute(x: Any, *indices: Any) -> Any:
        rank = len(np.broadcast_shapes(*map(np.shape, indices)))
        shape = np.shape(x)
        whole = np.zeros((*shape[:axis], *extents, *shape[axis + rank :]), x.dtype)
        _add_at(whole, axis, indices, x)
        return whole

    return compute


def _add_at(whole: Any, axis: int, indices: Sequence[Any], x: Any) -> None:
    """Add ``x`` to ``whole`` at ``indices``, several times where they repeat."""
    extents = whole.shape[axis : axis + len(indices)]
    before = (slice(None),) * axis
    if not all(map(fits, indices, extents)):
        inside = _inside(indices, extents)
        indices = [np.broadcast_to(index, inside.shape)[inside] for index in indices]
        x = np.asarray(x)[(*before, inside)]
    if all(np.ndim(index) == 0 for index in indices):
        whole[(*before, *indices)] += x
    else:
        np.add.at(whole, (*before, *indices), x)


def scattered(whole: Any, parts: Sequence[Part]) -> Any:
    """A copy of ``whole``, to which each part is added in its place."""
    array = np.array(whole)
    for operation, _, (x, *indices) in parts:
        parameters = operation.keywords
        if operation.name == "embed":
            array[_slices(parameters["start"], parameters["step"], np.shape(x))] += x
        else:
            _add_at(array, parameters["axis"], indices, x)
    return array


def fits(index: Any, extent: int) -> bool:
    """Whether no index is outside."""
    if not np.ndim(index):
        return bool(0 <= index < extent)
    return not index.size or bool(index.min() >= 0 and index.max() < extent)


def _inside(indices: Sequence[Any], extents: Shape) -> Any:
    """Where all indices are inside."""
    tests = [(index >= 0) & (index < n) for index, n in zip(indices, extents, strict=True)]
    return np.asarray(reduce(and_, tests))


# ---- what a checked program asks of its numbers --------------------------------------------------


def _asked(check: Callable[..., None]) -> Make:
    """The first argument, of which ``check`` raises an error that names the user's line."""

    def make(**given: Any) -> Compute:
        def compute(x: Any, *others: Any) -> Any:
            check(x, *others, **given)
            return x

        return compute

    return make


def _within(index: Any, axis: int, extent: int, place: Place | None) -> None:
    if not fits(index, extent):
        wrong = next(i for i in np.ravel(index) if not 0 <= i < extent)
        raise IndexOutOfRange(
            f"the index {wrong} is outside axis {axis}, of extent {extent}: indices that are "
            f"computed go from 0 to {extent - 1}, and without checked=True it reads 0 and "
            f"puts nowhere; write np.clip(i, 0, {extent - 1}), or see to it that i is within",
            place,
        )


def _nonzero(divisor: Any, place: Place | None) -> None:
    if not np.all(divisor):
        raise DivisionByZero(
            "an integer is divided by zero, which gives 0 without checked=True; "
            "write np.where(d == 0, 1, d) for the divisor, or see to it that it is not 0",
            place,
        )


def _nonnegative(exponent: Any, place: Place | None) -> None:
    if not np.all(exponent >= 0):
        raise DomainError(
            f"an integer is raised to the power {np.min(exponent)}, which gives the integer "
            "part without checked=True; write x.astype(float) ** n, or np.maximum(n, 0) for "
            "the exponent, or see to it that it is not negative",
            place,
        )


def _whole(number: Any, dtype: str, place: Place | None) -> None:
    info = np.iinfo(dtype)
    inside = (number > info.min - 1.0) & (number < info.max + 1.0)
    if not np.all(inside):
        wrong = np.ravel(number)[~np.ravel(inside)][0]
        raise IntegerOverflow(
            f"{wrong} becomes an integer of type {dtype}, and is none: without checked=True "
            "it gives some integer; write np.where(np.isfinite(x), x, 0.0) before",
            place,
        )


def _exact(*xs: Any, of: str, axis: Any, dtype: str, place: Place | None) -> None:
    info = np.iinfo(dtype)
    options = {} if axis is None else {"axis": axis}
    found = getattr(np, of)(*(np.asarray(x).astype(object) for x in xs), **options)
    if any(not info.min <= one <= info.max for one in np.ravel(found)):
        raise IntegerOverflow(
            f"{of} gives an integer that {dtype} does not hold, and without checked=True it "
            "wraps; write x.astype(float) before, or see to it that it stays small",
            place,
        )


def _limited(n: Any, most: int, did: str, place: Place | None) -> None:
    if not np.all(n < most):
        raise TooManyRounds(f"{did} more than {most} times; {TooManyRounds.ADVICE}", place)


# ---- the table -----------------------------------------------------------------------------------

VALUES: dict[str, Make] = {
    "iota": lambda length: lambda: np.arange(length, dtype=np.int64),
    "where": lambda: _where,
    "convert": lambda dtype: lambda x: x.astype(dtype),
    "stop_gradient": lambda: lambda x: x,
    "broadcast_to": lambda shape: lambda x: np.broadcast_to(x, shape)[()],
    "reshape": lambda shape: lambda x: np.reshape(x, shape)[()],
    "transpose": lambda axes: lambda x: np.transpose(x, axes)[()],
    "slice": _slice,
    "embed": _embed,
    "take": _take,
    "put": _put,
    "within": _asked(_within),
    "nonzero": _asked(_nonzero),
    "nonnegative": _asked(_nonnegative),
    "whole": _asked(_whole),
    "exact": _asked(_exact),
    "limited": _asked(_limited),
    "concatenate": lambda axis: lambda *parts: np.concatenate(parts, axis),
    "sum": _reduce(np.add),
    "prod": _reduce(np.multiply),
    "cumsum": lambda axis: lambda x: np.cumsum(x, axis, dtype=x.dtype),
    "exclusive_cumprod": exclusive_cumprod,
    "recurrence": _recurrence,
    "max": _reduce(np.maximum),
    "min": _reduce(np.minimum),
    "argmax": _search(np.argmax),
    "argmin": _search(np.argmin),
    "logsumexp": _logsumexp,
    "matmul": lambda absorbing=False: _absorbing_matmul if absorbing else np.matmul,
    **{name: partial(opaque, name) for name in OPAQUE},
}
"""What makes the computation of each primitive that is not pointwise."""
