"""Floating-point numbers: NumPy's scalars and arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from combinators.literal import Literal
from combinators.objects import Object, Tensor
from combinators.operation import VIEWS, Operation, check_size
from interpreters.carriers.carrier import Compute, computation, computes
from interpreters.carriers.numpy_values import VALUES, scatter_into
from interpreters.carriers.pointwise_values import for_each_row
from interpreters.sparse_cotangents import Part


class NumPy:
    """The carrier of NumPy's floats: IEEE arithmetic, without warnings."""

    def const(self, literal: Literal) -> Any:
        """The array; a number as a NumPy scalar."""
        return literal.array[()]

    def operation(self, operation: Operation, types: Sequence[Object], cod: Object) -> Compute:
        """The NumPy function; a result that no memory holds is refused."""
        if operation.name not in VIEWS:
            check_size(operation.name, cod)
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

    def scatter(self, parts: Sequence[Part], obj: Tensor, rest: Any) -> Any:
        """One new array for all parts."""
        whole = np.zeros(obj.shape, obj.dtype) if rest is None else np.array(rest)
        scatter_into(whole, parts)
        return whole

    def lift(self, value: Any, obj: Tensor) -> Any:
        """A copy, so that nobody can change it under the program."""
        return np.array(value, dtype=obj.dtype)[()]

    def lower(self, number: Any) -> Any:
        """A copy of an array; a number as it is."""
        return np.array(number) if isinstance(number, np.ndarray) else number


for _name, _make in VALUES.items():
    computes(_name, NumPy)(_make)
for_each_row(lambda name, row: computes(name, NumPy)(lambda: row.numpy))
