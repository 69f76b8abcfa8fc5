"""Hyperbolic functions and their inverses."""

from __future__ import annotations

from typing import Any

from combinators.primitives.arithmetic import scale, unscale
from combinators.primitives.family import Function, smooth
from combinators.primitives.powers import hypot, sqrt

sinh = smooth("sinh", "The hyperbolic sine.", lambda v, x, y: scale(v, cosh(x)))
cosh: Function = smooth("cosh", "The hyperbolic cosine.", lambda v, x, y: scale(v, sinh(x)))


def _flattened(v: Any, x: Any, _: Any) -> Any:
    """``v / cosh(x)²``: in ``1 - y²`` no digit of it would be left for a large ``x``."""
    c = cosh(x)
    # Divided twice: the square of c may overflow where the quotient does not vanish.
    return unscale(unscale(v, c), c)


tanh = smooth("tanh", "The hyperbolic tangent.", _flattened)
arcsinh = smooth(
    "arcsinh",
    "The inverse of ``sinh``.",
    lambda v, x, y: unscale(v, hypot(x, 1.0)),
    "asinh",
)
arccosh = smooth(
    "arccosh",
    "The inverse of ``cosh`` on [1, inf).",
    lambda v, x, y: unscale(v, sqrt(x - 1.0) * sqrt(x + 1.0)),
    "acosh",
    kink="arccosh'(1) = inf",
)
arctanh = smooth(
    "arctanh",
    "The inverse of ``tanh`` on (-1, 1).",
    lambda v, x, y: unscale(v, (1.0 - x) * (1.0 + x)),
    "atanh",
    kink="arctanh'(±1) = inf",
)
