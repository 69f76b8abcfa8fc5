"""Taking elements at indices that are themselves values, and the transpose: adding them there."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from combinators.derivatives import Linear, Selection
from combinators.errors import ShapeMismatch, TypeMismatch
from combinators.objects import Object, Tensor
from combinators.operation import declare, free, over_arguments
from combinators.primitives.axes import normal_axis, ravel
from combinators.primitives.shape import Shape, shape_of
from combinators.primitives.typing import broadcast, tensor
from combinators.tracing.emit import apply
from combinators.tracing.traced import Traced, library


def _index_shape(indices: Sequence[Object]) -> Shape:
    for index in indices:
        if tensor(index).dtype[:3] not in ("int", "uin"):
            raise TypeMismatch(f"indices are integers, and this is {index!r}")
    return broadcast(*indices)


def _take_type(x: Object, *indices: Object, axis: int) -> Object:
    given = tensor(x)
    rows = _index_shape(indices)
    if axis + len(indices) > len(given.shape):
        raise ShapeMismatch(f"{len(indices)} indices from axis {axis} on exceed {given!r}")
    after = given.shape[axis + len(indices) :]
    return Tensor((*given.shape[:axis], *rows, *after), given.dtype)


def _put_type(x: Object, *indices: Object, axis: int, extents: Shape) -> Object:
    given = tensor(x)
    rows = _index_shape(indices)
    end = axis + len(rows)
    if given.shape[axis:end] != rows or len(indices) != len(extents):
        raise ShapeMismatch(f"{given!r} is not put at indices of shape {rows} from axis {axis} on")
    return Tensor((*given.shape[:axis], *extents, *given.shape[end:]), given.dtype)


def _take_back(g: Any, x: Object, *indices: Any, axis: int) -> Any:
    extents = tensor(x).shape[axis : axis + len(indices)]
    return (put_at(g, indices, axis, extents), *(None for _ in indices))


def _put_back(g: Any, x: Object, *indices: Any, axis: int, extents: Shape) -> Any:
    return (take_at(g, indices, axis), *(None for _ in indices))


TAKE = declare("take", _take_type, Selection(_take_back), cost=free)
PUT = declare("put", _put_type, Linear(_put_back), cost=over_arguments)


def static_index(entry: Any, axis: int, shape: Shape) -> Any:
    """The entry of a key for ``axis``; a static one fits as in NumPy, and counts from the front."""
    if isinstance(entry, Traced):
        return entry
    extent = shape[axis]
    given = np.asarray(entry)
    if given.dtype.kind not in "iu" and given.size:
        raise TypeMismatch(f"indices are integers, and this is {entry!r:.60}")
    if np.any((given < -extent) | (given >= extent)):
        raise ShapeMismatch(
            f"the index {entry!r:.60} is out of range for axis {axis} of an array of shape {shape}"
        )
    if isinstance(entry, (int, np.integer)):
        return operator.index(entry) % extent
    return np.where(given < 0, given + extent, given)


@library("take")
def take(x: Any, indices: Any, axis: int | None = None) -> Any:
    """The elements at integer ``indices``, of any shape, along ``axis``; for None, of ``x`` flat.

    Static indices wrap and raise as in NumPy. Traced ones outside ``[0, n)`` read 0.
    """
    if axis is None:
        x, axis = ravel(x), 0
    axis = normal_axis(axis, shape_of(x))
    return take_at(x, [static_index(indices, axis, shape_of(x))], axis)


def take_at(x: Any, indices: Sequence[Any], axis: int) -> Any:
    """``x[:, …, i, j, …]``: as many indices as axes, from ``axis`` on, broadcast together."""
    return apply(TAKE, x, *indices, axis=axis)


def put_at(x: Any, indices: Sequence[Any], axis: int, extents: Shape) -> Any:
    """Zeros of these ``extents``, to which ``x`` is added at ``indices``: the transpose."""
    return apply(PUT, x, *indices, axis=axis, extents=extents)
