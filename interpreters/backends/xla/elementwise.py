"""Primitives of numbers, element by element: as operators where Python has them, else by name.

A derivative rule says in the language what XLA computes better at once, as ``v / cosh x / cosh x``:
that is recognised by how its operands were made, and what its parts would have given is then named
for nothing, and left out.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextlib import suppress

import numpy as np

from combinators.objects import Tensor
from interpreters.backends.analysis.facts import UNKNOWN, LineFact, may_be_zero
from interpreters.backends.text.emitter import Spread
from interpreters.backends.text.layout import (
    ATOM,
    BIT_AND,
    BIT_OR,
    BIT_XOR,
    OPERATORS,
    POWER,
    TIMES,
    UNARY,
    Form,
    Text,
    call,
    enclosed,
    filled_in,
    infix,
)
from interpreters.backends.text.module import is_plain
from interpreters.backends.xla.jax_values import (
    LONG,
    JaxFrame,
    JaxLeaf,
    Origin,
    Value,
    number,
    strong,
    tensor,
)
from interpreters.backends.xla.placements import JaxEmitter
from interpreters.carriers.pointwise_values import ROWS

FORMS = {
    **OPERATORS,
    "divide": infix("/", TIMES),
    "floor_divide": infix("//", TIMES),
    "remainder": infix("%", TIMES),
    "power": Form("{0}**{1}", POWER, (ATOM, UNARY)),
    "reciprocal": Form("1.0 / {0}", TIMES, (TIMES + 1,)),
    "logical_and": infix("&", BIT_AND),
    "logical_or": infix("|", BIT_OR),
    "logical_xor": infix("^", BIT_XOR),
    "logical_not": Form("~{0}", UNARY, (UNARY,)),
    "relu": Form("jnp.maximum({0}, 0)"),
    "clip": Form("jnp.clip({0}, {1}, {2})"),
    "where": Form("jnp.where({0}, {1}, {2})"),
    "matmul": infix("@", TIMES),
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


def elementwise(
    emitter: JaxEmitter,
    name: str,
    args: Sequence[Value],
    cod: Tensor,
    at: JaxFrame,
    line: LineFact = UNKNOWN,
) -> Value:
    """A primitive of numbers; of a number that is repeated, it is computed once."""
    inners = [arg.inner if isinstance(arg, Spread) else arg for arg in args]
    shapes = [tensor(x).shape for x in inners]
    if cod.shape and not any(shapes):
        of_one = elementwise(emitter, name, inners, Tensor((), cod.dtype), at, line)
        assert isinstance(of_one, JaxLeaf)
        return Spread(at.named(of_one), cod)
    fits = np.broadcast_shapes(*shapes) == cod.shape
    operands = [emitter.array(x, at) for x in (inners if fits else args)]
    if name in _ITSELF and not cod.is_smooth:
        return operands[0]
    if name == "negative" and operands[0].literal is not None:
        # As NumPy wraps: an integer that has no negative is its own.
        return number(np.negative(np.array(operands[0].literal, cod.dtype)).item(), cod.dtype)
    if name == "scale" and operands[1].is_short and not operands[0].is_short:
        operands.reverse()  # XLA computes the second once, where it is used
    if name == "power":
        base, exponent = operands
        operands = [at.named(strong(base) if base.level == UNARY else base), at.named(exponent)]
    whole = idiom(name, operands)
    if whole is not None:
        return JaxLeaf(at.assign(whole, "t"), cod)
    leaf = written(_form(name, operands, line), _typed(name, operands), cod, at)
    leaf.origin = Origin(name, tuple(operands), {})
    return leaf


def _typed(name: str, operands: list[JaxLeaf]) -> list[JaxLeaf]:
    """The operands, of which at least one that counts has an element type of its own."""
    first = 1 if name == "where" else 0
    if all(x.literal is not None for x in operands[first:]):
        return [*operands[:first], strong(operands[first]), *operands[first + 1 :]]
    return operands


def _form(name: str, operands: Sequence[JaxLeaf], line: LineFact) -> Form:
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
    return enclosed(ROWS[name].on_jax(arity))


def is_elementwise(name: str) -> bool:
    """Whether a primitive is written element by element."""
    return name in FORMS or (name in ROWS and bool(ROWS[name].on_jax(1)))


@functools.cache
def _power(exponent: float) -> Form:
    """A power whose exponent is known: a root, a few products, or any."""
    if exponent == 0.5:
        return Form("jnp.sqrt({0})")
    if abs(exponent) <= _SMALL and exponent == int(exponent):
        return Form(f"{{0}}**{int(exponent)}", POWER, (ATOM,))
    return FORMS["power"]


def written(form: Form, args: Sequence[JaxLeaf], cod: Tensor, at: JaxFrame) -> JaxLeaf:
    """The expression; its operands are named first where it would get long."""
    text = filled_in(form, args)
    if len(text) > LONG:
        args = [at.named(x) for x in args]
        text = filled_in(form, args)
    return JaxLeaf(text, cod, form.level)


def _made(leaf: JaxLeaf, name: str) -> Origin:
    """How a value was made, if ``name`` made it."""
    if leaf.origin is None or leaf.origin.name != name:
        raise _Another
    return leaf.origin


def _same(x: JaxLeaf, y: JaxLeaf) -> str:
    """The text of one value that stands twice."""
    if x.text != y.text:
        raise _Another
    return x.text


def _shares(e: JaxLeaf, total: JaxLeaf) -> Text:
    """The shares of a sum of exponentials, the cotangent of ``logsumexp``, without a logarithm."""
    summed = _made(total, "sum")
    _same(summed.operands[0], e)
    x, base = _made(_made(e, "exp").operands[0], "subtract").operands
    _, _, logarithm = _made(base, "where").operands
    if logarithm.origin is not None and logarithm.origin.name == "reshape":
        (logarithm,) = logarithm.origin.operands
    logsumexp = _made(logarithm, "logsumexp")
    axis = logsumexp.parameters["axis"]
    if axis != summed.parameters["axis"] or not summed.parameters["keepdims"]:
        raise _Another
    return call("_softmax", _same(x, logsumexp.operands[0]), str(axis))


def _all_but_one(before: JaxLeaf, behind: JaxLeaf) -> Text:
    """What stands before each element times what stands behind it: the cotangent of ``prod``."""
    x, y = (_made(leaf, "exclusive_cumprod") for leaf in (before, behind))
    axes = {x.parameters["axis"], y.parameters["axis"]}
    if len(axes) > 1 or x.parameters["reverse"] == y.parameters["reverse"]:
        raise _Another
    return call("_others", _same(x.operands[0], y.operands[0]), str(*axes))


_IDIOMS: dict[str, Sequence[Callable[..., Text]]] = {
    "unscale": (_shares,),
    "multiply": (_all_but_one,),
}
"""By the primitive that is last: the text of the whole."""


def idiom(name: str, operands: Sequence[JaxLeaf]) -> Text | None:
    """The text of what ``name`` ends, where it is more than it seems."""
    for written in _IDIOMS.get(name, ()):
        with suppress(_Another):
            return written(*operands)
    return None


class _Another(Exception):
    """It is another thing."""
