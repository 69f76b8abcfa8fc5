"""Which backend compiles a program: Python with NumPy, or machine code; chosen once for each.

fun(f, backend="llvm")    of one function, and of its derivatives
with backend("auto"): …   of what is first called here
DIFFCURRY_BACKEND=auto    of everything else
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from importlib.util import find_spec
from typing import Any, Protocol

from combinators.errors import MissingRule, TypeMismatch
from combinators.objects import Tensor
from combinators.terms import Lam
from interpreters.backends.analysis.captures import Occurrences

BACKENDS = ("auto", "python", "llvm")
FEW = 32
"""Terms of a program of numbers that are not worth to be compiled."""
_CHOSEN: ContextVar[str] = ContextVar("backend")


class Compiled(Protocol):
    """A program that a backend compiled."""

    backend: str

    @property
    def function(self) -> Callable[..., Any]:
        """The function, of Python's numbers, NumPy's arrays, and tuples of them."""
        ...

    @property
    def computes_arrays(self) -> bool:
        """Whether arrays are computed in it."""
        ...


@contextmanager
def backend(name: str) -> Iterator[None]:
    """While it holds, programs are compiled by this backend, when they are first called.

    ``"python"`` writes Python with NumPy, and is what runs elsewhere; ``"llvm"`` makes machine code
    (docs/native.md), of all but what it has no code for, which Python runs; ``"auto"`` makes it
    where LLVM is installed, but of programs of a few numbers. The environment variable
    ``DIFFCURRY_BACKEND`` says what holds everywhere, and ``fun(f, backend=…)`` what holds for one
    function and its derivatives. A function that is compiled stays so.

    Raises ``TypeMismatch`` for another name, and ``MissingRule`` where LLVM is not installed.
    """
    before = _CHOSEN.set(known_backend(name))
    try:
        yield
    finally:
        _CHOSEN.reset(before)


def known_backend(name: str) -> str:
    """The name of a backend, if it is one that is here."""
    if name not in BACKENDS:
        raise TypeMismatch(f"a backend is one of {', '.join(map(repr, BACKENDS))}, not {name!r}")
    if name == "llvm" and not _is_installed():
        raise MissingRule(
            "LLVM is not installed, which makes machine code; pip install 'diffcurry[native]' "
            "brings it"
        )
    return name


def chosen(name: str | None) -> str:
    """The backend of a name, or the one that holds here; Python where the other is not."""
    name = name or _CHOSEN.get(None) or known_backend(os.environ.get("DIFFCURRY_BACKEND", "python"))
    return "python" if name == "auto" and not _is_installed() else name


def native(
    name: str | None, lam: Lam, survey: Occurrences, otherwise: Callable[..., Any]
) -> Compiled | None:
    """A program as machine code, where that is chosen and everything in it has such.

    ``otherwise`` computes what it gives up.
    """
    name = chosen(name)
    if name == "python" or (name == "auto" and is_tiny(lam, survey)):
        return None
    from interpreters.backends.llvm.native_program import NativeProgram

    with suppress(MissingRule):
        return NativeProgram(lam, otherwise)
    return None


def is_tiny(lam: Lam, survey: Occurrences) -> bool:
    """Whether a program computes few numbers, and no arrays."""
    types = (*survey.objects, *(param.type for param in lam.params))
    has_arrays = any(isinstance(obj, Tensor) and obj.shape for obj in types)
    return survey.size <= FEW and not survey.has_loops and not has_arrays


@cache
def _is_installed() -> bool:
    return find_spec("llvmlite") is not None
