"""What a checked program asks of its indices and divisors, by the way: the identity, or an error.

Elsewhere an index outside reads 0, and an integer divided by zero is 0.
"""

from __future__ import annotations

from combinators.derivatives import CONSTANT
from combinators.kit.locate import Place
from combinators.objects import Object
from combinators.operation import declare, free


def _within(index: Object, axis: int, extent: int, place: Place | None) -> Object:
    return index


def _nonzero(divisor: Object, place: Place | None) -> Object:
    return divisor


WITHIN = declare("within", _within, CONSTANT, cost=free)
"""An index, where it lies in ``range(extent)``; ``axis`` and ``place`` are for the error."""

NONZERO = declare("nonzero", _nonzero, CONSTANT, cost=free)
"""A divisor, where it is not 0."""
