"""Numbers and arrays as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from combinators.objects import Tensor
from interpreters.backends.python.layout import INDENT, Split, Text, call, laid
from interpreters.backends.python.module import is_iota
from interpreters.backends.xla.values import ATOM, UNARY, Leaf

FEW = 8
CHUNK = 64


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


def constant(name: str, value: np.ndarray[Any, Any]) -> str:
    """The lines that give a name to an array."""
    text = _short(value)
    if text is not None:
        return "\n".join(laid(f"{name} = ", text, "", 0))
    data = np.ascontiguousarray(value).tobytes().hex()
    chunks = [f'"{data[i : i + CHUNK]}"' for i in range(0, len(data), CHUNK)]
    dtype = kind(value.dtype.name)
    if len(chunks) == 1:
        lines = laid(
            f"{name} = ", call("jnp.frombuffer", call("bytes.fromhex", *chunks), dtype), "", 0
        )
    else:
        lines = [f"{name} = jnp.frombuffer(", f"{INDENT}bytes.fromhex("]
        lines += [f"{INDENT * 2}{chunk}" for chunk in chunks]
        lines += [f"{INDENT}),", f"{INDENT}{dtype},", ")"]
    if value.ndim != 1:
        lines.append(f"{name} = {name}.reshape({value.shape})")
    return "\n".join(lines)


def _short(value: np.ndarray[Any, Any]) -> Text | None:
    """An array of few numbers, or one that counts."""
    dtype = kind(value.dtype.name)
    if not value.size:
        return call("jnp.zeros", str(value.shape), dtype)
    if value.ndim != 1:
        return None
    if value.dtype == np.int64 and is_iota(value):
        return call("jnp.arange", str(value.size), f"dtype={dtype}")
    if value.size > FEW:
        return None
    items = tuple(number(item, value.dtype.name).text for item in value.tolist())
    return call("jnp.array", Split("[", items, "]", display=True), dtype)
