"""The declaration of a pointwise primitive: its type, derivative and cost, in one row."""

from __future__ import annotations

from combinators.primitives.arithmetic import unscale
from combinators.primitives.elementary import cosh
from combinators.primitives.signatures import smooth

gudermannian = smooth(
    "gudermannian", "``2 arctan(tanh(x / 2))``.", lambda v, x, y: unscale(v, cosh(x))
)
