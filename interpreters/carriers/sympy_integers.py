"""Divisions and powers of integers in formulas: where there is none, they give 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy
from sympy import S

from interpreters.carriers.sympy_values import elementwise


def _total(divide: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A division of integers, which by zero gives 0."""

    def divided(x: Any, y: Any) -> Any:
        if y.is_zero:
            return S.Zero
        z = divide(x, y)
        return z if y.is_zero is False else sympy.Piecewise((z, sympy.Ne(y, 0)), (S.Zero, True))

    return divided


def _power(x: Any, y: Any) -> Any:
    """A power of an integer; of a negative one the integer part."""
    is_whole = sympy.Or(y >= 0, sympy.Eq(sympy.Abs(x), 1))
    return sympy.Piecewise((x**y, is_whole), (S.Zero, True))


INTEGER = {
    "floor_divide": elementwise(_total(lambda x, y: sympy.floor(x / y)), 2),
    "remainder": elementwise(_total(sympy.Mod), 2),
    "power": elementwise(_power, 2),
}
"""What is otherwise between integers."""
