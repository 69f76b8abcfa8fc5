"""The module of a Python program."""

from __future__ import annotations

import numpy as np

from interpreters.backends.python.helpers import HELPERS
from interpreters.backends.text.layout import WIDTH
from interpreters.backends.text.module import (
    FEW,
    Array,
    diagonal,
    from_bytes,
    is_iota,
    names_apart,
    nested,
)
from interpreters.backends.text.module import Module as TextModule

IMPORTS = {"math": "import math", "np": "import numpy as np"}
"""What each name is imported by."""


class Module(TextModule):
    """Functions and constants, which need ``math`` and NumPy at most."""

    def __init__(self, name: str) -> None:
        """``name`` is the entry's."""
        super().__init__(name, names_apart(), HELPERS)

    def source(self) -> str:
        """The text of the module."""
        parts = self.parts()
        return parts.under(*(line for name, line in IMPORTS.items() if parts.mention(name)))

    def array(self, name: str, array: Array) -> str:
        """The lines that give a name to an array."""
        if not array.size:
            return f'{name} = np.zeros({array.shape}, dtype="{array.dtype.name}")'
        if array.ndim == 1 and array.dtype == np.int64 and is_iota(array):
            return f"{name} = np.arange({array.size})"
        found = diagonal(array)
        if found is not None:
            return f"{name} = {found}"
        if array.size <= FEW and array.dtype.name in ("float64", "int64"):
            line = f"{name} = np.array({nested(array, repr)})"
            if np.all(np.isfinite(array)) and len(line) <= WIDTH:
                return line
        dtype = f'dtype="{array.dtype.newbyteorder("<").str}"'
        return from_bytes(name, "np.frombuffer", array, dtype, ", ".join(map(str, array.shape)))
