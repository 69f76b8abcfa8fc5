"""The module of a program on XLA."""

from __future__ import annotations

from interpreters.backends.text.literals import Array
from interpreters.backends.text.module import Module as TextModule
from interpreters.backends.xla.helpers import HELPERS
from interpreters.backends.xla.literals import array_lines
from interpreters.backends.xla.naming import function_name, reserved_names

IMPORTS = {
    "jnp": "import jax.numpy as jnp",
    "np": "import numpy as np",
    "lax": "from jax import lax",
}
"""What each name is imported by, besides JAX itself."""
WIDE = 'jax.config.update("jax_enable_x64", True)'
"""What JAX has to be told before it keeps 64 bits."""
JITTED = "@jax.jit"


class Module(TextModule):
    """Functions and constants, which need JAX."""

    def __init__(self, name: str) -> None:
        """``name`` is the entry's."""
        super().__init__(name, reserved_names(), HELPERS)

    def called(self, wish: str) -> str:
        """The name of a function."""
        return function_name(wish)

    def array(self, name: str, array: Array) -> str:
        """The lines that give a name to an array."""
        return array_lines(name, array)

    def source(self, *, wide: bool) -> str:
        """The text of the module; ``wide`` ones tell JAX that numbers have 64 bits."""
        parts = self.parts()
        imports = (line for name, line in IMPORTS.items() if parts.mention(name))
        return parts.under("\n".join(("import jax", *imports)), WIDE if wide else "")
