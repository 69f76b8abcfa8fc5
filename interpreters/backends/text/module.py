"""The module that is being written: constants, functions, and what they need."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import NamedTuple

from combinators.kit.names import Names
from combinators.literal import Literal
from interpreters.backends.text.code import Statement, definition
from interpreters.backends.text.helpers import needed
from interpreters.backends.text.literals import Array
from interpreters.backends.text.naming import identifier
from interpreters.backends.text.unused import without_unused

BETWEEN = "\n\n\n"


class Parts(NamedTuple):
    """What a module holds below its imports."""

    constants: str
    helpers: str
    functions: str

    def mention(self, module: str) -> bool:
        """Whether anything of a module is named."""
        prefix = f"{module}."
        return any(prefix in part and re.search(rf"\b{module}\.", part) for part in self)

    def under(self, *head: str) -> str:
        """The whole text."""
        top = "\n\n".join(filter(None, (*head, self.constants)))
        return BETWEEN.join(filter(None, (top, self.helpers, self.functions))) + "\n"


class Module(ABC):
    """Functions and constants under names of their own, all but the entry's with an underscore."""

    def __init__(self, name: str, reserved: Names, helpers: Mapping[str, str]) -> None:
        """``name`` is the entry's, unless it is ``reserved``."""
        self.name = reserved.fresh(self.called(name))
        self._helpers = helpers
        self._names = Names({self.name, *helpers})
        self._functions: list[str] = []
        self._constants: dict[Literal, tuple[str, str]] = {}

    def called(self, wish: str) -> str:
        """The name of a function."""
        return identifier(wish)

    @abstractmethod
    def array(self, name: str, array: Array) -> str:
        """The lines that give a name to an array."""

    def fresh(self, wish: str) -> str:
        """A name in the module, which no local variable has."""
        return self._names.fresh(f"_{self.called(wish)}")

    def define(
        self,
        name: str,
        params: tuple[str, ...],
        body: list[Statement],
        doc: str = "",
        decorator: str = "",
    ) -> None:
        """Add a function."""
        self._functions.append(definition(name, params, without_unused(body), doc, decorator))

    def constant(self, literal: Literal) -> str:
        """The name of an array."""
        if literal not in self._constants:
            name = self._names.fresh(f"_ARRAY{len(self._constants) + 1}")
            self._constants[literal] = name, self.array(name, literal.array)
        return self._constants[literal][0]

    def parts(self) -> Parts:
        """What has been written so far, and what that needs."""
        functions = BETWEEN.join(self._functions)
        used = set(re.findall(r"_ARRAY\d+", functions)) if self._constants else ()
        constants = "\n".join(text for name, text in self._constants.values() if name in used)
        return Parts(constants, BETWEEN.join(needed(self._helpers, functions)), functions)
