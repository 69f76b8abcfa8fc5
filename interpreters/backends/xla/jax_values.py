"""What a term has become while its code is written: an expression, or a part that waits.

What waits has no code yet: a tuple of which only components may be asked, a number that fills an
array, a cotangent that may be added where it belongs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from combinators.errors import MissingRule, Place
from combinators.kit.text import Names
from combinators.objects import Object, Tensor
from combinators.terms import Term, Var
from interpreters.backends.text.emitter import Bundle, Frame, Spread, leaf_types
from interpreters.backends.text.layout import ATOM, UNARY, Bracketed, Statement, Text, call, laid
from interpreters.backends.text.module import (
    FEW,
    Array,
    as_range,
    diagonal,
    from_bytes,
    identifier,
    names_apart,
    nested,
    stepped,
)

MODULES = ("jax", "jnp", "np", "lax")
WORDS = {"grad": "d", "vjp": "pullback", "jvp": "pushforward"}
"""What our names say instead, where JAX's words would promise JAX's own derivatives."""


def function_name(name: str) -> str:
    """``name`` as that of a function.

    >>> function_name("grad_grad_loss"), function_name("vjp"), function_name("upgrade")
    ('d_d_loss', 'pullback', 'upgrade')
    """
    leading = re.match(r"((grad|vjp|jvp)(_|$))*", name)
    assert leading is not None
    ours = re.sub("grad|vjp|jvp", lambda word: WORDS[word[0]], leading[0])
    return identifier(ours + name[leading.end() :])


def reserved_names(*taken: str) -> Names:
    """Names of variables; none of them hides a keyword, a builtin, a module or what is taken."""
    return names_apart((*MODULES, *taken))


class Origin(NamedTuple):
    """The primitive that made a value, and what it was made of."""

    name: str
    operands: tuple[JaxLeaf, ...]
    parameters: Mapping[str, Any]


@dataclass(eq=False, slots=True)
class JaxLeaf:
    """One expression; a literal number is written as Python's own, which takes any dtype."""

    text: str
    type: Object
    level: int = ATOM
    literal: float | None = None
    origin: Origin | None = None

    @property
    def is_short(self) -> bool:
        """Whether it is a name or a number."""
        return self.literal is not None or self.text.isidentifier()


@dataclass(eq=False, slots=True)
class Put:
    """Zeros, to which ``inner`` is added at ``indices``, from ``axis`` on."""

    inner: JaxLeaf
    indices: tuple[JaxLeaf, ...]
    axis: int
    type: Tensor
    is_inside: bool
    """Whether no index can lie outside."""


@dataclass(eq=False, slots=True)
class Pieces:
    """Zeros that hold arrays in places that are apart along one axis: where each begins, and it."""

    pieces: tuple[tuple[int, JaxLeaf], ...]
    axis: int
    type: Tensor


Value: TypeAlias = "JaxLeaf | Bundle[Value] | Spread[JaxLeaf] | Put | Pieces"


def tensor(value: Value | Term) -> Tensor:
    """The type of a value, or of a term, that is a tensor."""
    assert isinstance(value.type, Tensor)
    return value.type


def check_first_order(what: str, *objects: Object, place: Place | None = None) -> None:
    """Raise where a value that XLA has to hold is no array, nor made of arrays."""
    for obj in leaf_types(objects):
        if not isinstance(obj, Tensor):
            raise MissingRule(
                f"the XLA backend writes first-order programs, and {what} holds {obj!r}; "
                "call functions where they are known, or run this program on the Python backend",
                place,
            )


def number(value: Any, dtype: str) -> JaxLeaf:
    """A number, as one of Python's, that is ``value`` when it meets arrays of ``dtype``."""
    obj = Tensor((), dtype)
    if value != value:  # noqa: PLR0124 (nan)
        return JaxLeaf("jnp.nan", obj, ATOM, value)
    if isinstance(value, float) and np.isinf(value):
        text = "jnp.inf" if value > 0 else "-jnp.inf"
    else:
        text = repr(value)
        short = str(np.dtype(dtype).type(value)) if dtype == "float32" else text
        if "." in short and np.float32(short) == value:
            text = short
    return JaxLeaf(text, obj, UNARY if text.startswith("-") else ATOM, value)


def strong(leaf: JaxLeaf) -> JaxLeaf:
    """The same, and of its own element type wherever it stands."""
    if leaf.literal is None:
        return leaf
    assert isinstance(leaf.type, Tensor)
    return JaxLeaf(f"{kind(leaf.type.dtype)}({leaf.text})", leaf.type)


def kind(dtype: str) -> str:
    """How JAX calls an element type.

    >>> kind("float64"), kind("bool")
    ('jnp.float64', 'jnp.bool_')
    """
    return f"jnp.{dtype}{'_' * (dtype == 'bool')}"


def filled(inner: JaxLeaf, obj: Tensor) -> Text:
    """A new array of one number."""
    value = inner.literal
    if value in (0, 1) and not np.signbit(value):
        return call(f"jnp.{'ones' if value else 'zeros'}", str(obj.shape), kind(obj.dtype))
    return call("jnp.full", str(obj.shape), inner.text, kind(obj.dtype))


def array_lines(name: str, value: Array) -> str:
    """The lines that give a name to an array."""
    text = _short(value)
    if text is not None:
        return "\n".join(laid(f"{name} = ", text, "", 0))
    shape = str(value.shape)
    return from_bytes(name, "jnp.frombuffer", value, lambda dtype: kind(dtype.name), shape)


def _short(value: Array) -> Text | None:
    """An array of few numbers, one that counts, or a diagonal."""
    dtype = kind(value.dtype.name)
    if not value.size:
        return call("jnp.zeros", str(value.shape), dtype)
    found = diagonal(value)
    if found is not None:
        return call("jnp.array", found)  # jnp.eye would compile a program of its own
    counted = as_range(value)
    if counted is not None:
        ends = [counted.start] * bool(counted.start or counted.step != 1) + [counted.stop]
        steps = [counted.step] * (counted.step != 1)
        return call("jnp.arange", *map(str, (*ends, *steps)), f"dtype={dtype}")
    if value.size > FEW:
        table = stepped(value)
        return None if table is None else call("jnp.array", table)
    items = [nested(row, lambda item: number(item, value.dtype.name).text) for row in value]
    return call("jnp.array", Bracketed("[", tuple(items), "]", display=True), dtype)


JITTED = "@jax.jit"
LONG = 56
"""How long an expression is that may stand in a line."""


class JaxFrame(Frame[Value, JaxLeaf]):
    """The state of writing one function at the top of the module, and the functions in it."""

    def __init__(self, taken: str) -> None:
        """No variable is called ``taken``, the entry's name."""
        super().__init__(reserved_names(taken))

    def give(self, text: Text) -> None:
        """The statement that ends a function."""
        self.do(self.unnamed(text), "return ")

    def named(self, leaf: JaxLeaf, wish: str = "t") -> JaxLeaf:
        """The same value under a name, or as a number."""
        if leaf.is_short:
            return leaf
        return JaxLeaf(self.assign(leaf.text, wish), leaf.type, origin=leaf.origin)

    def bind(self, var: Var, value: Value) -> None:
        """From here on, ``var`` is ``value``."""
        self.env[var.name] = self.named(value, var.name) if isinstance(value, JaxLeaf) else value

    @contextmanager
    def function(self, binders: Iterable[Var]) -> Iterator[list[Statement]]:
        """Write the body of a function that stands in this one."""
        before = {var.name: self.env[var.name] for var in binders if var.name in self.env}
        with self.block() as body:
            yield body
        self.env.update(before)
