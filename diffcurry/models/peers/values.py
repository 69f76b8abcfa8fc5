"""The values of primitives, by the names that every NumPy-like module has."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from combinators.errors import MissingRule
from combinators.operation import Operation

_ALIKE = frozenset(
    {
        *("add", "subtract", "multiply", "divide", "negative", "absolute", "power", "matmul"),
        *("square", "sqrt", "exp", "log", "sin", "cos", "tan", "tanh", "maximum", "minimum"),
        *("less", "less_equal", "greater", "greater_equal", "equal", "where"),
        *("logical_and", "logical_or", "logical_not"),
    }
)
"""What is called so everywhere, and takes no parameters."""

Make = Callable[..., Callable[..., Any]]


def _slice(xp: Any, start: Any, step: Any, extent: Any) -> Callable[..., Any]:
    ends = [first + stride * n for first, stride, n in zip(start, step, extent, strict=True)]
    window = tuple(
        slice(first, end if end >= 0 else None, stride)
        for first, end, stride in zip(start, ends, step, strict=True)
    )
    return lambda x: x[window]


def _take(xp: Any, axis: int) -> Callable[..., Any]:
    """Elements at indices; at one that lies outside, 0."""

    def compute(x: Any, *indices: Any) -> Any:
        extents = x.shape[axis : axis + len(indices)]
        inside = [(i >= 0) & (i < n) for i, n in zip(indices, extents, strict=True)]
        at = [xp.where(valid, i, 0) for valid, i in zip(inside, indices, strict=True)]
        taken = x[(*(slice(None),) * axis, *at)]
        rows = functools.reduce(operator.and_, inside)
        behind = (1,) * (len(x.shape) - axis - len(indices))
        return xp.where(xp.reshape(rows, (*rows.shape, *behind)), taken, 0.0)

    return compute


def _reduction(name: str) -> Make:
    def make(xp: Any, axis: Any, keepdims: bool) -> Callable[..., Any]:
        return lambda x: getattr(xp, name)(x, axis=axis, keepdims=keepdims)

    return make


_MADE: dict[str, Make] = {
    "sum": _reduction("sum"),
    "prod": _reduction("prod"),
    "max": _reduction("max"),
    "min": _reduction("min"),
    "reshape": lambda xp, shape: lambda x: xp.reshape(x, shape),
    "broadcast_to": lambda xp, shape: lambda x: xp.broadcast_to(x, shape),
    "transpose": lambda xp, axes: lambda x: xp.transpose(x, axes),
    "concatenate": lambda xp, axis: lambda *parts: xp.concatenate(parts, axis),
    "slice": _slice,
    "take": _take,
}


def function_of(operation: Operation, xp: Any) -> Callable[..., Any]:
    """What computes ``operation`` with the functions of the module ``xp``."""
    name = operation.name
    if name in _MADE:
        return _MADE[name](xp, **operation.keywords)
    if name in _ALIKE and not operation.parameters:
        compute: Callable[..., Any] = getattr(xp, name)
        return compute
    raise MissingRule(f"{name} is not among the primitives that peers are asked for")
