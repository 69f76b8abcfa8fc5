"""Numbers, and primitives of them element by element: as operators, or by name.

A derivative rule says in the language what XLA computes better at once, as ``v / cosh x / cosh x``:
that is recognised by how its operands were made, and what its parts would have given is then named
for nothing, and left out.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from combinators.errors import MissingRule
from combinators.objects import Tensor
from interpreters.backends.analysis.facts import LineFact, may_be_zero
from interpreters.backends.text.layout import (
    ATOM,
    ON_ARRAYS,
    POWER,
    TIMES,
    UNARY,
    Form,
    Text,
    call,
    enclosed,
    filled_in,
)
from interpreters.backends.text.leaves import Leaf, Origin, tensor
from interpreters.backends.text.module import is_plain
from interpreters.backends.text.term_writer import Writer
from interpreters.carriers.pointwise_values import ROWS

LONG = 56
"""How long an expression is that may stand in a line."""
FORMS = {
    **ON_ARRAYS,
    "power": Form("{0}**{1}", POWER, (ATOM, UNARY)),
    "reciprocal": Form("1.0 / {0}", TIMES, (TIMES + 1,)),
    "logical_not": Form("~{0}", UNARY, (UNARY,)),
    "relu": Form("jnp.maximum({0}, 0)"),
    "clip": Form("jnp.clip({0}, {1}, {2})"),
    "where": Form("jnp.where({0}, {1}, {2})"),
    "scale": Form("_scale({0}, {1})"),
    "unscale": Form("_unscale({0}, {1})"),
}
"""How each is written that is not written as its row of values says."""

ABSORBING = Form("_matmul({0}, {1})")
"""A product of matrices in which zeros absorb."""

_ITSELF = frozenset({"floor", "ceil", "trunc", "round"})
"""What does nothing to integers."""
_SMALL = 16
"""The largest exponent of a power that is written as products."""


def number(value: Any, dtype: str) -> Leaf:
    """A number, as one of Python's, that is ``value`` when it meets arrays of ``dtype``."""
    obj = Tensor((), dtype)
    if value != value:  # noqa: PLR0124 (nan)
        return Leaf("jnp.nan", obj, literal=value)
    if isinstance(value, float) and np.isinf(value):
        text = "jnp.inf" if value > 0 else "-jnp.inf"
    else:
        text = repr(value)
        short = str(np.dtype(dtype).type(value)) if dtype == "float32" else text
        if "." in short and np.float32(short) == value:
            text = short
    return Leaf(text, obj, UNARY if text.startswith("-") else ATOM, literal=value)


def strong(leaf: Leaf) -> Leaf:
    """The same, and of its own element type wherever it stands."""
    if leaf.literal is None:
        return leaf
    assert isinstance(leaf.type, Tensor)
    return Leaf(f"{kind(leaf.type.dtype)}({leaf.text})", leaf.type)


def kind(dtype: str) -> str:
    """How JAX calls an element type.

    >>> kind("float64"), kind("bool")
    ('jnp.float64', 'jnp.bool_')
    """
    return f"jnp.{dtype}{'_' * (dtype == 'bool')}"


def filled(inner: Leaf, obj: Tensor) -> Text:
    """A new array of one number."""
    value = inner.literal
    if value in (0, 1) and not np.signbit(value):
        return call(f"jnp.{'ones' if value else 'zeros'}", str(obj.shape), kind(obj.dtype))
    return call("jnp.full", str(obj.shape), inner.text, kind(obj.dtype))


def number_of(writer: Writer, value: Any, obj: Tensor) -> Leaf:
    """A number of the element type of ``obj``."""
    return number(bool(value) if obj.dtype == "bool" else value, obj.dtype)


def elements(
    writer: Writer, name: str, args: Sequence[Leaf], cod: Tensor, wish: str, line: LineFact
) -> Leaf:
    """An elementwise primitive, of numbers or of arrays."""
    operands = list(args)
    if name in _ITSELF and not cod.is_smooth:
        return operands[0]
    if name == "negative" and operands[0].literal is not None:
        # As NumPy wraps: an integer that has no negative is its own.
        return number(np.negative(np.array(operands[0].literal, cod.dtype)).item(), cod.dtype)
    if name == "scale" and operands[1].is_short and not operands[0].is_short:
        operands.reverse()  # XLA computes the second once, where it is used
    if name == "power":
        base, exponent = operands
        base = strong(base) if base.level == UNARY else base
        operands = [writer.named(base), writer.named(exponent)]
    whole = idiom(name, operands)
    if whole is not None:
        return Leaf(writer.assign(whole, "t"), cod)
    leaf = written(writer, _form(name, operands, line), _typed(name, operands), cod)
    leaf.origin = Origin(name, tuple(operands), {})
    return leaf


def _typed(name: str, operands: list[Leaf]) -> list[Leaf]:
    """The operands, of which at least one that counts has an element type of its own."""
    first = 1 if name == "where" else 0
    if all(x.literal is not None for x in operands[first:]):
        return [*operands[:first], strong(operands[first]), *operands[first + 1 :]]
    return operands


def _form(name: str, operands: Sequence[Leaf], line: LineFact) -> Form:
    """How a primitive is written at these operands: simpler where a number is known."""
    last, obj = operands[-1], tensor(operands[-1])
    match name:
        case "scale" if any(is_plain(x.literal) for x in operands):
            return FORMS["multiply"]
        case "unscale" if is_plain(operands[0].literal) or is_plain(last.literal):
            return FORMS["divide"]
        case "floor_divide" | "remainder" if not obj.is_smooth and may_be_zero(line.operands[1]):
            return Form(f"_{name}({{0}}, {{1}})")
        case "power" if obj.dtype.startswith("int") and line.operands[1][0] < 0:
            return Form("_total_power({0}, {1})")
        case "power" if obj.is_smooth and last.literal is not None:
            return _power(last.literal)
        case "not_equal" if obj.is_smooth and operands[0].text == last.text:
            return Form("jnp.isnan({0})")
    return FORMS[name] if name in FORMS else _of_row(name, len(operands))


@functools.cache
def _of_row(name: str, arity: int) -> Form:
    text = ROWS[name].on_jax(arity)
    if not text:
        raise MissingRule(f"the XLA backend has no code for the primitive {name}")
    return enclosed(text)


@functools.cache
def _power(exponent: float) -> Form:
    """A power whose exponent is known: a root, a few products, or any."""
    if exponent == 0.5:
        return Form("jnp.sqrt({0})")
    if abs(exponent) <= _SMALL and exponent == int(exponent):
        return Form(f"{{0}}**{int(exponent)}", POWER, (ATOM,))
    return FORMS["power"]


def written(writer: Writer, form: Form, args: Sequence[Leaf], cod: Tensor) -> Leaf:
    """The expression; its operands are named first where it would get long."""
    text = filled_in(form, args)
    if len(text) > LONG:
        args = [writer.named(x) for x in args]
        text = filled_in(form, args)
    return Leaf(text, cod, form.level)


def idiom(name: str, operands: Sequence[Leaf]) -> Text | None:
    """The text of what ``name`` ends, where it is more than it seems; None of others."""
    match name, *[x.origin for x in operands]:
        case [
            "multiply",
            Origin("exclusive_cumprod", (x,), a),
            Origin("exclusive_cumprod", (y,), b),
        ]:
            # What stands before each element times what stands behind it: the cotangent of prod.
            if x.text == y.text and a["axis"] == b["axis"] and a["reverse"] != b["reverse"]:
                return call("_others", x.text, str(a["axis"]))
        case ["unscale", Origin("exp", (Leaf(origin=shift),)), Origin("sum", (e,), a)]:
            if e.text == operands[0].text and a["keepdims"]:
                return _shares(shift, a["axis"])
    return None


def _shares(shift: Origin | None, axis: tuple[int, ...]) -> Text | None:
    """The shares of a sum of exponentials, the cotangent of ``logsumexp``, without a logarithm."""
    match shift:
        case Origin("subtract", (x, Leaf(origin=Origin("where", (_, _, Leaf(origin=logarithm)))))):
            if logarithm is not None and logarithm.name == "reshape":
                logarithm = logarithm.operands[0].origin
            match logarithm:
                case Origin("logsumexp", (y,), known) if known["axis"] == axis:
                    return call("_softmax", x.text, str(axis)) if x.text == y.text else None
    return None
