"""Powers and roots."""

from __future__ import annotations

from typing import Any

import numpy as np

from combinators.derivatives import Pointwise
from combinators.errors import TypeMismatch
from combinators.operation import declare
from combinators.primitives.arithmetic import scale, unscale
from combinators.primitives.exponential import log
from combinators.primitives.family import smooth
from combinators.primitives.selection import where
from combinators.primitives.typing import common_number, pointwise
from combinators.tracing.emit import apply, dtype_of
from combinators.tracing.traced import library


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
    promote=common_number,
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


square = smooth("square", "``x * x``.", lambda v, x, y: scale(v, 2.0 * x), promote=common_number)
reciprocal = smooth(
    "reciprocal", "``1 / x``, of integers a float.", lambda v, x, y: -scale(unscale(v, x), y)
)
sqrt = smooth(
    "sqrt", "The square root.", lambda v, x, y: unscale(v, 2.0 * y), kink="sqrt'(0) = inf"
)
cbrt = smooth(
    "cbrt", "The cube root.", lambda v, x, y: unscale(v, 3.0 * (y * y)), kink="cbrt'(0) = inf"
)
hypot = smooth(
    "hypot",
    "``sqrt(x² + y²)``, without overflow.",
    lambda v, x, y, z: (scale(v, unscale(x, z)), scale(v, unscale(y, z))),
    kink="both derivatives are 0 at (0, 0)",
)
