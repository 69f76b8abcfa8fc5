"""A function that JAX traces, while it is written, and the functions in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from combinators.terms import Var
from interpreters.backends.text.code import Statement
from interpreters.backends.text.frame import Frame as TextFrame
from interpreters.backends.text.layout import Text
from interpreters.backends.xla.naming import reserved_names
from interpreters.backends.xla.values import Leaf, Value

LONG = 56
"""How long an expression is that may stand in a line."""


class Frame(TextFrame[Value, Leaf]):
    """The state of writing one function at the top of the module, and the functions in it."""

    def __init__(self, taken: str) -> None:
        """No variable is called ``taken``, the entry's name."""
        super().__init__(reserved_names(taken))

    def give(self, text: Text) -> None:
        """The statement that ends a function."""
        self.do(self.unnamed(text), "return ")

    def named(self, leaf: Leaf, wish: str = "t") -> Leaf:
        """The same value under a name, or as a number."""
        if leaf.is_short:
            return leaf
        return Leaf(self.assign(leaf.text, wish), leaf.type, origin=leaf.origin)

    def bind(self, var: Var, value: Value) -> None:
        """From here on, ``var`` is ``value``."""
        self.env[var.name] = self.named(value, var.name) if isinstance(value, Leaf) else value

    @contextmanager
    def function(self, binders: Iterable[Var]) -> Iterator[list[Statement]]:
        """Write the body of a function that stands in this one."""
        before = {var.name: self.env[var.name] for var in binders if var.name in self.env}
        with self.block() as body:
            yield body
        self.env.update(before)
