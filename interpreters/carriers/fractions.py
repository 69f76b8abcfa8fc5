"""Exact rational numbers: what makes most laws exact.

A number is a ``fractions.Fraction``, a tensor an object array of them; integers and booleans are
NumPy's own. What only moves numbers is borrowed from NumPy's carrier.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from combinators.errors import DomainError, MissingRule
from combinators.literal import Literal
from combinators.objects import Object, Tensor
from combinators.operation import Operation, named
from combinators.type_folds import is_smooth
from interpreters.carriers.carrier import Compute, computation, computes
from interpreters.carriers.numpy import NumPy
from interpreters.carriers.numpy_values import scatter_into
from interpreters.carriers.pointwise_values import Row, for_each_row
from interpreters.carriers.recurrences import exclusive_cumprod, recurrence
from interpreters.sparse_cotangents import Part


class Fractions:
    """The carrier of the rationals; what leaves them is a ``DomainError`` or a ``MissingRule``.

    >>> Fractions().lift(0.5, Tensor(()))
    Fraction(1, 2)
    """

    numpy = NumPy()

    def const(self, literal: Literal) -> Any:
        """The literal, exactly; an infinity stays, as a bound to compare with."""
        return rationals(literal.array) if literal.type.is_smooth else literal.array[()]

    def operation(self, operation: Operation, types: Sequence[Object], cod: Object) -> Compute:
        """What computes it exactly; NumPy's own where there are only integers and booleans."""
        if not any(is_smooth(obj) for obj in (*types, cod)):
            return self.numpy.operation(operation, types, cod)
        try:
            return computation(operation, self)
        except MissingRule:
            raise MissingRule(
                f"the rationals have no {operation.name}: its values need not be rational; compute "
                f"over NumPy(), or register one with computes({operation.name!r}, Fractions)"
            ) from None

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
        if not obj.is_smooth:
            return self.numpy.stack(rows, obj)
        array = np.empty(obj.shape, dtype=object)
        for index, row in enumerate(rows):
            array[index] = row
        return array

    def scatter(self, parts: Sequence[Part], obj: Tensor, rest: Any) -> Any:
        """One new array for all parts."""
        whole = np.full(obj.shape, Fraction(0), dtype=object) if rest is None else np.array(rest)
        scatter_into(whole, parts)
        return whole

    def lift(self, value: Any, obj: Tensor) -> Any:
        """A number or an array of floats, integers or fractions, exactly."""
        if not obj.is_smooth:
            return self.numpy.lift(value, obj)
        return rationals(np.array(value, dtype=object))

    def lower(self, number: Any) -> Any:
        """A ``Fraction``, or a copy of the array."""
        return self.numpy.lower(number)


def rational(x: Any) -> Any:
    """A number as a fraction; the infinities, which only serve as bounds, as they are."""
    if isinstance(x, Fraction):
        return x
    plain = x.item() if isinstance(x, np.generic) else x
    if isinstance(plain, float) and math.isinf(plain):
        return plain
    try:
        return Fraction(plain)
    except (ValueError, TypeError):
        raise DomainError(f"{plain!r} is not a rational number") from None


_rationals = np.frompyfunc(rational, 1, 1)


def rationals(values: Any) -> Any:
    """An array of fractions; of one number that fraction."""
    return _rationals(np.asarray(values))


def _exact(name: str, row: Row) -> None:
    """Register a function of fractions, element by element; it may not leave the rationals."""
    function = row.rational
    if function is None:
        return

    def checked(*xs: Any) -> Any:
        try:
            y = function(*xs)
        except ArithmeticError:
            y = None
        if isinstance(y, (Fraction, int)):
            return Fraction(y)
        given = ", ".join(map(str, xs))
        raise DomainError(f"{name}({given}) is not a rational number")

    elementwise = functools.cache(lambda arity: np.frompyfunc(checked, arity, 1))
    computes(name, Fractions)(lambda: lambda *xs: elementwise(len(xs))(*xs))


def _borrowed(name: str) -> None:
    """Register NumPy's own computation, on object arrays."""

    def make(**parameters: Any) -> Compute:
        compute = computation(Operation(named(name), tuple(parameters.items())), Fractions.numpy)

        def borrowed(*xs: Any) -> Any:
            arrays = [np.array(x, dtype=object) if isinstance(x, Fraction) else x for x in xs]
            y = np.asarray(compute(*arrays))
            return rationals(y) if y.dtype == object else y[()]

        return borrowed

    computes(name, Fractions)(make)


for_each_row(_exact)

_MOVES = """
less less_equal greater greater_equal equal not_equal where stop_gradient
broadcast_to reshape transpose slice embed concatenate take put iota argmax argmin
within nonzero nonnegative exact
"""
for _name in _MOVES.split():
    _borrowed(_name)


def _reduction(name: str, function: Callable[..., Any]) -> None:
    """Register NumPy's reduction, in the arithmetic of the elements."""

    def make(axis: tuple[int, ...], keepdims: bool) -> Compute:
        return lambda x: rationals(function(x, axis=axis, keepdims=keepdims))

    computes(name, Fractions)(make)


_reduction("sum", np.sum)
_reduction("prod", np.prod)
_reduction("max", np.max)
_reduction("min", np.min)
computes("cumsum", Fractions)(lambda axis: lambda x: rationals(np.cumsum(x, axis)))
computes("exclusive_cumprod", Fractions)(
    lambda axis, reverse: lambda x: rationals(exclusive_cumprod(axis, reverse)(x))
)
computes("recurrence", Fractions)(
    lambda axis, reverse: lambda a, b: rationals(recurrence(axis, reverse, np.multiply)(a, b))
)
computes("matmul", Fractions)(
    lambda absorbing=False: lambda x, y: rationals(np.matmul(x, y))  # 0 absorbs every fraction
)


def _convert(dtype: str) -> Compute:
    """Floats of any width hold fractions; to an integer it truncates."""
    if np.dtype(dtype).kind == "f":
        return rationals
    truncated = np.frompyfunc(bool if dtype == "bool" else math.trunc, 1, 1)
    return lambda x: np.asarray(truncated(x)).astype(dtype)[()]


computes("convert", Fractions)(_convert)
computes("whole", Fractions)(lambda dtype, place: lambda x: x)  # every fraction has an integer part
