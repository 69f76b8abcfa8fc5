"""Whether any, and whether all."""

from __future__ import annotations

from typing import Any

from combinators.primitives.axes import Axis
from combinators.primitives.comparison import not_equal
from combinators.primitives.reduction import max, min
from combinators.tracing.traced import library


@library("any")
def any(x: Any, axis: Axis | None = None, *, keepdims: bool = False) -> Any:
    """Whether any over ``axis`` is true, or not 0."""
    return max(not_equal(x, 0), axis, keepdims=keepdims)


@library("all")
def all(x: Any, axis: Axis | None = None, *, keepdims: bool = False) -> Any:
    """Whether all over ``axis`` are true, or not 0."""
    return min(not_equal(x, 0), axis, keepdims=keepdims)
