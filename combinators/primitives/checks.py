"""What a checked program asks of its numbers, by the way: the identity, or an error.

Elsewhere an index outside reads 0, an integer divided by zero is 0, and a negative power of an
integer is its integer part.
"""

from __future__ import annotations

from combinators.errors import Place
from combinators.objects import Object
from combinators.operation import CONSTANT, declare, free


def _within(index: Object, axis: int, extent: int, place: Place | None) -> Object:
    return index


def _nonzero(divisor: Object, place: Place | None) -> Object:
    return divisor


def _nonnegative(exponent: Object, place: Place | None) -> Object:
    return exponent


WITHIN = declare("within", _within, CONSTANT, cost=free)
"""An index, where it lies in ``range(extent)``; ``axis`` and ``place`` are for the error."""

NONZERO = declare("nonzero", _nonzero, CONSTANT, cost=free)
"""A divisor, where it is not 0."""

NONNEGATIVE = declare("nonnegative", _nonnegative, CONSTANT, cost=free)
"""The exponent of an integer, where it is not negative."""

CHECKS = frozenset(check.name for check in (WITHIN, NONZERO, NONNEGATIVE))
"""The names of all."""
