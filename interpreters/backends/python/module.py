"""The module that is being written: constants, functions, and what they need."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from combinators.kit.names import Names
from combinators.literal import Literal
from interpreters.backends.python.code import Statement, definition, without_unused
from interpreters.backends.python.helpers import HELPERS, helpers_for
from interpreters.backends.python.layout import call, laid
from interpreters.backends.python.naming import RESERVED, identifier

FEW = 8
CHUNK = 64


class Module:
    """Functions and constants under names of their own, all but the entry's with an underscore."""

    def __init__(self, name: str) -> None:
        """``name`` is the entry's."""
        self.name = identifier(name)
        self._names = Names({self.name, *HELPERS})
        self.name = Names(RESERVED).fresh(self.name)
        self._functions: list[str] = []
        self._constants: dict[Literal, tuple[str, str]] = {}

    def fresh(self, wish: str) -> str:
        """A name in the module, which no local variable has."""
        return self._names.fresh(f"_{identifier(wish)}")

    def define(
        self, name: str, params: tuple[str, ...], body: list[Statement], doc: str = ""
    ) -> None:
        """Add a function."""
        self._functions.append(definition(name, params, without_unused(body), doc))

    def constant(self, literal: Literal) -> str:
        """The name of an array."""
        if literal not in self._constants:
            name = self._names.fresh(f"_ARRAY{len(self._constants) + 1}")
            self._constants[literal] = name, _array(name, literal.array)
        return self._constants[literal][0]

    def source(self) -> str:
        """The text of the module."""
        functions = "\n\n\n".join(self._functions)
        used = set(re.findall(r"_ARRAY\d+", functions)) if self._constants else ()
        constants = "\n".join(text for name, text in self._constants.values() if name in used)
        helpers = "\n\n\n".join(helpers_for(functions))
        everything = f"{functions}\n{constants}\n{helpers}"
        imports = [
            line
            for line, word in (("import math", "math"), ("import numpy as np", "np"))
            if f"{word}." in everything and re.search(rf"\b{word}\.", everything)
        ]
        head = "\n\n".join(imports) + ("\n\n" + constants if constants and imports else "")
        return "\n\n\n".join(part for part in (head, helpers, functions) if part) + "\n"


def _array(name: str, array: np.ndarray[Any, Any]) -> str:
    if not array.size:
        return f'{name} = np.zeros({array.shape}, dtype="{array.dtype.name}")'
    little = array.dtype.newbyteorder("<")
    if array.ndim == 1 and array.dtype == np.int64 and is_iota(array):
        return f"{name} = np.arange({array.size})"
    if array.size <= FEW and array.ndim == 1 and array.dtype.name in ("float64", "int64"):
        listed = ", ".join(map(repr, array.tolist()))
        line = f"{name} = np.array([{listed}])"
        if np.all(np.isfinite(array)) and len(line) <= 88:
            return line
    data = np.ascontiguousarray(array).astype(little).tobytes().hex()
    chunks = [f'"{data[i : i + CHUNK]}"' for i in range(0, len(data), CHUNK)]
    if len(chunks) == 1:
        text = call("np.frombuffer", call("bytes.fromhex", chunks[0]), f'dtype="{little.str}"')
        lines = laid(f"{name} = ", text, "", 0)
    else:
        lines = [
            f"{name} = np.frombuffer(",
            "    bytes.fromhex(",
            *(f"        {chunk}" for chunk in chunks),
            "    ),",
            f'    dtype="{little.str}",',
            ")",
        ]
    if array.ndim != 1:
        lines.append(f"{name} = {name}.reshape({', '.join(map(str, array.shape))})")
    return "\n".join(lines)


def is_iota(array: np.ndarray[Any, Any]) -> bool:
    """Whether it counts from 0."""
    return bool(array.size and np.array_equal(array, np.arange(array.size)))
