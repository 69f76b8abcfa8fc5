"""``x[…]``, as NumPy has it: windows for what is static, ``take`` for what is itself a value.

The transpose of taking elements at indices is adding them there.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from combinators.errors import DiffcurryError, ShapeMismatch, TypeMismatch
from combinators.objects import Object, Tensor
from combinators.operation import Linear, Selection, declare, free, over_arguments
from combinators.primitives.shapes import (
    Shape,
    normal_axis,
    ravel,
    reshape,
    shape_of,
    transpose,
    window,
)
from combinators.primitives.signatures import broadcast, tensor
from combinators.tracing.emit import apply, dtype_of
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


class _Slot(NamedTuple):
    """One entry of a key, with the axis of the array that it speaks of; None adds an axis."""

    entry: Any
    axis: int


@library("getitem")
def getitem(x: Any, key: Any) -> Any:
    """``x[key]``: integers, slices, ``...``, ``None``, and arrays of integers, traced or not."""
    shape = shape_of(x)
    slots = _slots(key if isinstance(key, tuple) else (key,), shape)
    if not any(isinstance(slot.entry, (Traced, np.ndarray)) for slot in slots):
        windowed = _windowed(x, slots)
        kept = [slot for slot in slots if _is_kept(slot.entry)]
        return _reshaped(windowed, _sizes(kept, shape_of(windowed)))
    windowed = _windowed(x, [slot for slot in slots if isinstance(slot.entry, slice)])
    return _gathered(windowed, slots, shape_of(windowed), together=_side_by_side(key))


def _slots(given: Sequence[Any], shape: Shape) -> list[_Slot]:
    """The key, with ``...`` written out; every axis has a slot."""
    key = [entry for one in given for entry in _entries(one)]
    spoken = sum(entry is not None and entry is not Ellipsis for entry, _ in key)
    dots = sum(entry is Ellipsis for entry, _ in key)
    if dots > 1:
        raise ShapeMismatch(f"an index has one '...', and this has {dots}")
    if spoken > len(shape):
        most = f"an array of shape {shape} takes at most {len(shape)} indices"
        raise ShapeMismatch(
            f"{most if shape else 'a number takes no index'}, and this has {spoken}"
        )
    if not dots:
        key.append((Ellipsis, None))
    slots: list[_Slot] = []
    axis = 0
    for entry, extent in key:
        if extent is not None and extent != shape[axis]:
            raise ShapeMismatch(
                f"a mask of extent {extent} is no index of axis {axis} of an array of shape {shape}"
            )
        if entry is Ellipsis:
            fill = range(axis, axis + len(shape) - spoken)
            slots += [_Slot(slice(None), a) for a in fill]
            axis += len(fill)
        else:
            slots.append(
                _Slot(entry if _is_kept(entry) else static_index(entry, axis, shape), axis)
            )
            axis += entry is not None
    return slots


def _entries(entry: Any) -> list[tuple[Any, int | None]]:
    """The entry, of a kind that indexes; a list as an array, a mask as the places where it holds.

    A mask that is known while tracing speaks of as many axes as it has, and knows their extents.
    """
    if entry is None or entry is Ellipsis or isinstance(entry, slice):
        return [(entry, None)]
    if isinstance(entry, list):
        entry = np.array(entry, dtype=None if entry else np.int64)
    kind = np.result_type(dtype_of(entry)).kind
    if kind == "b" and isinstance(entry, np.ndarray) and entry.ndim:
        return list(zip(entry.nonzero(), entry.shape, strict=True))
    if kind == "b":
        raise TypeMismatch(
            "an index by booleans that are computed gives an array whose shape is not known while "
            "tracing; write np.where(mask, x, 0) and keep the shape"
        )
    if kind not in "iu":
        raise TypeMismatch(f"indices are integers, slices, None or ..., and this is {entry!r:.60}")
    return [(entry, None)]


def _windowed(x: Any, slots: Sequence[_Slot]) -> Any:
    """The window that slices and static integers cut out; an integer leaves an axis of extent 1."""
    extent = list(shape_of(x))
    start, step = [0] * len(extent), [1] * len(extent)
    for entry, axis in slots:
        if isinstance(entry, slice):
            chosen = _range(extent[axis], entry)
        elif entry is not None:
            chosen = range(entry, entry + 1)
        else:
            continue
        extent[axis] = len(chosen)
        if chosen:
            start[axis] = chosen.start
            step[axis] = chosen.step if len(chosen) > 1 else 1
    return window(x, tuple(start), tuple(step), tuple(extent))


def _side_by_side(key: Any) -> bool:
    """Whether the indices of a key have nothing between them, not even a ``...`` of no axes."""
    entries = key if isinstance(key, tuple) else (key,)
    at = [i for i, e in enumerate(entries) if e is not Ellipsis and not _is_kept(e)]
    return at[-1] - at[0] + 1 == len(at)


def _range(extent: int, entry: slice) -> range:
    try:
        return range(extent)[entry]
    except DiffcurryError:
        raise
    except (TypeError, ValueError) as error:
        raise TypeMismatch(f"the slice {entry!r} cannot be taken: {error}") from None


def _gathered(x: Any, slots: Sequence[_Slot], shape: Shape, *, together: bool) -> Any:
    """Take at the integers, traced ones and arrays, together: they broadcast to one shape.

    Its axes stand where the indices stood, or in front where these are not side by side.
    """
    chosen = [at for at, slot in enumerate(slots) if not _is_kept(slot.entry)]
    indices = [slots[at].entry for at in chosen]
    axes = [slots[at].axis for at in chosen]
    first, last = chosen[0], chosen[-1]
    if together:
        before, after = slots[:first], slots[last + 1 :]
    else:
        before, after = [], [slot for slot in slots if _is_kept(slot.entry)]
        x = transpose(x, axes + [a for a in range(len(shape)) if a not in axes])
        axes = [0]
    taken = take_at(x, indices, axes[0])
    rows = np.broadcast_shapes(*map(shape_of, indices))
    return _reshaped(taken, (*_sizes(before, shape), *rows, *_sizes(after, shape)))


def _is_kept(entry: Any) -> bool:
    return entry is None or isinstance(entry, slice)


def _sizes(slots: Sequence[_Slot], shape: Shape) -> Shape:
    """The extents in the result of axes that were added, or kept with this shape."""
    return tuple(1 if slot.entry is None else shape[slot.axis] for slot in slots)


def _reshaped(x: Any, shape: Shape) -> Any:
    return x if shape_of(x) == shape else reshape(x, shape)
