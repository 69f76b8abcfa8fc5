"""``take`` and ``put`` of NumPy's arrays: an index outside reads 0, and puts nowhere.

An index is outside where it is not in ``[0, n)``, so that a negative one is, too (003, section 5.2,
asks that reading is total).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import and_
from typing import Any

import numpy as np

from combinators.errors import DivisionByZero, DomainError, IndexOutOfRange, IntegerOverflow, Place

Shape = tuple[int, ...]


def take(axis: int) -> Callable[..., Any]:
    """What computes ``take``: ``x[:, …, i, j, …]``, with as many ``:`` as ``axis`` says."""
    before = (slice(None),) * axis

    def compute(x: Any, *indices: Any) -> Any:
        extents = np.shape(x)[axis : axis + len(indices)]
        if _all_fit(indices, extents):
            return x[(*before, *indices)]
        inside = _inside(indices, extents)
        if 0 in extents:
            rest = x.shape[axis + len(indices) :]
            return np.zeros((*x.shape[:axis], *np.shape(inside), *rest), x.dtype)[()]
        taken = np.array(x[(*before, *(np.where(inside, index, 0) for index in indices))])
        taken[(*before, ~inside)] = 0
        return taken[()]

    return compute


def put(axis: int, extents: Shape) -> Callable[..., Any]:
    """What computes ``put``: zeros of these extents, to which elements are added."""

    def compute(x: Any, *indices: Any) -> Any:
        rank = len(np.broadcast_shapes(*map(np.shape, indices)))
        shape = np.shape(x)
        whole = np.zeros((*shape[:axis], *extents, *shape[axis + rank :]), x.dtype)
        add_at(whole, axis, indices, x)
        return whole

    return compute


def add_at(whole: Any, axis: int, indices: Sequence[Any], x: Any) -> None:
    """Add ``x`` to ``whole`` at ``indices``, several times where they repeat."""
    extents = whole.shape[axis : axis + len(indices)]
    before = (slice(None),) * axis
    if not _all_fit(indices, extents):
        inside = _inside(indices, extents)
        indices = [np.broadcast_to(index, inside.shape)[inside] for index in indices]
        x = np.asarray(x)[(*before, inside)]
    if all(np.ndim(index) == 0 for index in indices):
        whole[(*before, *indices)] += x
    else:
        np.add.at(whole, (*before, *indices), x)


def within(axis: int, extent: int, place: Place | None) -> Callable[..., Any]:
    """What computes ``within``: the index, or an error that names the user's line."""

    def compute(index: Any) -> Any:
        if not fits(index, extent):
            wrong = next(i for i in np.ravel(index) if not 0 <= i < extent)
            raise IndexOutOfRange(
                f"the index {wrong} is outside axis {axis}, of extent {extent}: indices that are "
                f"computed go from 0 to {extent - 1}, and without checked=True it reads 0 and "
                f"puts nowhere; write np.clip(i, 0, {extent - 1}), or see to it that i is within",
                place,
            )
        return index

    return compute


def nonzero(place: Place | None) -> Callable[..., Any]:
    """What computes ``nonzero``: the divisor, or an error that names the user's line."""

    def compute(divisor: Any) -> Any:
        if not np.all(divisor):
            raise DivisionByZero(
                "an integer is divided by zero, which gives 0 without checked=True; "
                "write np.where(d == 0, 1, d) for the divisor, or see to it that it is not 0",
                place,
            )
        return divisor

    return compute


def nonnegative(place: Place | None) -> Callable[..., Any]:
    """What computes ``nonnegative``: the exponent, or an error that names the user's line."""

    def compute(exponent: Any) -> Any:
        if not np.all(exponent >= 0):
            raise DomainError(
                f"an integer is raised to the power {np.min(exponent)}, which gives the integer "
                "part without checked=True; write x.astype(float) ** n, or np.maximum(n, 0) for "
                "the exponent, or see to it that it is not negative",
                place,
            )
        return exponent

    return compute


def whole(dtype: str, place: Place | None) -> Callable[..., Any]:
    """What computes ``whole``: the float, or an error that names the user's line."""
    info = np.iinfo(dtype)

    def compute(number: Any) -> Any:
        inside = (number > info.min - 1.0) & (number < info.max + 1.0)
        if not np.all(inside):
            wrong = np.ravel(number)[~np.ravel(inside)][0]
            raise IntegerOverflow(
                f"{wrong} becomes an integer of type {dtype}, and is none: without checked=True "
                "it gives some integer; write np.where(np.isfinite(x), x, 0.0) before",
                place,
            )
        return number

    return compute


def exact(of: str, axis: Any, dtype: str, place: Place | None) -> Callable[..., Any]:
    """What computes ``exact``: the first argument, or an error that names the user's line."""
    info = np.iinfo(dtype)
    options = {} if axis is None else {"axis": axis}

    def compute(*xs: Any) -> Any:
        found = getattr(np, of)(*(np.asarray(x).astype(object) for x in xs), **options)
        if any(not info.min <= one <= info.max for one in np.ravel(found)):
            raise IntegerOverflow(
                f"{of} gives an integer that {dtype} does not hold, and without checked=True it "
                "wraps; write x.astype(float) before, or see to it that it stays small",
                place,
            )
        return xs[0]

    return compute


def fits(index: Any, extent: int) -> bool:
    """Whether no index is outside."""
    if not np.ndim(index):
        return bool(0 <= index < extent)
    return not index.size or bool(index.min() >= 0 and index.max() < extent)


def _all_fit(indices: Sequence[Any], extents: Shape) -> bool:
    return all(map(fits, indices, extents))


def _inside(indices: Sequence[Any], extents: Shape) -> Any:
    """Where all indices are inside."""
    tests = [(index >= 0) & (index < n) for index, n in zip(indices, extents, strict=True)]
    return np.asarray(reduce(and_, tests))
