"""Exact rational numbers: what makes most laws exact.

A number is a ``fractions.Fraction``, a tensor an object array of them; integers and booleans are
NumPy's own. What only moves, compares or sums numbers is borrowed from NumPy's carrier.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from combinators.errors import DomainError, MissingRule
from combinators.literal import Literal
from combinators.objects import Object, Tensor
from combinators.operation import Operation
from combinators.type_folds import is_smooth
from interpreters.carriers.carrier import Compute, computation, computes
from interpreters.carriers.numpy import Arrays, NumPy, borrowed, elementwise
from interpreters.carriers.numpy_values import recurrence, scattered
from interpreters.carriers.pointwise_values import Row, for_each_row
from interpreters.sparse_cotangents import Part


class Fractions(Arrays):
    """The carrier of the rationals; what leaves them is a ``DomainError`` or a ``MissingRule``.

    >>> Fractions().lift(0.5, Tensor(()))
    Fraction(1, 2)
    """

    def element_type(self, obj: Tensor) -> Any:
        """Objects for floats of any width."""
        return object if obj.is_smooth else obj.dtype

    def const(self, literal: Literal) -> Any:
        """The literal, exactly; an infinity stays, as a bound to compare with."""
        return rationals(literal.array) if literal.type.is_smooth else literal.array[()]

    def operation(self, operation: Operation, types: Sequence[Object], cod: Object) -> Compute:
        """What computes it exactly; NumPy's own where there are only integers and booleans."""
        if not any(is_smooth(obj) for obj in (*types, cod)):
            return NumPy().operation(operation, types, cod)
        try:
            return computation(operation, self)
        except MissingRule:
            raise MissingRule(
                f"the rationals have no {operation.name}: its values need not be rational; compute "
                f"over NumPy(), or register one with computes({operation.name!r}, Fractions)"
            ) from None

    def scatter(self, parts: Sequence[Part], obj: Tensor, rest: Any) -> Any:
        """One new array for all parts."""
        return scattered(np.full(obj.shape, Fraction(0)) if rest is None else rest, parts)

    def lift(self, value: Any, obj: Tensor) -> Any:
        """A number or an array of floats, integers or fractions, exactly."""
        array = np.array(value, dtype=self.element_type(obj))
        return rationals(array) if obj.is_smooth else array[()]


def _rational(x: Any) -> Any:
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


_rationals = np.frompyfunc(_rational, 1, 1)


def rationals(values: Any) -> Any:
    """An array of fractions; of one number that fraction."""
    return _rationals(np.asarray(values))


def _of_fractions(name: str, row: Row) -> None:
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

    compute = elementwise(checked)
    computes(name, Fractions)(lambda: compute)


for_each_row(_of_fractions)

_BORROWED = """
less less_equal greater greater_equal equal not_equal where stop_gradient
broadcast_to reshape transpose slice embed concatenate take put iota argmax argmin
sum prod max min cumsum exclusive_cumprod within nonzero nonnegative exact limited
"""


def _settled(y: Any) -> Any:
    """Objects as fractions; NumPy's integers and booleans as they are."""
    return y[()] if hasattr(y, "dtype") and y.dtype.kind != "O" else rationals(y)


for _name in _BORROWED.split():
    computes(_name, Fractions)(borrowed(_name, _settled))


def _convert(dtype: str) -> Compute:
    """Floats of any width hold fractions; to an integer it truncates."""
    if np.dtype(dtype).kind == "f":
        return rationals
    truncated = np.frompyfunc(bool if dtype == "bool" else math.trunc, 1, 1)
    return lambda x: np.asarray(truncated(x)).astype(dtype)[()]


computes("convert", Fractions)(_convert)
computes("whole", Fractions)(lambda dtype, place: lambda x: x)  # every fraction has an integer part
computes("recurrence", Fractions)(
    lambda axis, reverse: lambda a, b: rationals(recurrence(axis, reverse, np.multiply)(a, b))
)
computes("matmul", Fractions)(
    lambda absorbing=False: lambda x, y: rationals(np.matmul(x, y))  # 0 absorbs every fraction
)
