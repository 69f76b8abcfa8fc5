"""Numbers and arrays as text."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from interpreters.backends.text.layout import INDENT, call, laid

Array = np.ndarray[Any, Any]

FEW = 8
"""How many numbers an array has that is written as a list."""
CHUNK = 64


def is_plain(literal: float | None) -> bool:
    """A factor that is known, finite and not zero: it absorbs nothing, and is not absorbed."""
    return literal is not None and math.isfinite(literal) and literal != 0


def is_uniform(array: Array) -> bool:
    """Whether all elements are one number, with one sign."""
    if not any(array.strides):
        return True
    first = array.flat[0]
    return bool((array == first).all()) and bool(np.all(np.signbit(array) == np.signbit(first)))


def is_iota(array: Array) -> bool:
    """Whether it counts from 0."""
    return bool(array.size and np.array_equal(array, np.arange(array.size)))


def nested(array: Array, write: Callable[[Any], str]) -> str:
    """The numbers of an array, in lists as deep as its shape."""
    if not array.ndim:
        return write(array.item())
    return f"[{', '.join([nested(row, write) for row in array])}]"


def diagonal(array: Array) -> str | None:
    """A matrix of zeros with one number down a diagonal, as NumPy writes it; None of others.

    >>> diagonal(2.0 * np.eye(3, 4, -1))
    '2.0 * np.eye(3, 4, -1)'
    """
    if array.ndim != 2 or array.dtype.name not in ("float64", "int64"):
        return None
    rows, columns = np.nonzero(array)
    if not rows.size:
        return None
    (height, width), offset = array.shape, int(columns[0] - rows[0])
    number = array[rows[0], columns[0]].item()
    if not math.isfinite(number):
        return None
    same = number * np.eye(height, width, offset, dtype=array.dtype)
    if same.tobytes() != array.tobytes():
        return None
    shape = [height] if height == width and not offset else [height, width]
    arguments = [str(n) for n in (*shape, offset) if n]
    if array.dtype == np.int64:
        arguments.append('dtype="int64"')
    factor = "" if number == 1 else f"{number!r} * "
    return f"{factor}np.eye({', '.join(arguments)})"


def from_bytes(name: str, function: str, array: Array, dtype: str, shape: str) -> str:
    """The lines that give a name to an array, as ``function`` of its bytes."""
    little = array.astype(array.dtype.newbyteorder("<"))
    data = np.ascontiguousarray(little).tobytes().hex()
    chunks = [f'"{data[i : i + CHUNK]}"' for i in range(0, len(data), CHUNK)]
    if len(chunks) == 1:
        text = call(function, call("bytes.fromhex", *chunks), dtype)
        lines = laid(f"{name} = ", text, "", 0)
    else:
        lines = [f"{name} = {function}(", f"{INDENT}bytes.fromhex("]
        lines += [f"{INDENT * 2}{chunk}" for chunk in chunks]
        lines += [f"{INDENT}),", f"{INDENT}{dtype},", ")"]
    if array.ndim != 1:
        lines.append(f"{name} = {name}.reshape({shape})")
    return "\n".join(lines)
