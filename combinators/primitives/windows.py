"""Regular windows of an array, and their transpose.

A window begins at ``start``, takes every ``step``-th element, and has ``extent`` of them, along
each axis.
"""

from __future__ import annotations

from typing import Any

from combinators.derivatives import Linear, Selection
from combinators.errors import ShapeMismatch
from combinators.objects import Object, Tensor
from combinators.operation import declare, free
from combinators.primitives.shape import Shape, shape_of
from combinators.primitives.typing import tensor
from combinators.tracing.emit import apply
from combinators.tracing.traced import library


def _check(shape: Shape, start: Shape, step: Shape, extent: Shape) -> None:
    if not len(shape) == len(start) == len(step) == len(extent):
        raise ShapeMismatch(f"a window of shape {extent} has not the axes of shape {shape}")
    for n, first, stride, count in zip(shape, start, step, extent, strict=True):
        last = first + stride * (count - 1)
        if count and not (0 <= first < n and 0 <= last < n):
            raise ShapeMismatch(f"a window of shape {extent} does not fit into shape {shape}")


def _slice_type(x: Object, start: Shape, step: Shape, extent: Shape) -> Object:
    given = tensor(x)
    _check(given.shape, start, step, extent)
    return Tensor(extent, given.dtype)


def _embed_type(x: Object, start: Shape, step: Shape, shape: Shape) -> Object:
    given = tensor(x)
    _check(shape, start, step, given.shape)
    return Tensor(shape, given.dtype)


SLICE = declare(
    "slice",
    _slice_type,
    Selection(lambda g, x, start, step, extent: embed(g, start, step, tensor(x).shape)),
    cost=free,
)
EMBED = declare(
    "embed",
    _embed_type,
    Linear(lambda g, x, start, step, shape: window(g, start, step, tensor(x).shape)),
    cost=free,
)


@library("window")
def window(x: Any, start: Shape, step: Shape, extent: Shape) -> Any:
    """The window of ``x`` that begins at ``start``; all of ``x`` is ``x`` itself."""
    if extent == shape_of(x) and not any(start) and all(stride == 1 for stride in step):
        return x
    return apply(SLICE, x, start=start, step=step, extent=extent)


@library("embed")
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
