"""Between element types; and what stops a derivative."""

from __future__ import annotations

from typing import Any

import numpy as np

from combinators.derivatives import CONSTANT, Linear
from combinators.objects import Object, Tensor
from combinators.operation import declare, free
from combinators.primitives.typing import tensor
from combinators.tracing.emit import apply
from combinators.tracing.traced import library


def _typing(x: Object, dtype: str) -> Object:
    return Tensor(tensor(x).shape, dtype)


def _back(g: Any, x: Object, dtype: str) -> Any:
    return astype(g, tensor(x).dtype)


CONVERT = declare("convert", _typing, Linear(_back), cost=free)
STOP_GRADIENT = declare(
    "stop_gradient", tensor, CONSTANT, cost=free, kink="its derivative is 0 everywhere"
)


@library("astype")
def astype(x: Any, dtype: Any) -> Any:
    """``x`` with elements of another type; to integers it truncates, and has no derivative."""
    return apply(CONVERT, x, dtype=np.dtype(dtype).name)


@library("stop_gradient")
def stop_gradient(x: Any) -> Any:
    """``x``, as a constant to every derivative."""
    return apply(STOP_GRADIENT, x)
