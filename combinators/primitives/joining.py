"""Several arrays as one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from combinators.derivatives import Linear
from combinators.errors import ShapeMismatch
from combinators.objects import Object, Tensor
from combinators.operation import declare, free
from combinators.primitives.axes import expand_dims, normal_axis
from combinators.primitives.shape import reshape, shape_of
from combinators.primitives.typing import common, same_dtype, tensor
from combinators.primitives.windows import part
from combinators.tracing.emit import apply
from combinators.tracing.traced import library


def _concatenate_type(*parts: Object, axis: int) -> Object:
    shapes = [tensor(obj).shape for obj in parts]
    first = shapes[0]
    rests = {(*shape[:axis], *shape[axis + 1 :]) for shape in shapes}
    if len(rests) != 1 or {len(shape) for shape in shapes} != {len(first)}:
        listed = " and ".join(map(str, shapes))
        raise ShapeMismatch(f"the shapes {listed} differ elsewhere than along axis {axis}")
    total = sum(shape[axis] for shape in shapes)
    return Tensor((*first[:axis], total, *first[axis + 1 :]), same_dtype(*parts))


def _parts(g: Any, *parts: Object, axis: int) -> Any:
    extents = [tensor(obj).shape[axis] for obj in parts]
    starts = accumulate(extents, initial=0)
    return [part(g, axis, start, n) for start, n in zip(starts, extents, strict=False)]


CONCATENATE = declare("concatenate", _concatenate_type, Linear(_parts), promote=common, cost=free)


@library("concatenate", "concat")
def concatenate(arrays: Sequence[Any], axis: int | None = 0) -> Any:
    """``arrays``, one after the other along ``axis``; for None, all of them flat."""
    if not len(arrays):
        raise ShapeMismatch("concatenate joins at least one array, and here is none")
    if axis is None:
        return concatenate([reshape(array, -1) for array in arrays])
    return apply(CONCATENATE, *arrays, axis=normal_axis(axis, shape_of(arrays[0])))


@library("stack")
def stack(arrays: Sequence[Any], axis: int = 0) -> Any:
    """``arrays`` of one shape along a new axis."""
    shapes = {shape_of(array) for array in arrays}
    if len(shapes) > 1:
        listed = " and ".join(map(str, sorted(shapes)))
        raise ShapeMismatch(f"stack takes arrays of one shape, and these have {listed}")
    return concatenate([expand_dims(array, axis) for array in arrays], axis)


@library("hstack")
def hstack(arrays: Sequence[Any]) -> Any:
    """``arrays`` side by side: along the second axis, vectors along their only one."""
    flat = [reshape(array, 1) if shape_of(array) == () else array for array in arrays]
    return concatenate(flat, axis=0 if len(shape_of(flat[0])) == 1 else 1)


@library("vstack")
def vstack(arrays: Sequence[Any]) -> Any:
    """``arrays`` one below the other: along the first axis, vectors as rows."""
    rows = [array if len(shape_of(array)) > 1 else reshape(array, (1, -1)) for array in arrays]
    return concatenate(rows)
