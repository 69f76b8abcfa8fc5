"""The bent and the S-shaped functions of neural networks and of statistics."""

from __future__ import annotations

import math

from combinators.primitives.arithmetic import scale
from combinators.primitives.exponential import exp
from combinators.primitives.family import smooth
from combinators.primitives.selection import where
from combinators.primitives.typing import common_number

TWO_OVER_SQRT_PI = 2.0 / math.sqrt(math.pi)

sigmoid = smooth("sigmoid", "``1 / (1 + exp(-x))``.", lambda v, x, y: scale(v, y * (1.0 - y)))
softplus = smooth("softplus", "``log(1 + exp(x))``.", lambda v, x, y: scale(v, sigmoid(x)))
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
