"""Exponentials, powers, circular and hyperbolic functions, and those of neural networks."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from combinators.errors import TypeMismatch
from combinators.operation import Pointwise, declare
from combinators.primitives.arithmetic import scale, unscale, where
from combinators.primitives.signatures import (
    Function,
    common_number,
    common_small,
    pointwise,
    smooth,
)
from combinators.tracing.emit import apply, dtype_of
from combinators.tracing.traced import library

LN2, LN10 = math.log(2.0), math.log(10.0)


def _by(
    apply_slope: Function, name: str, doc: str, slope: Function, *names: str, **said: Any
) -> Function:
    """A function whose tangents are multiplied, or divided, by ``slope(x, y)``."""
    return smooth(name, doc, lambda v, x, y: apply_slope(v, slope(x, y)), *names, **said)


_times, _over = partial(_by, scale), partial(_by, unscale)

exp = _times("exp", "``e ** x``.", lambda x, y: y)
expm1 = _times("expm1", "``e ** x - 1``, exact near 0.", lambda x, y: exp(x))
exp2 = _times("exp2", "``2 ** x``.", lambda x, y: LN2 * y)
log = _over("log", "The natural logarithm.", lambda x, y: x, kink="log'(0) = inf")
log1p = _over(
    "log1p", "``log(1 + x)``, exact near 0.", lambda x, y: 1.0 + x, kink="log1p'(-1) = inf"
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


def _power_rule(v: Any, x: Any, y: Any, z: Any) -> Any:
    # y is scaled, not multiplied: where y is 0 the derivative in x is 0, even at x = 0,
    # and its own derivative in y is still 1/x.
    by_base = scale(y, power(x, y - 1.0))
    by_exponent = where(x == 0.0, 0.0, z * log(x))
    return scale(v, by_base), scale(v, by_exponent)


POWER = declare(
    "power",
    pointwise,
    Pointwise(_power_rule),
    promote=common_small,
    infix="**",
    kink="the derivative of x**0 in x is 0, also at x = 0; "
    "in y it is 0 at x = 0, and nan where x < 0",
)


@library("power", "pow")
def power(x: Any, y: Any) -> Any:
    """``x ** y``; for two integers an integer, the integer part where it is negative."""
    if type(y) is int and y == 2:
        return square(x)
    if type(y) is int and y < 0 and not np.issubdtype(np.result_type(dtype_of(x)), np.floating):
        raise TypeMismatch(
            f"an integer has no integer power {y}; write x.astype(float) ** {y}, or 1 / x ** {-y}"
        )
    return apply(POWER, x, y)


square = _times("square", "``x * x``.", lambda x, y: 2.0 * x, promote=common_small)
reciprocal = smooth(
    "reciprocal", "``1 / x``, of integers a float.", lambda v, x, y: -scale(scale(v, y), y)
)
sqrt = _over("sqrt", "The square root.", lambda x, y: 2.0 * y, kink="sqrt'(0) = inf")
cbrt = _over("cbrt", "The cube root.", lambda x, y: 3.0 * (y * y), kink="cbrt'(0) = inf")
hypot = smooth(
    "hypot",
    "``sqrt(x² + y²)``, without overflow.",
    lambda v, x, y, z: (scale(v, unscale(x, z)), scale(v, unscale(y, z))),
    kink="both derivatives are 0 at (0, 0)",
)


sin = _times("sin", "The sine.", lambda x, y: cos(x))
cos: Function = smooth("cos", "The cosine.", lambda v, x, y: -scale(v, sin(x)))
tan = _times("tan", "The tangent.", lambda x, y: 1.0 + y * y)


def _leg(x: Any, y: Any) -> Any:
    """``sqrt(1 - x²)``, exact near ±1."""
    return sqrt((1.0 - x) * (1.0 + x))


arcsin = _over(
    "arcsin", "The angle in [-π/2, π/2] that has this sine.", _leg, "asin", kink="arcsin'(±1) = inf"
)
arccos = smooth(
    "arccos",
    "The angle in [0, π] that has this cosine.",
    lambda v, x, y: -unscale(v, _leg(x, y)),
    "acos",
    kink="arccos'(±1) = -inf",
)
arctan = _over(
    "arctan", "The angle in (-π/2, π/2) that has this tangent.", lambda x, y: 1.0 + x * x, "atan"
)


def _turn(v: Any, y: Any, x: Any, z: Any) -> Any:
    radius = hypot(x, y)
    # Divided twice: the square of the radius may overflow where its quotients do not.
    along, across = (unscale(unscale(leg, radius), radius) for leg in (x, y))
    return scale(v, along), -scale(v, across)


arctan2 = smooth(
    "arctan2",
    "The angle in [-π, π] of the point of ordinate ``y`` and abscissa ``x``: ``arctan2(y, x)``.",
    _turn,
    "atan2",
    kink="both derivatives are 0 at (0, 0)",
)


sinh = _times("sinh", "The hyperbolic sine.", lambda x, y: cosh(x))
cosh: Function = _times("cosh", "The hyperbolic cosine.", lambda x, y: sinh(x))
# The slopes of tanh and sigmoid are made of their values, so that a pullback keeps nothing besides:
# where y rounds to 1, they are as small as that rounding.
tanh = _times("tanh", "The hyperbolic tangent.", lambda x, y: 1.0 - y * y)
arcsinh = _over("arcsinh", "The inverse of ``sinh``.", lambda x, y: hypot(x, 1.0), "asinh")
arccosh = _over(
    "arccosh",
    "The inverse of ``cosh`` on [1, inf).",
    lambda x, y: sqrt(x - 1.0) * sqrt(x + 1.0),
    "acosh",
    kink="arccosh'(1) = inf",
)
arctanh = _over(
    "arctanh",
    "The inverse of ``tanh`` on (-1, 1).",
    lambda x, y: (1.0 - x) * (1.0 + x),
    "atanh",
    kink="arctanh'(±1) = inf",
)


TWO_OVER_SQRT_PI = 2.0 / math.sqrt(math.pi)

sigmoid = _times("sigmoid", "``1 / (1 + exp(-x))``.", lambda x, y: y * (1.0 - y))
softplus = _times("softplus", "``log(1 + exp(x))``.", lambda x, y: sigmoid(x))


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
erf = _times(
    "erf",
    "The error function, ``2/√π ∫₀ˣ exp(-t²) dt``.",
    lambda x, y: TWO_OVER_SQRT_PI * exp(-(x * x)),
)
