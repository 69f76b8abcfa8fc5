"""``+ - * /`` and their kin, and what forgets the sign or the fraction of a number."""

from __future__ import annotations

from typing import Any

from combinators.operation import CONSTANT, declare
from combinators.primitives.signatures import Function, common_number, pointwise, smooth, stepwise
from combinators.tracing.emit import apply
from combinators.tracing.traced import library

add = smooth("add", "``x + y``.", lambda v, x, y, z: (v, v), promote=common_number, infix="+")
subtract = smooth(
    "subtract", "``x - y``.", lambda v, x, y, z: (v, -v), promote=common_number, infix="-"
)
multiply = smooth(
    "multiply",
    "``x * y``.",
    lambda v, x, y, z: (scale(v, y), scale(v, x)),
    promote=common_number,
    infix="*",
)
negative = smooth("negative", "``-x``.", lambda v, x, y: -v, promote=common_number)


@library("positive")
def positive(x: Any) -> Any:
    """``+x``, which is ``x``."""
    return x


def _quotient(v: Any, y: Any, z: Any) -> Any:
    over_y = unscale(v, y)
    return over_y, -scale(over_y, z)


divide = smooth(
    "divide", "``x / y``.", lambda v, x, y, z: _quotient(v, y, z), "true_divide", infix="/"
)
floor_divide = stepwise(
    "floor_divide",
    "``x // y``, the floor of the quotient.",
    arity=2,
    promote=common_number,
    infix="//",
)
remainder = smooth(
    "remainder",
    "``x % y``, of the sign of ``y``: ``x - y * (x // y)``.",
    lambda v, x, y, z: (v, -scale(v, x // y)),
    "mod",
    promote=common_number,
    infix="%",
    kink="where it jumps, the derivatives are 1 in x and -(x // y) in y",
)
scale: Function = smooth(
    "scale",
    "``v * p``, linear in ``v``, written ``v · p``: what a derivative is multiplied by.",
    lambda w, v, p, z: (scale(w, p), scale(w, v)),
    infix="·",
    kink="0 wherever either is 0, even where the other is inf or nan",
)
unscale: Function = smooth(
    "unscale",
    "``v / p``, linear in ``v``, written ``v ⊘ p``.",
    lambda w, v, p, z: _quotient(w, p, z),
    infix="⊘",
    kink="0 wherever v is 0 or p is infinite, even where the quotient would be nan",
)


absolute = smooth(
    "absolute",
    "``|x|``.",
    lambda v, x, y: scale(v, sign(x)),
    "fabs",
    promote=common_number,
    kink="abs'(0) = 0",
)
sign: Function = stepwise(
    "sign", "-1, 0 or 1.", promote=common_number, kink="sign' = 0 everywhere, also at 0"
)
floor = stepwise("floor", "The largest integer that is not larger.", promote=common_number)
ceil = stepwise("ceil", "The smallest integer that is not smaller.", promote=common_number)
trunc = stepwise("trunc", "The integer part.", "fix", promote=common_number)

ROUND = declare(
    "round", pointwise, CONSTANT, promote=common_number, kink="its derivative is 0 everywhere"
)


@library("round", "around", "rint")
def round(x: Any, decimals: int = 0) -> Any:
    """The nearest number of so many decimals; halves to the even one."""
    if not decimals:
        return apply(ROUND, x)
    unit = 10.0**decimals
    return apply(ROUND, x * unit) / unit
