"""What a checked program asks of its numbers, by the way: the identity, or an error.

Elsewhere an index outside reads 0, an integer divided by zero is 0, and a negative power of an
integer is its integer part; integers wrap, and what is no number becomes some integer.
"""

from __future__ import annotations

from typing import Any

from combinators.errors import Place
from combinators.objects import Object
from combinators.operation import CONSTANT, declare, free


def _within(index: Object, axis: int, extent: int, place: Place | None) -> Object:
    return index


def _nonzero(divisor: Object, place: Place | None) -> Object:
    return divisor


def _nonnegative(exponent: Object, place: Place | None) -> Object:
    return exponent


def _whole(number: Object, dtype: str, place: Place | None) -> Object:
    return number


def _exact(
    x: Object, *others: Object, of: str, axis: Any, dtype: str, place: Place | None
) -> Object:
    return x


WITHIN = declare("within", _within, CONSTANT, cost=free)
"""An index, where it lies in ``range(extent)``; ``axis`` and ``place`` are for the error."""

NONZERO = declare("nonzero", _nonzero, CONSTANT, cost=free)
"""A divisor, where it is not 0."""

NONNEGATIVE = declare("nonnegative", _nonnegative, CONSTANT, cost=free)
"""The exponent of an integer, where it is not negative."""

WHOLE = declare("whole", _whole, CONSTANT, cost=free)
"""A float that is to become an integer, where there is one: no nan, and none that is too large."""

EXACT = declare("exact", _exact, CONSTANT, cost=free)
"""The first of the arguments of the operation ``of``, where its result is an integer of its type.

``axis`` is that of a reduction, and None of what works element by element.
"""

CHECKS = frozenset(check.name for check in (WITHIN, NONZERO, NONNEGATIVE, WHOLE, EXACT))
"""The names of all."""
