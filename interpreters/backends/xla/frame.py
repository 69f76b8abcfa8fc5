"""A function that is being written: its statements, its names, what its variables are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from combinators.terms import Var
from interpreters.backends.python.code import Assign, Do, Statement
from interpreters.backends.python.layout import Text
from interpreters.backends.xla.naming import identifier, reserved_names
from interpreters.backends.xla.values import Leaf, Value

SHORT, LONG = 40, 56
"""How long an expression is that may stand inside another, and one that may stand in a line."""


class Frame:
    """The state of writing one function at the top of the module, and the functions in it."""

    def __init__(self, taken: Iterable[str]) -> None:
        """No variable has a name that is ``taken`` in the module."""
        self.names = reserved_names(*taken)
        self.body: list[Statement] = []
        self.depth = 0
        self.env: dict[str, Value] = {}
        self._known: list[dict[int, tuple[Value, Leaf]]] = [{}]

    def fresh(self, wish: str) -> str:
        """A new local name."""
        return self.names.fresh(identifier(wish))

    def assign(self, text: Text, wish: str) -> str:
        """A statement, and the name of what it gives."""
        name = self.fresh(wish)
        self.body.append(Assign((name,), text))
        return name

    def give(self, text: Text) -> None:
        """The statement that ends a function; what was named last needs no name there."""
        last = self.body[-1] if self.body else None
        if isinstance(last, Assign) and last.targets == (text,):
            self.body.pop()
            text = last.text
        self.body.append(Do(text, "return "))

    def named(self, leaf: Leaf, wish: str = "t") -> Leaf:
        """The same value under a name, or as a number."""
        if leaf.is_short:
            return leaf
        return Leaf(self.assign(leaf.text, wish), leaf.type, origin=leaf.origin)

    def bind(self, var: Var, value: Value) -> None:
        """From here on, ``var`` is ``value``."""
        self.env[var.name] = self.named(value, var.name) if isinstance(value, Leaf) else value

    @contextmanager
    def block(self, binders: Iterable[Var]) -> Iterator[list[Statement]]:
        """Write the body of a function that stands in this one."""
        outside, self.body = self.body, []
        before = {var.name: self.env[var.name] for var in binders if var.name in self.env}
        self.depth += 1
        self._known.append({})
        try:
            yield self.body
        finally:
            self._known.pop()
            self.depth -= 1
            self.env.update(before)
            self.body = outside

    def find(self, value: Value) -> Leaf | None:
        """The leaf that was made of ``value`` before, where it can be seen from here."""
        for known in reversed(self._known):
            if id(value) in known:
                return known[id(value)][1]
        return None

    def remember(self, value: Value, leaf: Leaf) -> Leaf:
        """Note the leaf that was made of ``value``."""
        self._known[-1][id(value)] = value, leaf
        return leaf
