"""The functions of the C library that programs call, by name: numbers' and vectors'."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np


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


PRODUCTS = {"float64": "dgemm", "float32": "sgemm"}
"""BLAS's products of matrices, as Fortran has them."""


@cache
def _of_blas(name: str) -> int:
    """Where it is in NumPy's own OpenBLAS, which is loaded already; 0 where NumPy has another."""
    packages = Path(np.__file__).parent.parent
    for path in packages.glob("numpy.libs/*openblas*"):
        with suppress(OSError):
            library = ctypes.CDLL(str(path))
            for symbol in (f"scipy_{name}_64_", f"{name}_64_", f"scipy_{name}_", f"{name}_"):
                if hasattr(library, symbol):
                    return ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value or 0
    return 0


@cache
def address(name: str) -> int:
    """Where a function is; 0 where there is none."""
    if name in PRODUCTS.values():
        return _of_blas(name)
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
