"""Floating-point numbers: NumPy's scalars and arrays; and what arrays of objects borrow."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from combinators.literal import Literal
from combinators.objects import Object, Tensor
from combinators.operation import VIEWS, Operation, check_size, named
from interpreters.carriers.carrier import Compute, computation, computes
from interpreters.carriers.numpy_values import VALUES, Make, scattered
from interpreters.carriers.pointwise_values import for_each_row
from interpreters.sparse_cotangents import Part


class Arrays:
    """What carriers share whose tensors are NumPy's arrays, of numbers or of objects."""

    def element_type(self, obj: Tensor) -> Any:
        """That of the arrays for tensors of type ``obj``."""
        return obj.dtype

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
        array = np.empty(obj.shape, self.element_type(obj))
        for index, row in enumerate(rows):
            array[index] = row
        return array

    def lower(self, number: Any) -> Any:
        """A copy of an array; a number as it is."""
        return np.array(number) if isinstance(number, np.ndarray) else number


class NumPy(Arrays):
    """The carrier of NumPy's floats: IEEE arithmetic, without warnings."""

    def const(self, literal: Literal) -> Any:
        """The array; a number as a NumPy scalar."""
        return literal.array[()]

    def operation(self, operation: Operation, types: Sequence[Object], cod: Object) -> Compute:
        """The NumPy function; a result that no memory holds is refused."""
        if operation.name not in VIEWS:
            check_size(operation.name, cod)
        return computation(operation, self)

    def scatter(self, parts: Sequence[Part], obj: Tensor, rest: Any) -> Any:
        """One new array for all parts."""
        return scattered(np.zeros(obj.shape, obj.dtype) if rest is None else rest, parts)

    def lift(self, value: Any, obj: Tensor) -> Any:
        """A copy, so that nobody can change it under the program."""
        return np.array(value, dtype=obj.dtype)[()]


for _name, _make in VALUES.items():
    computes(_name, NumPy)(_make)
for_each_row(lambda name, row: computes(name, NumPy)(lambda: row.numpy))


def elementwise(function: Callable[..., Any]) -> Compute:
    """``function`` of objects on arrays of them, broadcast; of objects an object."""
    over_arrays = functools.cache(lambda arity: np.frompyfunc(function, arity, 1))

    def compute(*xs: Any) -> Any:
        if any(isinstance(x, np.ndarray) for x in xs):
            return over_arrays(len(xs))(*xs)
        return function(*xs)

    return compute


def borrowed(name: str, numbers: Callable[[Any], Any]) -> Make:
    """NumPy's own computation on objects; ``numbers`` makes objects of what it gives."""

    def make(**parameters: Any) -> Compute:
        compute = computation(Operation(named(name), tuple(parameters.items())), NumPy())
        return lambda *xs: numbers(compute(*map(as_array, xs)))

    return make


def as_array(x: Any) -> Any:
    """An object as an array of objects; NumPy's own as it is."""
    return x if isinstance(x, (np.ndarray, np.generic)) else np.array(x, dtype=object)
