"""Between which integers the numbers of a line lie.

Of ``i`` in ``range(10)``, ``i * 3 + 1`` lies in 1 … 28: as an index of 30 elements it needs no
test, as an exponent no case for negative ones, and its square cannot leave 64 bits.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from combinators.literal import Literal
from combinators.objects import Object, Tensor

Bounds = tuple[int, int]
"""The least and the greatest."""
INT64 = (-(2**63), 2**63 - 1)
BIT = (0, 1)


@functools.lru_cache(maxsize=1 << 10)
def bounds_of_type(obj: Object) -> Bounds:
    """What every number of a type lies between; those of what holds no integers say nothing."""
    if not isinstance(obj, Tensor) or obj.is_smooth:
        return INT64
    if obj.dtype == "bool":
        return BIT
    limits = np.iinfo(obj.dtype)
    return int(limits.min), int(limits.max)


def bounds_of_literal(literal: Literal) -> Bounds:
    """What the numbers of an array of integers lie between."""
    array = literal.array
    if literal.type.is_smooth or not array.size:
        return INT64
    return int(array.min()), int(array.max())


def joined(a: Bounds, b: Bounds) -> Bounds:
    """What either lies between."""
    return (min(a[0], b[0])), (max(a[1], b[1]))


def within(inner: Bounds, outer: Bounds) -> bool:
    """Whether all that lies between the first lies between the second."""
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def may_be_zero(bounds: Bounds) -> bool:
    """Whether 0 lies between them."""
    return bounds[0] <= 0 <= bounds[1]


def may_be_outside(bounds: Bounds, extent: int) -> bool:
    """Whether it may be no index of ``extent`` elements."""
    return bounds[0] < 0 or bounds[1] >= extent


def unwrapped(name: str, args: Sequence[Bounds]) -> Bounds:
    """What the result of an elementwise primitive lies between, before it wraps."""
    a, b = args[-2 if name == "where" else 0], args[-1]
    match name:
        case "add" | "plus":
            return a[0] + b[0], a[1] + b[1]
        case "subtract":
            return a[0] - b[1], a[1] - b[0]
        case "multiply" | "square" | "scale":
            ends = [x * y for x in a for y in b]
            return min(ends), max(ends)
        case "negative":
            return -a[1], -a[0]
        case "absolute":
            return (0, max(abs(a[0]), abs(a[1])))
        case "maximum":
            return max(a[0], b[0]), max(a[1], b[1])
        case "minimum":
            return min(a[0], b[0]), min(a[1], b[1])
        case "relu":
            return max(a[0], 0), max(a[1], 0)
        case "clip":
            low, high = args[1], args[2]
            return min(max(a[0], low[0]), high[0]), min(max(a[1], low[1]), high[1])
        case "where":
            return joined(a, b)
        case "remainder" if b[0] >= 0:
            most = max(b[1] - 1, 0)
            return 0, min(most, a[1]) if a[0] >= 0 else most
        case "sign":
            return -1, 1
        case "floor" | "ceil" | "trunc" | "round":
            return a
        case "floor_divide" if b[0] > 0:
            ends = [x // y for x in a for y in b]
            return min(ends), max(ends)
        case "floor_divide":
            return (min(a[0], 0), max(a[1], 0)) if b[0] >= 0 else (INT64[0], -INT64[0])
        case "less" | "less_equal" | "greater" | "greater_equal" | "equal" | "not_equal":
            return BIT
        case "logical_and" | "logical_or" | "logical_xor" | "logical_not":
            return BIT
        case _:
            return INT64
