"""What forgets the sign or the fraction of a number."""

from __future__ import annotations

from typing import Any

from combinators.derivatives import CONSTANT
from combinators.operation import declare
from combinators.primitives.arithmetic import scale
from combinators.primitives.family import Function, smooth, stepwise
from combinators.primitives.typing import common_number, pointwise
from combinators.tracing.emit import apply
from combinators.tracing.traced import library

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
    "round",
    pointwise,
    CONSTANT,
    promote=common_number,
    kink="its derivative is 0 everywhere",
)


@library("round", "around", "rint")
def round(x: Any, decimals: int = 0) -> Any:
    """The nearest number of so many decimals; halves to the even one."""
    if not decimals:
        return apply(ROUND, x)
    unit = 10.0**decimals
    return apply(ROUND, x * unit) / unit
