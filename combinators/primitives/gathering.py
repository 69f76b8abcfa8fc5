"""Taking elements at indices that are themselves values, and the transpose: adding them there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from combinators.derivatives import Linear, Selection
from combinators.errors import ShapeMismatch, TypeMismatch
from combinators.objects import Object, Tensor
from combinators.operation import declare, free, over_arguments
from combinators.primitives.axes import normal_axis, ravel
from combinators.primitives.shape import Shape, shape_of
from combinators.primitives.typing import broadcast, tensor
from combinators.tracing.emit import apply
from combinators.tracing.traced import library


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
    return (apply(PUT, g, *indices, axis=axis, extents=extents), *(None for _ in indices))


def _put_back(g: Any, x: Object, *indices: Any, axis: int, extents: Shape) -> Any:
    return (apply(TAKE, g, *indices, axis=axis), *(None for _ in indices))


TAKE = declare("take", _take_type, Selection(_take_back), cost=free)
PUT = declare("put", _put_type, Linear(_put_back), cost=over_arguments)


@library("take")
def take(x: Any, indices: Any, axis: int | None = None) -> Any:
    """The elements at integer ``indices``, of any shape, along ``axis``; for None, of ``x`` flat.

    Negative indices count from the end.
    """
    if axis is None:
        return take_at(ravel(x), [indices], 0)
    return take_at(x, [indices], normal_axis(axis, shape_of(x)))


def take_at(x: Any, indices: Sequence[Any], axis: int) -> Any:
    """``x[:, …, i, j, …]``: as many indices as axes, from ``axis`` on, broadcast together."""
    return apply(TAKE, x, *indices, axis=axis)
