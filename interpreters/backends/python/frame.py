"""A Python function that is being written: its statements, its names, what its variables are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property

from combinators.free import Captured
from combinators.objects import Object, Tensor
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Term, Tuple, Var
from interpreters.backends.python.values import INT64, Bounds, Leaf, Placed, Root, Value
from interpreters.backends.text.frame import Bundle, Spread
from interpreters.backends.text.frame import Frame as TextFrame
from interpreters.backends.text.layout import ATOM, Statement
from interpreters.backends.text.module import names_apart

LONGEST = 20
"""How long an argument is that stands in a call."""
OFTEN = 1 << 30
"""How often a variable is used that a λ, a branch or a loop captures."""


class Frame(TextFrame[Value, Leaf]):
    """The state of writing one function."""

    def __init__(self, taken: str) -> None:
        """No variable is called ``taken``, the entry's name."""
        super().__init__(names_apart((taken,)))
        self.uses = Uses(Tuple(()), {})
        self.spare: list[dict[Tensor, list[tuple[str, Root]]]] = [{}]
        """The buffers of each block that nothing looks at any more."""

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

    def argument(self, leaf: Leaf) -> str:
        """The text that is given to a function; a long one stands on a line of its own."""
        return self.named(leaf).text if len(leaf.text) > LONGEST else leaf.text

    @contextmanager
    def block(self) -> Iterator[list[Statement]]:
        """Write into a block of its own, inside the one that is being written."""
        self.spare.append({})
        try:
            with super().block() as body:
                yield body
        finally:
            self.spare.pop()


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


def bundle(parts: tuple[Value, ...], obj: Object) -> Bundle[Value]:
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
