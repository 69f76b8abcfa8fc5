"""Arithmetic, comparing, logic and choosing, element by element."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, Never

import numpy as np

from combinators.errors import TypeMismatch
from combinators.objects import Object, Tensor
from combinators.operation import CONSTANT, Linear, Pointwise, declare, free, named
from combinators.primitives.signatures import (
    DType,
    Function,
    broadcast,
    common,
    common_number,
    common_small,
    pointwise,
    predicate,
    same_dtype,
    smooth,
    stepwise,
    tensor,
)
from combinators.tracing.emit import apply, dtype_of
from combinators.tracing.traced import library

_number = partial(smooth, promote=common_number)
_pieces = partial(stepwise, promote=common_number)

add = _number("add", "``x + y``.", lambda v, x, y, z: (v, v), infix="+")
subtract = _number("subtract", "``x - y``.", lambda v, x, y, z: (v, -v), infix="-")
multiply = _number(
    "multiply", "``x * y``.", lambda v, x, y, z: (scale(v, y), scale(v, x)), infix="*"
)
negative = _number("negative", "``-x``.", lambda v, x, y: -v)


@library("positive")
def positive(x: Any) -> Any:
    """``+x``, which is ``x``."""
    return x if np.result_type(dtype_of(x)) != np.bool_ else _no_logic("x itself")()


def _quotient(v: Any, x: Any, y: Any, z: Any) -> Any:
    over_y = unscale(v, y)
    return over_y, -scale(over_y, z)


divide = smooth("divide", "``x / y``.", _quotient, "true_divide", infix="/")
floor_divide = stepwise(
    "floor_divide", "``x // y``, the floor.", arity=2, promote=common_small, infix="//"
)
remainder = smooth(
    "remainder",
    "``x % y``, of the sign of ``y``: ``x - y * (x // y)``.",
    lambda v, x, y, z: (v, -scale(v, x // y)),
    "mod",
    promote=common_small,
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
    _quotient,
    infix="⊘",
    kink="0 wherever v is 0 or p is infinite, even where the quotient would be nan",
)
absolute = _number(
    "absolute", "``|x|``.", lambda v, x, y: scale(v, sign(x)), "fabs", kink="abs'(0) = 0"
)
sign: Function = _pieces("sign", "-1, 0 or 1.", kink="sign' = 0 everywhere, also at 0")
floor = _pieces("floor", "The largest integer that is not larger.")
ceil = _pieces("ceil", "The smallest integer that is not smaller.")
trunc = _pieces("trunc", "The integer part.", "fix")

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


less, less_equal, greater, greater_equal, equal, not_equal = (
    stepwise(
        name,
        f"``x {infix} y``, elementwise.",
        arity=2,
        promote=common,
        typing=predicate,
        infix=infix,
    )
    for name, infix in (
        *(("less", "<"), ("less_equal", "<="), ("greater", ">"), ("greater_equal", ">=")),
        *(("equal", "=="), ("not_equal", "!=")),
    )
)


def _truths(kinds: Sequence[Any]) -> Sequence[DType]:
    return [np.dtype(np.bool_)] * len(kinds)


_logical = partial(stepwise, promote=_truths, typing=predicate)
logical_and = _logical("logical_and", "``x & y``; what is not 0 is true.", arity=2, infix="&")
logical_or = _logical("logical_or", "``x | y``; what is not 0 is true.", arity=2, infix="|")
logical_xor = _logical("logical_xor", "``x ^ y``; what is not 0 is true.", arity=2, infix="^")
logical_not = _logical("logical_not", "``~x``; what is not 0 is true.")


def _of_booleans(name: str, symbol: str, logical: Function) -> None:
    """An operator: logic of booleans, and of nothing else, since of integers it goes by bits."""

    @library(name, word=False)
    def applied(*args: Any) -> Any:
        found = np.result_type(*map(dtype_of, args))
        if found != np.bool_:
            raise TypeMismatch(
                f"logic by {symbol} is for booleans, not for {found}; write a comparison, as in "
                f"x != 0, or np.{logical.__name__}, to which what is not 0 is true"
            )
        return logical(*args)


_of_booleans("bitwise_and", "&", logical_and)
_of_booleans("bitwise_or", "|", logical_or)
_of_booleans("bitwise_xor", "^", logical_xor)
_of_booleans("invert", "~", logical_not)


def _no_logic(instead: str) -> Function:
    """What has no meaning of booleans, as in NumPy."""

    def refused(*_: Any) -> Never:
        raise TypeMismatch(f"this is for numbers, not for booleans; write {instead}")

    return refused


_LOGIC: dict[str, Function] = {
    "add": logical_or,
    "multiply": logical_and,
    "subtract": _no_logic("x ^ y, or x.astype(int) - y"),
    "negative": _no_logic("~x, or -x.astype(int)"),
    "sign": _no_logic("x.astype(int)"),
    **dict.fromkeys(("absolute", "floor", "ceil", "trunc"), lambda x: x),
}
for _name, _logic in _LOGIC.items():
    named(_name).logic = _logic


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
    promote=lambda kinds: [np.dtype(np.bool_), *common(kinds[1:])],
    cost=free,
    kink="what is not chosen gets 0, whatever its own derivative",
)


@library("where")
def where(p: Any, x: Any, y: Any) -> Any:
    """``x`` where ``p`` holds, else ``y``, element by element; both are computed."""
    return apply(WHERE, p, x, y)


def _extreme(name: str, which: str, before: Function) -> Function:
    def rule(v: Any, x: Any, y: Any, z: Any) -> Any:
        ties = equal(x, y)
        wins = (before(*both) for both in ((x, y), (y, x)))
        return tuple(where(won, v, where(ties, 0.5 * v, 0.0)) for won in wins)

    doc, kink = f"The {which} of the two, element by element.", "equal arguments get half each"
    return smooth(name, doc, rule, promote=common, kink=kink)


maximum, minimum = _extreme("maximum", "larger", greater), _extreme("minimum", "smaller", less)


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
