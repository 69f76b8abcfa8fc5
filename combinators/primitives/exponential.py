"""Exponentials and logarithms."""

from __future__ import annotations

from combinators.primitives.arithmetic import scale, unscale
from combinators.primitives.family import smooth

exp = smooth("exp", "``e ** x``.", lambda v, x, y: scale(v, y))
log = smooth("log", "The natural logarithm.", lambda v, x, y: unscale(v, x), kink="log'(0) = inf")
