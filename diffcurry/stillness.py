"""What stands still of packages that are not the user's, and what code reads by name."""

from __future__ import annotations

import argparse
import dis
import functools
import sys
from collections.abc import Iterator
from types import CodeType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

OURSELVES = frozenset({"combinators", "diffcurry", "interpreters", "laws"})
OURS = OURSELVES | {*sys.stdlib_module_names, "numpy", "scipy", "jax"}
"""Packages whose functions read nothing that changes."""

STILL = frozenset(
    {"abc", "builtins", "cmath", "collections", "copy", "dataclasses", "enum", "functools"}
    | {"inspect", "itertools", "logging", "math", "numbers", "operator", "types", "typing"}
    | {"warnings"}
)
"""Modules of Python's library that give the same whenever they are asked."""

LOOKUPS = frozenset(
    {"__dict__", "__import__", "attrgetter", "eval", "exec", "getattr", "globals", "import_module"}
    | {"input", "locals", "methodcaller", "open", "vars"}
)
"""Names by which a function reads what its code does not name."""


def is_still(room: str) -> bool:
    """Whether a package that is not the user's gives the same whenever it is asked."""
    return room in STILL or room not in sys.stdlib_module_names


def is_fixed(thing: Any) -> bool:
    """Whether a thing of a package that is not the user's stays as it is."""
    if isinstance(thing, ModuleType):
        return is_still(thing.__name__.partition(".")[0])
    room = type(thing).__module__.partition(".")[0]
    return room in OURSELVES or isinstance(thing, type | type(np.sum))


def is_namespace(thing: Any) -> bool:
    """Whether a thing of Python's own holds what the user puts there."""
    return isinstance(thing, SimpleNamespace | argparse.Namespace)


class Slots:
    """An object's slots, as a mapping by name."""

    def __init__(self, thing: Any) -> None:
        """Of ``thing``."""
        self._thing = thing

    def __getitem__(self, word: str) -> Any:
        """What is in a slot."""
        try:
            return getattr(self._thing, word)
        except AttributeError as error:
            raise KeyError(word) from error


@functools.lru_cache(maxsize=1 << 10)
def read_by_name(code: CodeType) -> tuple[frozenset[str], frozenset[str]]:
    """The globals that a code reads, for some of its names are attributes, and what it imports."""
    loads, lines = ("LOAD_GLOBAL", "LOAD_NAME"), list(dis.get_instructions(code))
    loaded = frozenset(line.argval for line in lines if line.opname in loads)
    return loaded, frozenset(line.argval for line in lines if line.opname == "IMPORT_NAME")


def codes_of(code: CodeType) -> Iterator[CodeType]:
    """A function's code, and those of the functions inside it."""
    waiting = [code]
    while waiting:
        yield (one := waiting.pop())
        waiting += [const for const in one.co_consts if isinstance(const, CodeType)]
