"""Where along an axis the largest and the smallest are."""

from __future__ import annotations

from typing import Any

from combinators.derivatives import CONSTANT
from combinators.objects import Object, Tensor
from combinators.operation import Primitive, declare, over_arguments
from combinators.primitives.axes import ravel, several_axes
from combinators.primitives.reduction import Axes, reduced_from_some
from combinators.primitives.shape import reshape, shape_of
from combinators.primitives.typing import common_number, tensor
from combinators.tracing.emit import apply
from combinators.tracing.traced import library


def _position(name: str) -> Primitive:
    reduced = reduced_from_some(name)

    def typing(x: Object, axis: Axes, keepdims: bool) -> Object:
        return Tensor(tensor(reduced(x, axis, keepdims)).shape, "int64")

    return declare(
        name,
        typing,
        CONSTANT,
        promote=common_number,
        cost=over_arguments,
        kink="its derivative is 0 everywhere",
    )


ARGMAX, ARGMIN = map(_position, ("argmax", "argmin"))


@library("argmax")
def argmax(x: Any, axis: int | None = None, *, keepdims: bool = False) -> Any:
    """The index of the largest along ``axis``, or in ``x`` laid flat: int64, the first of equals.

    As in NumPy, nan is larger than all. Raises ``ShapeMismatch`` where there are no elements.
    """
    return _found(ARGMAX, x, axis, keepdims)


@library("argmin")
def argmin(x: Any, axis: int | None = None, *, keepdims: bool = False) -> Any:
    """The index of the smallest along ``axis``, or in ``x`` laid flat: int64, the first of equals.

    As in NumPy, nan is smaller than all. Raises ``ShapeMismatch`` where there are no elements.
    """
    return _found(ARGMIN, x, axis, keepdims)


def _found(primitive: Primitive, x: Any, axis: int | None, keepdims: bool) -> Any:
    if axis is None:
        at = apply(primitive, ravel(x), axis=(0,), keepdims=False)
        return reshape(at, (1,) * len(shape_of(x))) if keepdims else at
    return apply(primitive, x, axis=several_axes((axis,), shape_of(x)), keepdims=keepdims)
