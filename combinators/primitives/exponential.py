"""Exponentials and logarithms."""

from __future__ import annotations

import math
from typing import Any

from combinators.primitives.arithmetic import scale, unscale
from combinators.primitives.family import smooth
from combinators.primitives.selection import where

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


def share(x: Any, total: Any) -> Any:
    """``exp(x - total)``: the share of ``x`` in a sum of exponentials; 0 where all are 0."""
    return exp(x - where(total == -math.inf, 0.0, total))


logaddexp = smooth(
    "logaddexp",
    "``log(exp(x) + exp(y))``, without overflow.",
    lambda v, x, y, z: (scale(v, share(x, z)), scale(v, share(y, z))),
    kink="both derivatives are 0 where x = y = -inf; that of an argument that is inf is nan",
)
