"""Which backend compiles what is called: Python with NumPy, or machine code."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec

from combinators.errors import MissingRule, TypeMismatch

BACKENDS = ("python", "llvm")
_CHOSEN: ContextVar[str] = ContextVar("backend")


@contextmanager
def backend(name: str) -> Iterator[None]:
    """While it holds, programs are compiled by this backend, when they are first called.

    ``"python"`` writes Python with NumPy, and is what runs elsewhere; ``"llvm"`` makes machine code
    (docs/native.md), of all but what it has no code for, which Python runs. The environment
    variable ``DIFFCURRY_BACKEND`` says what holds everywhere. A function that is compiled stays so.

    Raises ``TypeMismatch`` for another name, and ``MissingRule`` where LLVM is not installed.
    """
    before = _CHOSEN.set(_checked(name))
    try:
        yield
    finally:
        _CHOSEN.reset(before)


def chosen() -> str:
    """The backend that holds here."""
    name = _CHOSEN.get(None)
    return _checked(os.environ.get("DIFFCURRY_BACKEND", "python")) if name is None else name


def _checked(name: str) -> str:
    if name not in BACKENDS:
        raise TypeMismatch(f"a backend is one of {', '.join(map(repr, BACKENDS))}, not {name!r}")
    if name == "llvm" and find_spec("llvmlite") is None:
        raise MissingRule(
            "LLVM is not installed, which makes machine code; pip install 'diffcurry[native]' "
            "brings it"
        )
    return name
