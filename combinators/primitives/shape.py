"""Moving numbers about: no arithmetic, and every one is linear."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from combinators.derivatives import Linear
from combinators.errors import ShapeMismatch
from combinators.literal import Literal
from combinators.objects import Object, Tensor
from combinators.operation import declare, free
from combinators.primitives.typing import check_axes, tensor
from combinators.terms import Const
from combinators.tracing.emit import apply, emit, operand
from combinators.tracing.traced import LIBRARY, library

Shape = tuple[int, ...]


def shape_of(x: Any) -> Shape:
    """The shape of a traced value or an array."""
    return tuple(x.shape) if hasattr(x, "shape") else np.shape(x)


def as_shape(shape: int | Sequence[int]) -> Shape:
    """A shape as a tuple."""
    return (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(map(int, shape))


def _broadcast_type(x: Object, shape: Shape) -> Object:
    given = tensor(x)
    check_axes(shape)
    try:
        fits = np.broadcast_shapes(given.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise ShapeMismatch(f"{given.shape} does not broadcast to {shape}")
    return Tensor(shape, given.dtype)


BROADCAST_TO = declare(
    "broadcast_to",
    _broadcast_type,
    Linear(lambda g, x, shape: sum_to(g, tensor(x).shape)),
    cost=free,
)


def _reshape_type(x: Object, shape: Shape) -> Object:
    given = tensor(x)
    if given.size != Tensor(shape).size:
        raise ShapeMismatch(f"an array of shape {given.shape} has no reshape to {shape}")
    return Tensor(shape, given.dtype)


RESHAPE = declare(
    "reshape", _reshape_type, Linear(lambda g, x, shape: reshape(g, tensor(x).shape)), cost=free
)


def _transpose_type(x: Object, axes: Shape) -> Object:
    given = tensor(x)
    if sorted(axes) != list(range(len(given.shape))):
        raise ShapeMismatch(f"axes {axes} are not a permutation of those of {given!r}")
    return Tensor(tuple(given.shape[axis] for axis in axes), given.dtype)


TRANSPOSE = declare(
    "transpose",
    _transpose_type,
    Linear(lambda g, x, axes: transpose(g, tuple(int(i) for i in np.argsort(axes)))),
    cost=free,
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
        size = int(np.prod(shape_of(x)))
        rest = int(np.prod([n for n in wanted if n != -1]))
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


@library("sum_to")
def sum_to(x: Any, shape: Shape) -> Any:
    """The transpose of ``broadcast_to``: sum over what was repeated."""
    given = shape_of(x)
    if given == shape:
        return x
    lead = len(given) - len(shape)
    repeated = tuple(
        axis
        for axis in range(len(given))
        if axis < lead or (shape[axis - lead] == 1 and given[axis] != 1)
    )
    return reshape(LIBRARY["sum"](x, axis=repeated), shape)


@library("zeros_of")
def zeros_of(obj: Tensor) -> Any:
    """A tensor of zeros, held as one number."""
    literal = Literal.filled(0.0, obj)
    return emit(obj, lambda: Const(literal), ())


__all__ = ["operand"]
