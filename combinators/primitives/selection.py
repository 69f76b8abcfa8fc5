"""Comparing, asking and choosing between numbers, element by element; logic on booleans."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from combinators.errors import TypeMismatch
from combinators.objects import Object, Tensor
from combinators.operation import Linear, Pointwise, declare, free
from combinators.primitives.arithmetic import absolute
from combinators.primitives.signatures import (
    DType,
    broadcast,
    choice,
    common,
    comparison,
    pointwise,
    predicate,
    same_dtype,
    smooth,
    stepwise,
    tensor,
)
from combinators.tracing.emit import apply, dtype_of
from combinators.tracing.traced import library

less = comparison("less", "<")
less_equal = comparison("less_equal", "<=")
greater = comparison("greater", ">")
greater_equal = comparison("greater_equal", ">=")
equal = comparison("equal", "==")
not_equal = comparison("not_equal", "!=")


def _logic(kinds: Sequence[Any]) -> Sequence[DType]:
    found = np.result_type(*kinds)
    if found != np.bool_:
        raise TypeMismatch(
            f"logic, and the operators & | ^ ~, are for booleans, not for {found}; "
            "write a comparison, as in x != 0"
        )
    return [np.dtype(np.bool_)] * len(kinds)


logical_and = stepwise(
    "logical_and", "``x & y``.", "bitwise_and", arity=2, promote=_logic, typing=predicate, infix="&"
)
logical_or = stepwise(
    "logical_or", "``x | y``.", "bitwise_or", arity=2, promote=_logic, typing=predicate, infix="|"
)
logical_xor = stepwise(
    "logical_xor", "``x ^ y``.", "bitwise_xor", arity=2, promote=_logic, typing=predicate, infix="^"
)
logical_not = stepwise("logical_not", "``~x``.", "invert", promote=_logic, typing=predicate)


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


def _where_type(p: Object, x: Object, y: Object) -> Object:
    if tensor(p).dtype != "bool":
        raise TypeMismatch(f"where chooses by booleans, not by {p!r}")
    return Tensor(broadcast(p, x, y), same_dtype(x, y))


WHERE = declare(
    "where",
    _where_type,
    Linear(lambda g, p, x, y: (None, where(p, g, 0.0), where(p, 0.0, g))),
    promote=choice,
    cost=free,
    kink="what is not chosen gets 0, whatever its own derivative",
)


@library("where")
def where(p: Any, x: Any, y: Any) -> Any:
    """``x`` where ``p`` holds, else ``y``, element by element; both are computed."""
    return apply(WHERE, p, x, y)


def _part(v: Any, wins: Any, ties: Any) -> Any:
    return where(wins, v, where(ties, 0.5 * v, 0.0))


def _chosen(v: Any, x: Any, y: Any, before: Any) -> Any:
    ties = equal(x, y)
    return _part(v, before(x, y), ties), _part(v, before(y, x), ties)


maximum = smooth(
    "maximum",
    "The larger of the two, element by element.",
    lambda v, x, y, z: _chosen(v, x, y, greater),
    promote=common,
    kink="equal arguments get half each",
)
minimum = smooth(
    "minimum",
    "The smaller of the two, element by element.",
    lambda v, x, y, z: _chosen(v, x, y, less),
    promote=common,
    kink="equal arguments get half each",
)


def _clip_rule(v: Any, x: Any, low: Any, high: Any, y: Any) -> Any:
    inside = logical_and(less_equal(low, x), less_equal(x, high))
    at_low = logical_and(less(x, low), less_equal(low, high))
    at_high = logical_and(less(high, x), less_equal(low, x))
    crossed = logical_and(less(high, low), less(x, low))
    return (where(inside, v, 0.0), where(at_low, v, 0.0), where(at_high, v, where(crossed, v, 0.0)))


CLIP = declare(
    "clip",
    pointwise,
    Pointwise(_clip_rule),
    promote=common,
    kink="at a bound x gets 1 and the bound gets 0",
)


@library("clip")
def clip(x: Any, min: Any = None, max: Any = None) -> Any:
    """``x``, but at least ``min`` and at most ``max``; None is no bound."""
    kind = np.result_type(dtype_of(x))
    if kind.kind == "f":
        lowest, highest = -math.inf, math.inf
    else:
        limits = np.iinfo(np.int64 if kind.kind == "b" else kind)
        lowest, highest = limits.min, limits.max
    return apply(CLIP, x, lowest if min is None else min, highest if max is None else max)
