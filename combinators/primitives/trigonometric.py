"""Circular functions and their inverses; angles are in radians."""

from __future__ import annotations

from typing import Any

from combinators.primitives.arithmetic import scale, unscale
from combinators.primitives.family import Function, smooth
from combinators.primitives.powers import hypot, sqrt

sin = smooth("sin", "The sine.", lambda v, x, y: scale(v, cos(x)))
cos: Function = smooth("cos", "The cosine.", lambda v, x, y: -scale(v, sin(x)))
tan = smooth("tan", "The tangent.", lambda v, x, y: scale(v, 1.0 + y * y))


def _leg(x: Any) -> Any:
    """``sqrt(1 - x²)``, exact near ±1."""
    return sqrt((1.0 - x) * (1.0 + x))


arcsin = smooth(
    "arcsin",
    "The angle in [-π/2, π/2] that has this sine.",
    lambda v, x, y: unscale(v, _leg(x)),
    "asin",
    kink="arcsin'(±1) = inf",
)
arccos = smooth(
    "arccos",
    "The angle in [0, π] that has this cosine.",
    lambda v, x, y: -unscale(v, _leg(x)),
    "acos",
    kink="arccos'(±1) = -inf",
)
arctan = smooth(
    "arctan",
    "The angle in (-π/2, π/2) that has this tangent.",
    lambda v, x, y: unscale(v, 1.0 + x * x),
    "atan",
)


def _turn(v: Any, y: Any, x: Any) -> Any:
    radius = hypot(x, y)
    # Divided twice: the square of the radius may overflow where its quotients do not.
    along, across = (unscale(unscale(z, radius), radius) for z in (x, y))
    return scale(v, along), -scale(v, across)


arctan2 = smooth(
    "arctan2",
    "The angle in [-π, π] of the point of ordinate ``y`` and abscissa ``x``: ``arctan2(y, x)``.",
    lambda v, y, x, z: _turn(v, y, x),
    "atan2",
    kink="both derivatives are 0 at (0, 0)",
)
