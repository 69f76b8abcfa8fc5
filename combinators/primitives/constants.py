"""Arrays of one number, of the shape of another array; and the questions that are known then."""

from __future__ import annotations

from typing import Any

import numpy as np

from combinators.literal import Literal
from combinators.objects import Tensor
from combinators.primitives.conversion import astype
from combinators.primitives.shape import broadcast_to, shape_of
from combinators.terms import Const
from combinators.tracing.emit import dtype_of, emit
from combinators.tracing.traced import library


def _filled(x: Any, number: float, dtype: Any) -> Any:
    literal = Literal.filled(number, Tensor(shape_of(x), _kind(x, dtype)))
    return emit(literal.type, lambda: Const(literal), ())


def _kind(x: Any, dtype: Any) -> Any:
    return np.result_type(dtype_of(x)) if dtype is None else np.dtype(dtype)


@library("zeros_like")
def zeros_like(x: Any, dtype: Any = None) -> Any:
    """Zeros of the shape of ``x``, held as one number."""
    return _filled(x, 0.0, dtype)


@library("ones_like")
def ones_like(x: Any, dtype: Any = None) -> Any:
    """Ones of the shape of ``x``, held as one number."""
    return _filled(x, 1.0, dtype)


@library("full_like")
def full_like(x: Any, fill_value: Any, dtype: Any = None) -> Any:
    """``fill_value``, which may be traced, in the shape and element type of ``x``."""
    return broadcast_to(astype(fill_value, _kind(x, dtype)), shape_of(x))


@library("shape")
def shape(x: Any) -> tuple[int, ...]:
    """The shape: known while tracing."""
    return shape_of(x)


@library("ndim")
def ndim(x: Any) -> int:
    """The number of axes: known while tracing."""
    return len(shape_of(x))


@library("size")
def size(x: Any) -> int:
    """The number of elements: known while tracing."""
    return int(np.prod(shape_of(x), dtype=np.int64))
