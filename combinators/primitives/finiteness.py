"""Questions about floats: whether one is a number, and a finite one."""

from __future__ import annotations

import math
from typing import Any

from combinators.primitives.comparison import equal, less, not_equal
from combinators.primitives.rounding import absolute
from combinators.tracing.traced import library


@library("isnan")
def isnan(x: Any) -> Any:
    """Whether it is not a number: the only thing that differs from itself."""
    return not_equal(x, x)


@library("isinf")
def isinf(x: Any) -> Any:
    """Whether it is infinite."""
    return equal(absolute(x), math.inf)


@library("isfinite")
def isfinite(x: Any) -> Any:
    """Whether it is a number, and a finite one."""
    return less(absolute(x), math.inf)
