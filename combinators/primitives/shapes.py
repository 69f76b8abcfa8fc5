"""Moving numbers about: no arithmetic, and every one is linear. Shapes, axes, windows, joining.

A window begins at ``start``, takes every ``step``-th element, and has ``extent`` of them, along
each axis.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from functools import partial, wraps
from itertools import accumulate
from typing import Any

import numpy as np

from combinators.errors import ShapeMismatch, TypeMismatch
from combinators.literal import Literal
from combinators.objects import Fun, Mu, Object, Sum, Tensor, Vector
from combinators.operation import CONSTANT, Linear, Selection, declare, free
from combinators.primitives.signatures import check_axes, common, same_dtype, tensor
from combinators.spaces import SPACES
from combinators.terms import Const
from combinators.tracing.definition import Definition, taken
from combinators.tracing.emit import apply, emit
from combinators.tracing.faces import open_up, put_together, take_apart
from combinators.tracing.traced import LIBRARY, Traced, library

Shape = tuple[int, ...]
_moving = partial(declare, cost=free)

CONVERT = _moving(
    "convert",
    lambda x, dtype: Tensor(tensor(x).shape, dtype),
    Linear(lambda g, x, dtype: astype(g, tensor(x).dtype)),
)
STOP_GRADIENT = _moving("stop_gradient", tensor, CONSTANT, kink="its derivative is 0 everywhere")


@library("astype")
def astype(x: Any, dtype: Any) -> Any:
    """``x`` with elements of another type; to integers it truncates, and has no derivative."""
    return apply(CONVERT, x, dtype=np.dtype(dtype).name)


@library("stop_gradient")
def stop_gradient(x: Any) -> Any:
    """``x``, as a constant to every derivative: a number, a function, or a container of them.

    What a function is called on, and what it captured, get nothing through its calls.
    """
    if type(x) in SPACES:
        return LIBRARY["value_of"](SPACES[type(x)], stop_gradient(LIBRARY["coordinates"](x)))
    if open_up(x) is not None:
        face, leaves = take_apart(x)
        return put_together(face, map(stop_gradient, leaves))
    if isinstance(x, Traced) and isinstance(x.type, Sum | Mu | Vector):
        return LIBRARY["map_within"](stop_gradient, x)
    if not callable(x) or (isinstance(x, Traced) and not isinstance(x.type, Fun)):
        return apply(STOP_GRADIENT, x)

    def stopped(*args: Any) -> Any:
        return stop_gradient(x(*args))

    types = taken(x)
    return wraps(x, updated=())(stopped) if types is None else Definition(stopped, types)


def shape_of(x: Any) -> Shape:
    """The shape of a traced value or an array."""
    return tuple(x.shape) if hasattr(x, "shape") else np.shape(x)


def as_shape(shape: int | Sequence[int]) -> Shape:
    """A shape as a tuple of integers."""
    try:
        return tuple(map(operator.index, shape if isinstance(shape, Iterable) else (shape,)))
    except TypeError:
        raise TypeMismatch(f"a shape is of integers, and this is {shape!r:.60}") from None


def _broadcast_type(x: Object, shape: Shape) -> Object:
    given = tensor(x)
    check_axes(shape)
    whole = Tensor(shape, given.dtype)
    behind = shape[len(shape) - len(given.shape) :] if len(given.shape) <= len(shape) else None
    if behind is None or any(n not in (1, m) for n, m in zip(given.shape, behind, strict=True)):
        raise ShapeMismatch(f"{given.shape} does not broadcast to {shape}")
    return whole


BROADCAST_TO = _moving(
    "broadcast_to", _broadcast_type, Linear(lambda g, x, shape: sum_to(g, tensor(x).shape))
)


def _reshape_type(x: Object, shape: Shape) -> Object:
    given = tensor(x)
    if given.size != Tensor(shape).size:
        raise ShapeMismatch(f"an array of shape {given.shape} has no reshape to {shape}")
    return Tensor(shape, given.dtype)


RESHAPE = _moving("reshape", _reshape_type, Linear(lambda g, x, shape: reshape(g, tensor(x).shape)))


def _transpose_type(x: Object, axes: Shape) -> Object:
    given = tensor(x)
    if sorted(axes) != list(range(len(given.shape))):
        raise ShapeMismatch(f"axes {axes} are not a permutation of those of {given!r}")
    return Tensor(tuple(given.shape[axis] for axis in axes), given.dtype)


TRANSPOSE = _moving(
    "transpose",
    _transpose_type,
    Linear(lambda g, x, axes: transpose(g, tuple(int(i) for i in np.argsort(axes)))),
)


@library("broadcast_to")
def broadcast_to(x: Any, shape: int | Sequence[int]) -> Any:
    """``x``, repeated along new axes and along axes of extent 1 to have ``shape``."""
    return apply(BROADCAST_TO, x, shape=as_shape(shape))


@library("reshape")
def reshape(x: Any, *shape: Any) -> Any:
    """``x`` in another shape, in the same (C) order; one extent may be -1."""
    wanted = as_shape(shape[0] if len(shape) == 1 else shape)
    if -1 in wanted:
        size = math.prod(shape_of(x))
        rest = math.prod(n for n in wanted if n != -1)
        if wanted.count(-1) > 1 or not rest or size % rest:
            raise ShapeMismatch(f"an array of shape {shape_of(x)} has no reshape to {wanted}")
        wanted = tuple(size // rest if n == -1 else n for n in wanted)
    return apply(RESHAPE, x, shape=wanted)


@library("transpose", "permute_dims")
def transpose(x: Any, axes: int | Sequence[int] | None = None, *more: int) -> Any:
    """``x`` with its axes reversed, or in the order of ``axes``."""
    rank = len(shape_of(x))
    given = (axes, *more) if isinstance(axes, int) else axes
    order = tuple(reversed(range(rank))) if given is None else tuple(given)
    if sorted(axis + rank * (axis < 0) for axis in order) != list(range(rank)):
        raise ShapeMismatch(
            f"axes {order} are not the {rank} axes of an array of shape {shape_of(x)}"
        )
    order = tuple(axis % rank for axis in order)
    return apply(TRANSPOSE, x, axes=order)


@library("sum_to", word=False)
def sum_to(x: Any, shape: Shape) -> Any:
    """The transpose of ``broadcast_to``: sum over what was repeated."""
    given = shape_of(x)
    if given == shape:
        return x
    kept = (1,) * (len(given) - len(shape)) + shape
    lead = len(given) - len(shape)
    repeated = tuple(
        axis for axis, n in enumerate(given) if axis < lead or (kept[axis] == 1 and n != 1)
    )
    return reshape(LIBRARY["sum"](x, axis=repeated), shape)


@library("zeros_of", word=False)
def zeros_of(obj: Tensor) -> Any:
    """A tensor of zeros, held as one number."""
    return emit(Const(Literal.filled(0.0, obj)))


def _check_window(shape: Shape, start: Shape, step: Shape, extent: Shape) -> None:
    if not len(shape) == len(start) == len(step) == len(extent):
        raise ShapeMismatch(f"a window of shape {extent} has not the axes of shape {shape}")
    for n, first, stride, count in zip(shape, start, step, extent, strict=True):
        last = first + stride * (count - 1)
        if count and not (0 <= first < n and 0 <= last < n):
            raise ShapeMismatch(f"a window of shape {extent} does not fit into shape {shape}")


def _slice_type(x: Object, start: Shape, step: Shape, extent: Shape) -> Object:
    given = tensor(x)
    _check_window(given.shape, start, step, extent)
    return Tensor(extent, given.dtype)


def _embed_type(x: Object, start: Shape, step: Shape, shape: Shape) -> Object:
    given = tensor(x)
    _check_window(shape, start, step, given.shape)
    return Tensor(shape, given.dtype)


SLICE = _moving(
    "slice",
    _slice_type,
    Selection(lambda g, x, start, step, extent: embed(g, start, step, tensor(x).shape)),
)
EMBED = _moving(
    "embed",
    _embed_type,
    Linear(lambda g, x, start, step, shape: window(g, start, step, tensor(x).shape)),
)


@library("window", word=False)
def window(x: Any, start: Shape, step: Shape, extent: Shape) -> Any:
    """The window of ``x`` that begins at ``start``; all of ``x`` is ``x`` itself."""
    if extent == shape_of(x) and not any(start) and all(stride == 1 for stride in step):
        return x
    return apply(SLICE, x, start=start, step=step, extent=extent)


@library("embed", word=False)
def embed(x: Any, start: Shape, step: Shape, shape: Shape) -> Any:
    """Zeros of this shape, with ``x`` in a window: the transpose of ``window``."""
    return apply(EMBED, x, start=start, step=step, shape=shape)


def part(x: Any, axis: int, start: int, extent: int, step: int = 1) -> Any:
    """The window along one axis."""
    shape = shape_of(x)
    starts, steps = [0] * len(shape), [1] * len(shape)
    starts[axis], steps[axis] = start if extent else 0, step
    extents = (*shape[:axis], extent, *shape[axis + 1 :])
    return window(x, tuple(starts), tuple(steps), extents)


Axis = int | Sequence[int]


def normal_axis(axis: int, shape: Shape) -> int:
    """The axis that is meant, counted from the front."""
    if not -len(shape) <= axis < len(shape):
        raise ShapeMismatch(f"axis {axis} is not an axis of an array of shape {shape}")
    return int(axis) % len(shape)


def several_axes(axis: Axis | None, shape: Shape) -> tuple[int, ...]:
    """The axes that are meant, all of them for None, counted from the front and each once."""
    if axis is None:
        return tuple(range(len(shape)))
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    if not all(isinstance(a, (int, np.integer)) and not isinstance(a, bool) for a in given):
        raise TypeMismatch(f"an axis is an integer, or a tuple of them, and not {axis!r}")
    found = tuple(normal_axis(a, shape) for a in given)
    if len(set(found)) != len(found):
        raise ShapeMismatch(f"axis {axis} names an axis of an array of shape {shape} twice")
    return found


@library("ravel")
def ravel(x: Any) -> Any:
    """All elements along one axis."""
    return reshape(x, -1)


@library("expand_dims")
def expand_dims(x: Any, axis: Axis) -> Any:
    """``x`` with an axis of extent 1 in each of these places of the result."""
    shape = shape_of(x)
    count = 1 if isinstance(axis, int) else len(axis)
    places = several_axes(axis, (1,) * (len(shape) + count))
    rest = iter(shape)
    return reshape(x, tuple(1 if i in places else next(rest) for i in range(len(shape) + count)))


@library("squeeze")
def squeeze(x: Any, axis: Axis | None = None) -> Any:
    """``x`` without these axes, which have extent 1; for None, without all such."""
    shape = shape_of(x)
    if axis is None:
        return reshape(x, tuple(n for n in shape if n != 1))
    dropped = several_axes(axis, shape)
    if any(shape[a] != 1 for a in dropped):
        raise ShapeMismatch(f"axis {axis} of an array of shape {shape} has not extent 1")
    return reshape(x, tuple(n for a, n in enumerate(shape) if a not in dropped))


@library("moveaxis")
def moveaxis(x: Any, source: Axis, destination: Axis) -> Any:
    """``x`` with its axes ``source`` in the places ``destination``; the others keep their order."""
    shape = shape_of(x)
    moved, places = several_axes(source, shape), several_axes(destination, shape)
    if len(moved) != len(places):
        raise ShapeMismatch(f"{len(moved)} axes do not move to {len(places)} places")
    order = [a for a in range(len(shape)) if a not in moved]
    for place, axis in sorted(zip(places, moved, strict=True)):
        order.insert(place, axis)
    return transpose(x, order)


@library("swapaxes")
def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    """``x`` with two axes in each other's place."""
    shape = shape_of(x)
    a, b = normal_axis(axis1, shape), normal_axis(axis2, shape)
    order = list(range(len(shape)))
    order[a], order[b] = b, a
    return transpose(x, order)


@library("flip")
def flip(x: Any, axis: Axis | None = None) -> Any:
    """``x`` with the elements along these axes, or along all, in reverse."""
    shape = shape_of(x)
    turned = several_axes(axis, shape)
    start = tuple(n - 1 if a in turned and n else 0 for a, n in enumerate(shape))
    step = tuple(-1 if a in turned else 1 for a in range(len(shape)))
    return window(x, start, step, shape)


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


CONCATENATE = _moving("concatenate", _concatenate_type, Linear(_parts), promote=common)


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
