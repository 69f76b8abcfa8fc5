"""Numbers as Python's own: each primitive as an expression, quick, and with care.

The quick expression may raise where IEEE gives inf or nan; the careful one never does. Either is
right, so that a program that raised is run once more with care. Numbers of other element types are
NumPy's scalars, whose expressions are those of arrays.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from combinators.errors import MissingRule
from combinators.objects import Bool, Int, Object, Real, Tensor
from interpreters.backends.analysis.facts import UNKNOWN, LineFact, may_be_zero
from interpreters.backends.analysis.lines import SCALES
from interpreters.backends.python.numpy_arrays import elementwise_text
from interpreters.backends.text.layout import (
    AND,
    ATOM,
    CHOICE,
    COMPARED,
    COMPARISONS,
    NOT,
    OPERATORS,
    OR,
    PLUS,
    TIMES,
    UNARY,
    Form,
    enclosed,
    filled_in,
    flat,
    infix,
)
from interpreters.backends.text.leaves import Leaf, tensor
from interpreters.backends.text.module import is_plain
from interpreters.backends.text.term_writer import Writer
from interpreters.carriers.pointwise_values import ROWS

PYTHON = (Real, Int, Bool)
"""The types whose values are Python's float, int and bool; other numbers are NumPy's scalars."""
SHORT, LONG = 40, 52
"""How long an expression is that may stand inside another, in deep blocks and outside all."""

_RAISES = (
    *("sin", "cos", "tan", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt"),
    *("cosh", "sinh", "arcsin", "arccos", "arccosh", "arctanh"),
)
"""The functions of ``math`` that raise where IEEE gives inf or nan."""
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


def _in_math(name: str) -> str:
    return f"math.{name.replace('arc', 'a')}"


_REAL = {
    **_ANY,
    **{name: Form(f"_{name}({{0}}, {{1}})") for name in ("floor_divide", "remainder", "power")},
    **{name: Form(f"{_in_math(name)}({{0}})") for name in ("arcsinh", "arctan", "tanh", "cbrt")},
    **{name: Form(f"{_in_math(name)}({{0}}, {{1}})") for name in ("hypot", "arctan2")},
    **{name: Form(f"_{name}({{0}})") for name in (*_RAISES, "floor", "ceil", "trunc", "sign")},
    "divide": Form("_divide({0}, {1})"),
    "literal_power": Form("_power({0}, {1})"),
    "reciprocal": Form("_divide(1.0, {0})"),
    "scale": Form("_scale({0}, {1})"),
    "unscale": Form("_unscale({0}, {1})"),
    "round": Form("round({0}, 0)"),
}

_QUICK = {
    **{name: Form(f"{_in_math(name)}({{0}})", raises=True) for name in _RAISES},
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

NEVER_RAISES = infix("/", TIMES)
"""A division by what is neither 0 nor infinite."""
NONZERO = {"floor_divide": infix("//", TIMES), "remainder": infix("%", TIMES)}
"""Divisions of integers by what is not 0."""

_BOOL = {
    **COMPARISONS,
    "where": _ANY["where"],
    "logical_and": Form("{0} and {1}", AND, (AND, AND + 1)),
    "logical_or": Form("{0} or {1}", OR, (OR, OR + 1)),
    "logical_xor": infix("!=", COMPARED),
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


_PARTICULAR = frozenset({"scale", "unscale", "power", "divide", "negative"})
"""What is written otherwise where an argument is a literal."""


QUICK = {**_REAL, **_QUICK}
ABSORBING = {**QUICK, **{name: _REAL[name] for name in SCALES}}
"""Quick, but for the products that hide zeros."""


def total(name: str, line: LineFact, dtype: str) -> str:
    """``name``, but ``total_power`` for a power of integers whose exponent may be negative."""
    if name == "power" and dtype.startswith("int") and line.operands[1][0] < 0:
        return "total_power"
    return name


@functools.cache
def form_of(name: str, types: tuple[Object, ...], *, careful: bool) -> Form:
    """How a primitive is written for numbers that are all Python's own."""
    kind = types[-1]
    table = _REAL if kind is Real else _INT if kind is Int else _BOOL
    if not careful and kind is Real:
        table = QUICK
    if name not in table and kind is Real and name in ROWS and ROWS[name].number:
        return enclosed(ROWS[name].number)
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


def number_of(writer: Writer, value: Any, obj: Tensor) -> Leaf:
    """A number of the element type of ``obj``."""
    level = ATOM
    if value - value == 0:
        text = repr(value)
        level = UNARY if text[0] == "-" else ATOM
    elif value != value:  # noqa: PLR0124 (nan)
        text = "math.nan"
    else:
        text, level = ("math.inf", ATOM) if value > 0 else ("-math.inf", UNARY)
    obj = Tensor((), obj.dtype) if obj.shape else obj
    if obj not in PYTHON:
        text, level = f"np.{obj.dtype}({text})", ATOM
    return Leaf(text, obj, level, literal=value)


def reals(writer: Writer) -> dict[str, Form]:
    """How primitives of reals are written."""
    return _REAL if writer.careful else ABSORBING if writer.absorbs else QUICK


def real(writer: Writer, name: str, form: Form, args: Sequence[Leaf]) -> Leaf:
    """A primitive of reals that ``reals`` writes as ``form``: most are, and this is quick."""
    if name in _PARTICULAR:
        x, y = args[0].literal, args[-1].literal
        if name == "scale" and (is_plain(x) or is_plain(y)):
            form = QUICK["multiply"]
        elif x is not None or y is not None or name == "negative":
            return scalar(writer, name, args, Real)
    if form.raises:
        writer.raises = True
    return written(writer, form, args, Real, _REAL[name])


def scalar(
    writer: Writer, name: str, args: Sequence[Leaf], cod: Tensor, line: LineFact = UNKNOWN
) -> Leaf:
    """An elementwise primitive of numbers."""
    kinds = tuple([arg.type for arg in args])
    careful = writer.careful or (writer.absorbs and name in SCALES)
    name = total(name, line, tensor(args[-1]).dtype)
    if any(kind not in PYTHON for kind in kinds):
        return _numpy_scalar(writer, name, args, cod)
    if kinds[0] is Bool and name in ("equal", "not_equal"):
        args = [x if x.literal is None else Leaf(writer.assign(x.text, "p"), Bool) for x in args]
    if name == "scale" and any(is_plain(x.literal) for x in args):
        name = "multiply"
    if name == "power" and args[1].literal is not None and cod is Real:
        # Half a power is a square root, as NumPy has it.
        is_root = args[1].literal == 0.5
        name, args = ("sqrt", args[:1]) if is_root else ("literal_power", args)
        kinds = kinds[: len(args)]
    if name == "negative" and args[0].level == UNARY:
        if args[0].literal is not None:
            return number_of(writer, -args[0].literal, cod)
        args = [writer.named(args[0])]
    form = form_of(name, kinds, careful=careful)
    safe = form_of(name, kinds, careful=True)
    if cod is Int and name in NONZERO and not may_be_zero(line.operands[1]):
        form = safe = NONZERO[name]
    if name in ("divide", "unscale") and is_plain(args[1].literal):
        form = safe = NEVER_RAISES
    leaf = written(writer, form, args, cod, safe)
    writer.raises = writer.raises or form.raises
    return Leaf(f"_int64({leaf.text})", cod) if cod is Int and line.wraps else leaf


def written(writer: Writer, form: Form, args: Sequence[Leaf], cod: Tensor, short: Form) -> Leaf:
    """The expression; where it would get long its operands are named, or it is ``short``."""
    if form.level <= COMPARED:
        if len(args) == 2 and form.level == COMPARED and args[0].text == args[1].text:
            return _with_itself(form.text, args[0])
        if form.level == CHOICE and len(args) == 3:
            args = [writer.named(args[0], "p"), *args[1:]]
    if _names_operands(form.text, form.level):
        args = [writer.named(x) for x in args]
    text, most = filled_in(form, args), max(SHORT, LONG - 4 * writer.at.depth)
    if len(text) > most:
        args = [writer.named(x) for x in args]
        text = filled_in(form, args)
        if len(text) > most and len(shorter := filled_in(short, args)) < len(text):
            return Leaf(shorter, cod, short.level)
    return Leaf(text, cod, form.level)


@functools.cache
def _names_operands(text: str, level: int) -> bool:
    """Whether the operands of a form are named first: it is a choice, or one stands twice."""
    return level == CHOICE or text.count("{0}") > 1


def _with_itself(text: str, x: Leaf) -> Leaf:
    """A comparison of a number with itself, which asks whether it is nan."""
    holds = "=" in text and "!" not in text
    if x.type is not Real:
        return Leaf(str(holds), Bool)
    if "!" in text:
        return Leaf(f"math.isnan({x.text})", Bool)
    return Leaf(f"not math.isnan({x.text})", Bool, NOT) if holds else Leaf("False", Bool)


def _numpy_scalar(writer: Writer, name: str, args: Sequence[Leaf], cod: Tensor) -> Leaf:
    """The same, of NumPy's scalars, which keep their element type."""
    writer.warns = True
    texts = [writer.named(arg).text for arg in args]
    dtype = tensor(args[-1]).dtype
    if name == "where":
        text = f"{texts[1]} if {texts[0]} else {texts[2]}"
    elif writer.absorbs and name in SCALES:
        text = f"_{name}_number({texts[0]}, {texts[1]})"
    elif name in ROWS and ROWS[name].array:
        array = elementwise_text(name, [f"np.array({texts[0]})"], dtype, "", careful=False)
        text = f"{flat(array)}[()]"
    else:
        text = flat(elementwise_text(name, texts, dtype, "", careful=False))
    if cod in PYTHON:
        text = f"({text}).item()" if " " in text else f"{text}.item()"
    return Leaf(writer.assign(text, "t"), cod)
