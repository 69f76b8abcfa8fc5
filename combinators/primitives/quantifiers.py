"""Whether any, and whether all."""

from __future__ import annotations

from typing import Any

from combinators.literal import Literal
from combinators.objects import Tensor
from combinators.primitives.axes import Axis
from combinators.primitives.comparison import not_equal
from combinators.primitives.reduction import max, min, normal_axes, reduced
from combinators.primitives.shape import shape_of
from combinators.terms import Const
from combinators.tracing.emit import emit
from combinators.tracing.traced import library


@library("any")
def any(x: Any, axis: Axis | None = None, *, keepdims: bool = False) -> Any:
    """Whether any over ``axis`` is true, or not 0."""
    known = _of_nothing(x, axis, keepdims, False)
    return max(not_equal(x, 0), axis, keepdims=keepdims) if known is None else known


@library("all")
def all(x: Any, axis: Axis | None = None, *, keepdims: bool = False) -> Any:
    """Whether all over ``axis`` are true, or not 0."""
    known = _of_nothing(x, axis, keepdims, True)
    return min(not_equal(x, 0), axis, keepdims=keepdims) if known is None else known


def _of_nothing(x: Any, axis: Axis | None, keepdims: bool, truth: bool) -> Any:
    """``truth`` everywhere, where no element is asked; else None."""
    shape, axes = shape_of(x), normal_axes(x, axis)
    if 0 not in [shape[a] for a in axes]:
        return None
    obj = reduced(Tensor(shape, "bool"), axes, keepdims)
    assert isinstance(obj, Tensor)
    literal = Literal.filled(truth, obj)
    return emit(obj, lambda: Const(literal), ())
