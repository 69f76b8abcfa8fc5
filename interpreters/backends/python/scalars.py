"""Numbers as Python's own: each primitive as an expression, quick, and with care.

The quick expression may raise where IEEE gives inf or nan; the careful one never does. Either is
right, so that a program that raised is run once more with care.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

from combinators.errors import MissingRule
from combinators.objects import Bool, Int, Object, Real, Tensor
from interpreters.backends.python.values import INT64, Bounds, Leaf
from interpreters.backends.text.layout import (
    AND,
    ATOM,
    CHOICE,
    COMPARISONS,
    NOT,
    OPERATORS,
    OR,
    PLUS,
    TIMES,
    UNARY,
    Form,
    compared,
    infix,
)

PYTHON = (Real, Int, Bool)
"""The types whose values are Python's float, int and bool; other numbers are NumPy's scalars."""


_MATH = {"arcsinh": "asinh", "arctan": "atan", "arctan2": "atan2"}
_SAFE = ("arcsinh", "arctan", "arctan2", "tanh", "cbrt", "hypot", "erf")
_RAISES = {
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "exp": "exp",
    "exp2": "exp2",
    "expm1": "expm1",
    "log": "log",
    "log2": "log2",
    "log10": "log10",
    "log1p": "log1p",
    "sqrt": "sqrt",
    "cosh": "cosh",
    "sinh": "sinh",
    "arcsin": "asin",
    "arccos": "acos",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "power": "pow",
}
_ANY = {
    **OPERATORS,
    "absolute": Form("abs({0})"),
    "square": Form("{0} * {0}", TIMES, (ATOM,)),
    "maximum": Form("_maximum({0}, {1})"),
    "minimum": Form("_minimum({0}, {1})"),
    "relu": Form("_maximum({0}, 0.0)"),
    "clip": Form("_minimum(_maximum({0}, {1}), {2})"),
    "where": Form("{1} if {0} else {2}", CHOICE, (CHOICE + 1, CHOICE + 1, CHOICE)),
}

_REAL = {
    **_ANY,
    **{name: Form(f"_{name}({{0}}, {{1}})") for name in ("floor_divide", "remainder", "power")},
    **{
        name: Form(f"math.{_MATH.get(name, name)}({{0}})")
        for name in _SAFE
        if name not in ("hypot", "arctan2")
    },
    **{name: Form(f"math.{_MATH.get(name, name)}({{0}}, {{1}})") for name in ("hypot", "arctan2")},
    **{name: Form(f"_{name}({{0}})") for name in _RAISES if name != "power"},
    **{name: Form(f"_{name}({{0}})") for name in ("floor", "ceil", "trunc", "sign", "sigmoid")},
    "divide": Form("_divide({0}, {1})"),
    "literal_power": Form("_power({0}, {1})"),
    "reciprocal": Form("_divide(1.0, {0})"),
    "scale": Form("_scale({0}, {1})"),
    "unscale": Form("_unscale({0}, {1})"),
    "round": Form("round({0}, 0)"),
    "logaddexp": Form("_logaddexp({0}, {1})"),
    "softplus": Form("_logaddexp({0}, 0.0)"),
}

_QUICK = {
    **{
        name: Form(f"math.{function}({{0}})", raises=True)
        for name, function in _RAISES.items()
        if name != "power"
    },
    **{
        name: Form(f"math.copysign(math.{name}({{0}}), {{0}})", ATOM, (ATOM,), raises=True)
        for name in ("floor", "ceil", "trunc")
    },
    # NumPy's power is the square root at 0.5, which differs at -0.0 and -inf.
    "power": Form(
        "math.sqrt({0}) if {1} == 0.5 else math.pow({0}, {1})", CHOICE, (ATOM, ATOM), raises=True
    ),
    "divide": infix("/", TIMES)._replace(raises=True),
    "literal_power": Form("math.pow({0}, {1})", raises=True),
    "reciprocal": Form("1.0 / {0}", TIMES, (TIMES + 1,), raises=True),
    "floor_divide": infix("//", TIMES)._replace(raises=True),
    "remainder": infix("%", TIMES)._replace(raises=True),
    "scale": infix("*", TIMES),
    "unscale": infix("/", TIMES)._replace(raises=True),
    "maximum": Form("{0} if {0} > {1} or math.isnan({0}) else {1}", CHOICE, (ATOM, ATOM)),
    "minimum": Form("{0} if {0} < {1} or math.isnan({0}) else {1}", CHOICE, (ATOM, ATOM)),
    "relu": Form("{0} if {0} > 0.0 or math.isnan({0}) else 0.0", CHOICE, (ATOM,)),
}

_INT = {
    **_ANY,
    "floor_divide": Form("{0} // {1} if {1} else 0", CHOICE, (ATOM, ATOM)),
    "remainder": Form("{0} % {1} if {1} else 0", CHOICE, (ATOM, ATOM)),
    "power": Form("_power({0}, {1})"),
    "total_power": Form("_total_power({0}, {1}).item()"),
    "maximum": Form("max({0}, {1})"),
    "minimum": Form("min({0}, {1})"),
    "relu": Form("max({0}, 0)"),
    "clip": Form("min(max({0}, {1}), {2})"),
    "sign": Form("({0} > 0) - ({0} < 0)", PLUS, (ATOM,)),
    **{name: Form("{0}", ATOM, (ATOM,)) for name in ("floor", "ceil", "trunc", "round")},
}

NONZERO = {"floor_divide": infix("//", TIMES), "remainder": infix("%", TIMES)}
"""Divisions of integers by what is not 0."""

_BOOL = {
    **COMPARISONS,
    "where": _ANY["where"],
    "logical_and": Form("{0} and {1}", AND, (AND, AND + 1)),
    "logical_or": Form("{0} or {1}", OR, (OR, OR + 1)),
    "logical_xor": compared("!="),
    "logical_not": Form("not {0}", NOT, (NOT,)),
    "maximum": Form("{0} or {1}", OR, (OR, OR + 1)),
    "minimum": Form("{0} and {1}", AND, (AND, AND + 1)),
    "clip": Form("({0} or {1}) and {2}", AND, (OR, OR + 1, AND + 1)),
}
_CONVERSIONS = {
    (Int, Real): "float({0})",
    (Bool, Real): "float({0})",
    (Bool, Int): "int({0})",
    (Real, Int): "_to_int({0})",
    (Real, Bool): "bool({0})",
    (Int, Bool): "bool({0})",
}


def total(name: str, args: Sequence[Leaf]) -> str:
    """``name``, but ``total_power`` for a power of integers whose exponent may be negative."""
    if name != "power":
        return name
    exponent = args[1]
    assert isinstance(exponent.type, Tensor)
    may_be_negative = exponent.type.dtype.startswith("int") and exponent.bounds[0] < 0
    return "total_power" if may_be_negative else name


@functools.cache
def form_of(name: str, types: tuple[Object, ...], *, careful: bool) -> Form:
    """How a primitive is written for numbers that are all Python's own."""
    kind = types[-1]
    table = _REAL if kind is Real else _INT if kind is Int else _BOOL
    if not careful and kind is Real and name in _QUICK:
        return _QUICK[name]
    if name not in table:
        raise MissingRule(f"the Python backend has no expression for {name} of {kind!r}")
    return table[name]


def conversion(from_: Object, to: Object) -> Form:
    """One of Python's numbers as another, or as one of NumPy's scalars, and back."""
    assert isinstance(to, Tensor)
    assert isinstance(from_, Tensor)
    if from_ is to:
        return Form("{0}", ATOM, (ATOM,))
    if (from_, to) in _CONVERSIONS:
        return Form(_CONVERSIONS[from_, to])
    if from_ in PYTHON:
        wide = f"np.{'bool' if from_ is Bool else from_.dtype}({{0}})"
        return Form(f'{wide}.astype("{to.dtype}")')
    if to in PYTHON:
        return Form(f'{{0}}.astype("{to.dtype}").item()', ATOM, (ATOM,))
    return Form(f'{{0}}.astype("{to.dtype}")', ATOM, (ATOM,))


def int_bounds(name: str, args: list[Leaf]) -> Bounds:
    """Between which integers the result lies, before it wraps."""
    a = args[-2 if name == "where" else 0].bounds
    b = args[-1].bounds
    match name:
        case "add" | "plus":
            return a[0] + b[0], a[1] + b[1]
        case "subtract":
            return a[0] - b[1], a[1] - b[0]
        case "multiply" | "square":
            ends = [x * y for x in a for y in b]
            return min(ends), max(ends)
        case "negative":
            return -a[1], -a[0]
        case "absolute":
            return (0, max(abs(a[0]), abs(a[1])))
        case "maximum" | "minimum" | "where":
            return min(a[0], b[0]), max(a[1], b[1])
        case "remainder" if b[0] >= 0:
            return 0, max(b[1] - 1, 0)
        case "sign":
            return -1, 1
        case "floor_divide" if b[0] > 0:
            ends = [x // y for x in a for y in b]
            return min(ends), max(ends)
        case "floor_divide":
            return (min(a[0], 0), max(a[1], 0)) if b[0] >= 0 else (INT64[0], -INT64[0])
        case _:
            return INT64


def wraps(bounds: Bounds) -> bool:
    """Whether the result may lie outside 64 bits."""
    return bounds[0] < INT64[0] or bounds[1] > INT64[1]


def number_text(number: Any) -> tuple[str, int]:
    """A literal, and how tightly it holds together."""
    if number != number:  # noqa: PLR0124 (nan)
        return "math.nan", ATOM
    if isinstance(number, float) and math.isinf(number):
        return ("math.inf", ATOM) if number > 0 else ("-math.inf", UNARY)
    text = repr(number)
    return text, UNARY if text.startswith("-") else ATOM
