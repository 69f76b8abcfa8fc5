"""Numbers and arrays as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from combinators.objects import Tensor
from interpreters.backends.text.forms import ATOM, UNARY
from interpreters.backends.text.layout import Split, Text, call, laid
from interpreters.backends.text.literals import FEW, Array, diagonal, from_bytes, is_iota, nested
from interpreters.backends.xla.values import Leaf


def number(value: Any, dtype: str) -> Leaf:
    """A number, as one of Python's, that is ``value`` when it meets arrays of ``dtype``."""
    obj = Tensor((), dtype)
    if value != value:  # noqa: PLR0124 (nan)
        return Leaf("jnp.nan", obj, ATOM, value)
    if isinstance(value, float) and np.isinf(value):
        text = "jnp.inf" if value > 0 else "-jnp.inf"
    else:
        text = repr(value)
        short = str(np.dtype(dtype).type(value)) if dtype == "float32" else text
        if "." in short and np.float32(short) == value:
            text = short
    return Leaf(text, obj, UNARY if text.startswith("-") else ATOM, value)


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


def array_lines(name: str, value: Array) -> str:
    """The lines that give a name to an array."""
    text = _short(value)
    if text is not None:
        return "\n".join(laid(f"{name} = ", text, "", 0))
    return from_bytes(name, "jnp.frombuffer", value, kind(value.dtype.name), str(value.shape))


def _short(value: Array) -> Text | None:
    """An array of few numbers, one that counts, or a diagonal."""
    dtype = kind(value.dtype.name)
    if not value.size:
        return call("jnp.zeros", str(value.shape), dtype)
    found = diagonal(value)
    if found is not None:
        return call("jnp.array", found)  # jnp.eye would compile a program of its own
    if value.dtype == np.int64 and value.ndim == 1 and is_iota(value):
        return call("jnp.arange", str(value.size), f"dtype={dtype}")
    if value.size > FEW:
        return None
    items = [nested(row, lambda item: number(item, value.dtype.name).text) for row in value]
    return call("jnp.array", Split("[", tuple(items), "]", display=True), dtype)
