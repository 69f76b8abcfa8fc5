"""Primitives of numbers, written inside the expressions that use them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from combinators.objects import Bool, Int, Object, Real, Tensor
from interpreters.backends.python import arrays
from interpreters.backends.python.frame import Frame
from interpreters.backends.python.scalars import NONZERO, PYTHON, form_of, int_bounds, total, wraps
from interpreters.backends.python.values import INT64, Leaf
from interpreters.backends.text.layout import (
    ATOM,
    CHOICE,
    COMPARED,
    NOT,
    UNARY,
    Form,
    filled_in,
    flat,
)
from interpreters.backends.text.module import is_plain

if TYPE_CHECKING:
    from interpreters.backends.python.emitter import Emitter

SHORT, LONG = 40, 52
"""How long an expression is that may stand inside another, in deep blocks and outside all."""


class Escalate(Exception):
    """An assumption about where nans may go does not hold; the program is written again."""


def taint(emitter: Emitter, name: str, args: Sequence[Leaf], cod: Tensor) -> bool:
    """Whether the result may hold a nan that a careful product would not give."""
    tainted = False
    for arg in args:
        tainted = tainted or arg.tainted
    if tainted and not cod.is_smooth:
        raise Escalate
    if emitter.level == 2 or name not in ("scale", "unscale"):
        return tainted
    return tainted or not any(is_plain(arg.literal) for arg in args)


def scalar(emitter: Emitter, name: str, args: Sequence[Leaf], cod: Tensor, at: Frame) -> Leaf:
    """An elementwise primitive of numbers."""
    kinds = tuple([arg.type for arg in args])
    tainted = taint(emitter, name, args, cod)
    careful = emitter.careful or (emitter.level == 2 and name in ("scale", "unscale"))
    plain = _plain(name, kinds, careful) if cod is Real else None
    if plain is not None and not (name in _PARTICULAR and _has_number(args)):
        form, safe = plain
        text, level = written(form, args, at, safe)
        if form.raises:
            emitter.raises = True
        return Leaf(text, cod, level, None, INT64, tainted)
    name = total(name, args)
    if not _are_pythons(kinds):
        return _numpy_scalar(emitter, name, args, cod, at, tainted=tainted)
    if kinds[0] is Bool and name in ("equal", "not_equal"):
        args = [Leaf(at.assign(x.text, "p"), x.type) if x.literal is not None else x for x in args]
    if name == "scale" and any(is_plain(x.literal) for x in args):
        name = "multiply"
    if name == "power" and args[1].literal is not None and cod is Real:
        name, args, kinds = _power_of(args, kinds)
    if name == "negative" and args[0].level == UNARY:
        if args[0].literal is not None:
            return emitter.number_of(-args[0].literal, cod)
        args = [at.named(args[0])]
    form = form_of(name, kinds, careful=careful)
    safe = form_of(name, kinds, careful=True)
    if cod is Int and name in NONZERO and not may_be_zero(args[1]):
        form = safe = NONZERO[name]
    if name in ("divide", "unscale") and is_plain(args[1].literal):
        form = safe = form_of("divide", kinds, careful=False)._replace(raises=False)
    text, level = written(form, args, at, safe)
    emitter.raises = emitter.raises or form.raises
    bounds = INT64
    if cod is Int:
        bounds = int_bounds(name, list(args))
        if wraps(bounds):
            text, level, bounds = f"_int64({text})", ATOM, INT64
    return Leaf(text, cod, level, bounds=bounds, tainted=tainted)


def may_be_zero(x: Leaf) -> bool:
    """Whether an integer is not known to be another than 0."""
    return x.bounds[0] <= 0 <= x.bounds[1]


_PARTICULAR = frozenset({"scale", "unscale", "power", "divide"})
"""What is written otherwise where an argument is a literal."""


def _has_number(args: Sequence[Leaf]) -> bool:
    return any(arg.literal is not None for arg in args)


@functools.cache
def _plain(name: str, kinds: tuple[Object, ...], careful: bool, /) -> tuple[Form, Form] | None:
    """The expression of reals, and the careful one; None of a negation, which may be a number."""
    if name == "negative" or any(kind is not Real for kind in kinds):
        return None
    return form_of(name, kinds, careful=careful), form_of(name, kinds, careful=True)


def _power_of(
    args: Sequence[Leaf], kinds: tuple[Object, ...]
) -> tuple[str, Sequence[Leaf], tuple[Object, ...]]:
    """A power with a number as its exponent; half a power is a square root, as NumPy has it."""
    if args[1].literal == 0.5:
        return "sqrt", args[:1], kinds[:1]
    return "literal_power", args, kinds


@functools.cache
def _are_pythons(kinds: tuple[Object, ...]) -> bool:
    return all(kind in PYTHON for kind in kinds)


def written(form: Form, args: Sequence[Leaf], at: Frame, short: Form) -> tuple[str, int]:
    """The expression; its operands are named first where it would get long."""
    if form.level <= COMPARED:
        if len(args) == 2 and form.level == COMPARED and args[0].text == args[1].text:
            return _with_itself(form.text, args[0])
        if form.level == CHOICE and len(args) == 3:
            args = [at.named(args[0], "p"), *args[1:]]
    if form.level == CHOICE or form.text.count("{0}") > 1:
        args = [at.named(x) for x in args]
    text = filled_in(form, args)
    most = max(SHORT, LONG - 4 * at.depth)
    if len(text) <= most:
        return text, form.level
    args = [at.named(x) for x in args]
    text = filled_in(form, args)
    if len(text) > most and len(filled_in(short, args)) < len(text):
        return filled_in(short, args), short.level
    return text, form.level


def _with_itself(text: str, x: Leaf) -> tuple[str, int]:
    """A comparison of a number with itself, which asks whether it is nan."""
    holds = "=" in text and "!" not in text
    if x.type is not Real:
        return str(holds), ATOM
    if "!" in text:
        return f"math.isnan({x.text})", ATOM
    return (f"not math.isnan({x.text})", NOT) if holds else ("False", ATOM)


def _numpy_scalar(
    emitter: Emitter, name: str, args: Sequence[Leaf], cod: Tensor, at: Frame, *, tainted: bool
) -> Leaf:
    """The same, of NumPy's scalars, which keep their element type."""
    emitter.warns = True
    texts = [at.named(arg).text for arg in args]
    dtype = args[-1].type.dtype if isinstance(args[-1].type, Tensor) else ""
    if name == "where":
        text = f"{texts[1]} if {texts[0]} else {texts[2]}"
    elif emitter.level == 2 and name in ("scale", "unscale"):
        text = f"_{name}_number({texts[0]}, {texts[1]})"
    elif name in ("sigmoid", "erf"):
        array = arrays.elementwise(name, [f"np.array({texts[0]})"], dtype, "", careful=False)
        text = f"{flat(array)}[()]"
    else:
        text = flat(arrays.elementwise(name, texts, dtype, "", careful=False))
    if cod in PYTHON:
        text = f"({text}).item()" if " " in text else f"{text}.item()"
    return Leaf(at.assign(text, "t"), cod, tainted=tainted)
