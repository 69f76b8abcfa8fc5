"""The bent and the S-shaped functions of neural networks and of statistics."""

from __future__ import annotations

import math
from typing import Any

from combinators.primitives.arithmetic import scale
from combinators.primitives.exponential import exp
from combinators.primitives.family import Function, smooth
from combinators.primitives.selection import where
from combinators.primitives.typing import common_number

TWO_OVER_SQRT_PI = 2.0 / math.sqrt(math.pi)

sigmoid: Function = smooth(
    "sigmoid",
    "``1 / (1 + exp(-x))``.",
    # sigmoid(-x) is 1 - y, with all its digits.
    lambda v, x, y: scale(scale(v, y), sigmoid(-x)),
)
softplus = smooth("softplus", "``log(1 + exp(x))``.", lambda v, x, y: scale(v, sigmoid(x)))


def _shares(v: Any, x: Any, y: Any, z: Any) -> Any:
    """Of the difference, which has digits where ``x - z`` has none."""
    nothing, gap = z == -math.inf, x - y
    first, second = (where(nothing, 0.0, sigmoid(d)) for d in (gap, -gap))
    return scale(v, first), scale(v, second)


logaddexp = smooth(
    "logaddexp",
    "``log(exp(x) + exp(y))``, without overflow.",
    _shares,
    kink="both derivatives are 0 where x = y = -inf, and nan where x = y = inf",
)
relu = smooth(
    "relu",
    "``max(x, 0)``.",
    lambda v, x, y: where(x > 0.0, v, 0.0),
    promote=common_number,
    kink="relu'(0) = 0",
)
erf = smooth(
    "erf",
    "The error function, ``2/√π ∫₀ˣ exp(-t²) dt``.",
    lambda v, x, y: scale(v, TWO_OVER_SQRT_PI * exp(-(x * x))),
)
