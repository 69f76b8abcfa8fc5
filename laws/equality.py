"""Whether two numbers, arrays or expressions are equal, and how that was told: said aloud."""

from __future__ import annotations

from enum import IntEnum
from fractions import Fraction
from numbers import Rational
from random import Random
from typing import Any

import numpy as np

from combinators.kit.quotient import Quotient
from combinators.kit.tree import Syntax


class Level(IntEnum):
    """How two outcomes were compared, the strictest first."""

    NORMAL = 0
    """Their normal forms are identical: outcomes are syntax."""
    EXACT = 1
    """Their values are equal: rational, integer, boolean, or one expression."""
    QUOTIENT = 2
    """They are lists of calls that no tangent of a function can tell apart."""
    EXPANDED = 3
    """They are expressions that are one when expanded."""
    SAMPLED = 4
    """They are expressions that agree at random rational numbers."""
    FLOAT = 5
    """Their values are near each other, as near as floats and the condition of the problem let."""

    def __str__(self) -> str:
        """In a word or two."""
        return (
            "normal form",
            "exact",
            "modulo the quotient",
            "exact, expanded",
            "at random rationals",
            "floating point",
        )[self]


ROUNDINGS = 256
"""How many roundings of the larger of two floats they may be apart."""
DIGITS = 40
"""With how many digits expressions are evaluated."""
SAMPLES = 3


def equal(a: Any, b: Any, slack: Any = 0.0, epsilon: float = 0.0) -> tuple[bool, Level]:
    """Whether two leaves are equal, and how that was told. Two nans are equal.

    >>> equal(Fraction(1, 2), Fraction(2, 4))
    (True, <Level.EXACT: 1>)
    >>> equal(0.1 + 0.2, 0.3), equal(0.1, 0.2)
    ((True, <Level.FLOAT: 5>), (False, <Level.FLOAT: 5>))
    """
    if isinstance(a, Syntax) or isinstance(b, Syntax):
        return a == b, Level.NORMAL
    if isinstance(a, Quotient) or isinstance(b, Quotient):
        both = isinstance(a, Quotient) and isinstance(b, Quotient)
        return both and a.same(b), Level.QUOTIENT
    if _precision(a) or _precision(b):
        if _is_array(a) and _is_array(b) and a.dtype != b.dtype:
            return False, Level.EXACT
        return _near(a, b, slack, max(_precision(a), _precision(b), epsilon)), Level.FLOAT
    if a is b:
        return True, Level.EXACT
    x, y = np.asarray(a), np.asarray(b)
    if object not in (x.dtype, y.dtype):
        return bool(x.shape == y.shape and np.array_equal(x, y)), Level.EXACT
    if x.shape != y.shape:
        return False, Level.EXACT
    found = [_same(p, q) for p, q in zip(_plain(x), _plain(y), strict=True)]
    return all(same for same, _ in found), max((how for _, how in found), default=Level.EXACT)


def _plain(array: Any) -> list[Any]:
    """Python's own numbers where NumPy's stand, which decimals are not compared with."""
    flat: list[Any] = np.ravel(array).tolist()
    return flat


def _is_array(leaf: Any) -> bool:
    """Whether it is an array of more than one number, whose type is part of it."""
    return isinstance(leaf, np.ndarray) and leaf.ndim > 0 and leaf.dtype != object


def _precision(leaf: Any) -> float:
    """The relative rounding of a float, and 0 for what is none."""
    kind = np.dtype(float) if isinstance(leaf, float) else getattr(leaf, "dtype", None)
    return float(np.finfo(kind).eps) if getattr(kind, "kind", "") == "f" else 0.0


def _near(a: Any, b: Any, slack: Any, epsilon: float) -> bool:
    """Elementwise; infinities and nans have to be the same."""
    try:
        x, y = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    except (TypeError, ValueError):
        return False
    if x.shape != y.shape:
        return False
    finite = np.isfinite(x) & np.isfinite(y)
    with np.errstate(all="ignore"):
        far = np.abs(x - y) - ROUNDINGS * epsilon * np.maximum(np.abs(x), np.abs(y)) > slack
    agree = (x == y) | (np.isnan(x) & np.isnan(y))
    return bool(np.all(np.where(finite, ~far, agree)))


def _same(a: Any, b: Any) -> tuple[bool, Level]:
    """Numbers exactly; expressions by what they say, expanded, or at random numbers."""
    if isinstance(a, Rational) and isinstance(b, Rational):
        return Fraction(a) == Fraction(b), Level.EXACT
    if a == b or (_is_nan(a) and _is_nan(b)):
        return True, Level.EXACT
    if not (_is_expression(a) or _is_expression(b)):
        return False, Level.EXACT
    try:
        difference = a - b
        if difference.expand() == 0:
            return True, Level.EXPANDED
    except (TypeError, AttributeError):
        return False, Level.EXACT
    return _vanishes(difference, abs(a) + abs(b)), Level.SAMPLED


def _is_nan(number: Any) -> bool:
    return isinstance(number, float) and number != number  # noqa: PLR0124 (nan differs from itself)


def _is_expression(leaf: Any) -> bool:
    return hasattr(leaf, "free_symbols") and hasattr(leaf, "evalf")


def _vanishes(difference: Any, size: Any) -> bool:
    """Whether an expression is 0, next to the size of its terms, at a few random numbers.

    Where it has no value, as the logarithm of a negative number among the reals, it is not asked.
    """
    random = Random(0)  # noqa: S311 (the same numbers every time)
    for _ in range(SAMPLES):
        symbols = sorted(difference.free_symbols | size.free_symbols, key=str)
        at = {symbol: Fraction(random.randint(-40, 40), 16) for symbol in symbols}
        values = [_value(expression, at) for expression in (difference, size)]
        if None in values:
            continue
        far, large = values
        if abs(far) > 10.0 ** (10 - DIGITS) * max(1, abs(large)):
            return False
    return True


def _value(expression: Any, at: dict[Any, Fraction]) -> Any:
    """Its value as a number with many digits; None where it has none, or is infinite."""
    found = expression.subs(at).evalf(DIGITS)
    return found if found.is_number and found.is_finite else None
