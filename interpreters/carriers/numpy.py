"""Floating-point numbers: NumPy's scalars and arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import combinators.primitives  # noqa: F401 (declares them)
from combinators.literal import Literal
from combinators.objects import Object, Tensor
from combinators.operation import Operation
from interpreters.carriers.carrier import Compute, computation, computes


class NumPy:
    """The carrier of NumPy's floats: IEEE arithmetic, without warnings."""

    def const(self, literal: Literal) -> Any:
        """The array; a number as a NumPy scalar."""
        return literal.array[()]

    def operation(self, operation: Operation, types: Sequence[Object], cod: Object) -> Compute:
        """The NumPy function."""
        return computation(operation, self)

    def add(self, x: Any, y: Any) -> Any:
        """Elementwise."""
        return x + y

    def truth(self, number: Any) -> bool:
        """Python's own."""
        return bool(number)

    def row(self, stack: Any, index: int) -> Any:
        """A view."""
        return stack[index]

    def stack(self, rows: Sequence[Any], obj: Tensor) -> Any:
        """A new array."""
        return np.array(rows, dtype=obj.dtype).reshape(obj.shape)

    def lift(self, value: Any, obj: Tensor) -> Any:
        """A copy, so that nobody can change it under the program."""
        return np.array(value, dtype=obj.dtype)[()]

    def lower(self, number: Any) -> Any:
        """A copy of an array; a number as it is."""
        return np.array(number) if isinstance(number, np.ndarray) else number


def _same(name: str, *numpy_names: str) -> None:
    function = getattr(np, (numpy_names or (name,))[0])
    computes(name, NumPy)(lambda: function)


for _name in (
    "add subtract multiply divide negative exp log sin cos tanh "
    "less less_equal greater greater_equal equal not_equal"
).split():
    _same(_name)


def _scale(v: Any, p: Any) -> Any:
    return _absorbing(v, v * p)


def _unscale(v: Any, p: Any) -> Any:
    return _absorbing(v, v / p)


def _absorbing(v: Any, product: Any) -> Any:
    """``product``, and 0 where ``v`` is 0: only nan can tell the difference."""
    if isinstance(product, np.ndarray):
        bad = product != product  # noqa: PLR0124 (nan differs from itself)
        return np.where(bad & (v == 0), v, product) if bad.any() else product
    return v if v == 0 else product


computes("scale", NumPy)(lambda: _scale)
computes("unscale", NumPy)(lambda: _unscale)
computes("convert", NumPy)(lambda dtype: lambda x: x.astype(dtype))
computes("broadcast_to", NumPy)(lambda shape: lambda x: np.broadcast_to(x, shape))
computes("reshape", NumPy)(lambda shape: lambda x: np.reshape(x, shape)[()])
computes("transpose", NumPy)(lambda axes: lambda x: np.transpose(x, axes))
computes("sum", NumPy)(
    lambda axis, keepdims: lambda x: np.sum(x, axis=axis, keepdims=keepdims, dtype=x.dtype)
)
