"""Axes: adding, dropping, moving and reversing them, by ``reshape``, ``transpose`` and slices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from combinators.errors import ShapeMismatch, TypeMismatch
from combinators.primitives.shape import Shape, reshape, shape_of, transpose
from combinators.primitives.windows import window
from combinators.tracing.traced import library

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
