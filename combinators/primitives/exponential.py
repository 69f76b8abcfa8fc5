"""Exponentials and logarithms."""

from __future__ import annotations

import math

from combinators.primitives.arithmetic import scale, unscale
from combinators.primitives.family import smooth

LN2, LN10 = math.log(2.0), math.log(10.0)

exp = smooth("exp", "``e ** x``.", lambda v, x, y: scale(v, y))
expm1 = smooth("expm1", "``e ** x - 1``, exact near 0.", lambda v, x, y: scale(v, exp(x)))
exp2 = smooth("exp2", "``2 ** x``.", lambda v, x, y: scale(v, LN2 * y))
log = smooth("log", "The natural logarithm.", lambda v, x, y: unscale(v, x), kink="log'(0) = inf")
log1p = smooth(
    "log1p",
    "``log(1 + x)``, exact near 0.",
    lambda v, x, y: unscale(v, 1.0 + x),
    kink="log1p'(-1) = inf",
)
log2 = smooth(
    "log2",
    "The binary logarithm.",
    lambda v, x, y: unscale(unscale(v, x), LN2),
    kink="log2'(0) = inf",
)
log10 = smooth(
    "log10",
    "The decimal logarithm.",
    lambda v, x, y: unscale(unscale(v, x), LN10),
    kink="log10'(0) = inf",
)
