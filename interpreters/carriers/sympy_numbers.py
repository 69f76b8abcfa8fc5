"""Numbers of a program as numbers of a formula."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import sympy

_KNOWN = {
    math.pi: sympy.pi,
    2 * math.pi: 2 * sympy.pi,
    math.pi / 2: sympy.pi / 2,
    math.e: sympy.E,
    math.log(2.0): sympy.log(2),
    math.log(10.0): sympy.log(10),
    math.sqrt(2.0): sympy.sqrt(2),
    math.sqrt(math.pi): sympy.sqrt(sympy.pi),
    2.0 / math.sqrt(math.pi): 2 / sympy.sqrt(sympy.pi),
}
"""Floats that are written to stand for a number that no float is."""

_SHORT = 1024
"""The largest denominator of a float that is written as a fraction."""


def expression(value: Any) -> Any:
    """A number as an expression; a float that is no short binary fraction stays a float.

    >>> expression(2.0), expression(0.375), expression(0.1), expression(3.141592653589793)
    (2, 3/8, 0.100000000000000, pi)
    """
    if isinstance(value, sympy.Basic):
        return value
    plain = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, float):
        return sympy.sympify(plain)
    if plain in _KNOWN:
        return _KNOWN[plain]
    if not math.isfinite(plain):
        return sympy.nan if plain != plain else sympy.oo * int(math.copysign(1, plain))  # noqa: PLR0124
    numerator, denominator = plain.as_integer_ratio()
    if denominator <= _SHORT and abs(plain) < 2**53:
        return sympy.Rational(numerator, denominator)
    return sympy.Float(plain)


_expressions = np.frompyfunc(expression, 1, 1)


def expressions(values: Any) -> Any:
    """An array of expressions; of one number that expression."""
    if isinstance(values, sympy.Basic):
        return values
    with np.errstate(all="ignore"):  # NumPy would warn of each nan that it hands over
        return _expressions(np.asarray(values))
