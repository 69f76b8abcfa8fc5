"""Circular and hyperbolic functions; angles are in radians."""

from __future__ import annotations

from combinators.primitives.arithmetic import scale
from combinators.primitives.family import smooth

sin = smooth("sin", "The sine.", lambda v, x, y: scale(v, cos(x)))
cos = smooth("cos", "The cosine.", lambda v, x, y: -scale(v, sin(x)))
tanh = smooth("tanh", "The hyperbolic tangent.", lambda v, x, y: scale(v, 1.0 - y * y))
