"""The functions of the C library that programs call, by name: numbers' and vectors'."""

from __future__ import annotations

import ctypes
from functools import cache


@cache
def libraries() -> tuple[ctypes.CDLL, ...]:
    """Those that are here: of vectors, where glibc has it, and of numbers."""
    found = []
    for name in ("libmvec.so.1", "libm.so.6", None):
        try:
            found.append(ctypes.CDLL(name))
        except OSError:
            continue
    return tuple(found)


@cache
def address(name: str) -> int:
    """Where a function is; 0 where there is none."""
    for library in libraries():
        if hasattr(library, name):
            return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0
    return 0


def vector_function(name: str, lanes: int, dtype: str, arity: int) -> str:
    """The function of vectors; empty where there is none."""
    suffix, bits = ("f", 32 * lanes) if dtype == "float32" else ("", 64 * lanes)
    letter = {512: "e", 256: "d", 128: "b"}.get(bits)
    symbol = f"_ZGV{letter}N{lanes}{'v' * arity}_{name}{suffix}"
    return symbol if letter and address(symbol) else ""
