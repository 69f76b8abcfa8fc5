"""``set_at`` and ``add_at``: an array with other elements at a key, as NumPy assigns them.

The elements are numbered, from one; the numbers at the key say where the new ones go. So it is
whatever the key is, and one that is computed and lies outside, where a zero is read, goes nowhere.

    x of shape (2, 3), key (0, slice(1, 3))     numbers [[1, 2, 3], [4, 5, 6]], at the key [2, 3]
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from combinators.errors import ShapeMismatch, TypeMismatch
from combinators.primitives.arithmetic import add, not_equal, where
from combinators.primitives.indexing import getitem, put_at
from combinators.primitives.shapes import astype, broadcast_to, ravel, reshape, shape_of
from combinators.tracing.emit import dtype_of
from combinators.tracing.traced import Traced, library


@library("add_at")
def add_at(x: Any, key: Any, v: Any) -> Any:
    """``x`` with ``v`` added at ``key``; where an element is named twice, it is added twice.

    ``key`` is all that ``x[key]`` takes, and ``v`` broadcasts to the shape of that.
    """
    places, values = _placed(x, key, v)
    return add(x, _put(x, places, values))


@library("set_at")
def set_at(x: Any, key: Any, v: Any) -> Any:
    """``x`` with ``v`` at ``key``, and all else as it is.

    ``key`` is all that ``x[key]`` takes, and ``v`` broadcasts to the shape of that. Where known
    indices name an element twice, the last stands, as in NumPy; computed ones name one element.
    """
    places, values = _placed(x, key, v)
    if isinstance(places, Traced):
        if places.size != 1:
            raise TypeMismatch(
                "set_at takes one place that is computed, and this key computes "
                f"{places.size}; write a fold of set_at, or add_at"
            )
        held = not_equal(_put(x, places, np.ones(1, np.int64)), 0)
    else:
        last = _last(places)
        places, values = places[last], values if len(last) == len(places) else values[last]
        known = np.zeros(prod(shape_of(x)), bool)
        known[places] = True
        held = known.reshape(shape_of(x))
    return where(held, _put(x, places, values), x)


def _placed(x: Any, key: Any, v: Any) -> tuple[Any, Any]:
    """The places of elements in ``x`` flat, from 0, and what is to be there: both are flat."""
    shape, dtype = shape_of(x), np.result_type(dtype_of(x))
    numbers = np.arange(1, prod(shape) + 1).reshape(shape)
    is_known = not any(isinstance(part, Traced) for part in _parts(key))
    at = getitem(x, key)
    found = numbers[key] if is_known else getitem(numbers, key)
    if not np.can_cast(np.result_type(dtype_of(v)), dtype, "same_kind"):
        raise TypeMismatch(
            f"{np.result_type(dtype_of(v))} does not go into an array of {dtype}; convert it, as "
            "by x.astype(float)"
        )
    if len(shape_of(v)) > len(shape_of(at)):
        raise ShapeMismatch(f"{shape_of(v)} does not broadcast to {shape_of(at)}, which is there")
    values = ravel(broadcast_to(astype(v, dtype), shape_of(at)))
    return np.ravel(found) - 1 if is_known else ravel(found) - 1, values


def _parts(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _put(x: Any, places: Any, values: Any) -> Any:
    return reshape(put_at(values, [places], 0, (prod(shape_of(x)),)), shape_of(x))


def _last(places: Any) -> Any:
    """Where each place is named for the last time."""
    _, first = np.unique(places[::-1], return_index=True)
    return np.sort(len(places) - 1 - first)
