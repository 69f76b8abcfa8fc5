"""A Python function that is being written: its statements, its names, what its variables are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property

from combinators.free import Captured
from combinators.objects import Object, Tensor
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Term, Tuple, Var
from interpreters.backends.python.code import Assign, Do, Statement
from interpreters.backends.python.layout import Text
from interpreters.backends.python.naming import identifier, names_apart
from interpreters.backends.python.values import (
    ATOM,
    INT64,
    Bounds,
    Bundle,
    Leaf,
    Placed,
    Root,
    Spread,
    Value,
)

OFTEN = 1 << 30
"""How often a variable is used that a λ, a branch or a loop captures."""


class Frame:
    """The state of writing one function."""

    def __init__(self, taken: str) -> None:
        """No variable is called ``taken``, the entry's name."""
        self.names = names_apart((taken,))
        self.body: list[Statement] = []
        self.depth = 0
        self.env: dict[str, Value] = {}
        self.uses = Uses(Tuple(()), {})
        self.spare: list[dict[Tensor, list[tuple[str, Root]]]] = [{}]
        """The buffers of each block that nothing looks at any more."""
        self.known: list[dict[int, tuple[Value, Leaf]]] = [{}]

    def fresh(self, wish: str) -> str:
        """A new local name."""
        return self.names.fresh(identifier(wish))

    def assign(self, text: Text, wish: str) -> str:
        """A statement, and the name of what it gives."""
        name = self.fresh(wish)
        self.body.append(Assign((name,), text))
        return name

    def do(self, text: Text, before: str = "") -> None:
        """A statement for its effect."""
        self.body.append(Do(text, before))

    def named(self, leaf: Leaf, wish: str = "t") -> Leaf:
        """The same value under a name, or as a number."""
        if leaf.text.isidentifier() or leaf.literal is not None:
            return leaf
        name = self.assign(leaf.text, wish)
        return Leaf(name, leaf.type, ATOM, leaf.root, leaf.bounds, leaf.tainted)

    def bind(self, var: Var, value: Value) -> Value:
        """From here on, ``var`` is ``value``."""
        if isinstance(value, Leaf):
            value = self.named(value, var.name)
            root = value.root
            if root is not None:
                root.uses, root.shared = self.uses[var.name], root.shared or root.bound
                root.bound = True
        elif isinstance(value, Placed):
            value.uses = OFTEN if value.uses else self.uses[var.name]
        self.env[var.name] = value
        return value

    @contextmanager
    def block(self) -> Iterator[list[Statement]]:
        """Write into a block of its own, inside the one that is being written."""
        outside, self.body = self.body, []
        self.depth += 1
        self.known.append({})
        self.spare.append({})
        try:
            yield self.body
        finally:
            self.body = outside
            self.depth -= 1
            self.known.pop()
            self.spare.pop()

    def find(self, value: Value) -> Leaf | None:
        """The leaf that was made of ``value`` before, where it can be seen from here."""
        for known in reversed(self.known):
            if id(value) in known:
                return known[id(value)][1]
        return None

    def remember(self, value: Value, leaf: Leaf) -> Leaf:
        """Note the leaf that was made of ``value``."""
        self.known[-1][id(value)] = value, leaf
        return leaf


def fresh_leaf(text: str, obj: Object, *, tainted: bool = False, bounds: Bounds = INT64) -> Leaf:
    """A new array that nothing else looks at."""
    size = obj.size if isinstance(obj, Tensor) else 0
    return Leaf(text, obj, ATOM, Root(fresh=True, size=size), bounds, tainted)


def share(value: Value) -> None:
    """From here on, something else may look at the buffers of ``value``."""
    todo: list[Value] = [value]
    while todo:
        match todo.pop():
            case Leaf(root=root) | Spread(inner=Leaf(root=root)):
                if root is not None:
                    root.shared = True
            case Placed() as placed:
                placed.uses = OFTEN
            case Bundle():
                pass  # its parts were shared when it was made
            case known:
                todo.extend(getattr(known, "captured", {}).values())


def bundle(parts: tuple[Value, ...], obj: Object) -> Bundle:
    """A product of known parts."""
    for part in parts:
        share(part)
    return Bundle(parts, obj)


class Uses:
    """How often each variable is used in a block, not counting what λs and branches capture."""

    def __init__(self, term: Term, captured: Captured) -> None:
        """In ``term``; counted when it is first asked."""
        self._term, self._captured = term, captured

    def __getitem__(self, name: str) -> int:
        """How often a variable is used."""
        return self._counted[name]

    @cached_property
    def _counted(self) -> Counter[str]:
        uses: Counter[str] = Counter()
        todo = [self._term]
        while todo:
            match todo.pop():
                case Var(name):
                    uses[name] += 1
                case Lam() as function:
                    uses.update({var.name: OFTEN for var in self._captured[id(function)]})
                case App(function, argument):
                    todo += (function, argument)
                case Let(bindings, body):
                    todo += (*(bound for _, bound in bindings), body)
                case Tuple(items) | Prim(_, items):
                    todo += items
                case Proj(_, product):
                    todo.append(product)
                case Cond(test) as choice:
                    uses.update({var.name: OFTEN for var in self._captured[id(choice)]})
                    todo.append(test)
        return uses
