"""The module that is being written: constants, functions, and what they need."""

from __future__ import annotations

import re

from combinators.kit.names import Names
from combinators.literal import Literal
from interpreters.backends.python.code import Statement
from interpreters.backends.xla.helpers import HELPERS, helpers_for
from interpreters.backends.xla.literals import constant
from interpreters.backends.xla.naming import function_name, reserved_names
from interpreters.backends.xla.text import function_text

WIDE = 'jax.config.update("jax_enable_x64", True)'
"""What JAX has to be told before it keeps 64 bits."""


class Module:
    """Functions and constants under names of their own, all but the entry's with an underscore."""

    def __init__(self, name: str) -> None:
        """``name`` is the entry's."""
        self.name = reserved_names().fresh(function_name(name))
        self._names = Names({self.name, *HELPERS})
        self._functions: list[str] = []
        self._constants: dict[Literal, tuple[str, str]] = {}

    def fresh(self, wish: str) -> str:
        """A name in the module, which no local variable has."""
        return self._names.fresh(f"_{function_name(wish)}")

    def define(
        self,
        name: str,
        params: tuple[str, ...],
        body: list[Statement],
        doc: str = "",
        *,
        jitted: bool,
    ) -> None:
        """Add a function."""
        self._functions.append(function_text(name, params, body, doc, jitted=jitted))

    def constant(self, literal: Literal) -> str:
        """The name of an array."""
        if literal not in self._constants:
            name = self._names.fresh(f"_ARRAY{len(self._constants) + 1}")
            self._constants[literal] = name, constant(name, literal.array)
        return self._constants[literal][0]

    def source(self, *, wide: bool) -> str:
        """The text of the module; ``wide`` ones tell JAX that numbers have 64 bits."""
        functions = "\n\n\n".join(self._functions)
        used = set(re.findall(r"_ARRAY\d+", functions))
        constants = "\n".join(text for name, text in self._constants.values() if name in used)
        helpers = "\n\n\n".join(helpers_for(functions))
        everything = f"{functions}\n{constants}\n{helpers}"
        modules = {"jnp": "import jax.numpy as jnp", "lax": "from jax import lax"}
        imports = ["import jax"]
        imports += [line for word, line in modules.items() if re.search(rf"\b{word}\.", everything)]
        head = "\n\n".join(filter(None, ("\n".join(imports), WIDE if wide else "", constants)))
        return "\n\n\n".join(part for part in (head, helpers, functions) if part) + "\n"
