"""What a term has become while its code is written, and the function that is being written.

A backend's values are expressions, its own parts that wait until they are asked for, and these.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from combinators.kit.text import Names
from combinators.objects import Object, Tensor, components
from interpreters.backends.text.layout import Assign, Do, Statement, Text
from interpreters.backends.text.module import identifier


class Expression(Protocol):
    """One expression of a backend."""

    text: str
    type: Object


Part_co = TypeVar("Part_co", covariant=True)
Inner_co = TypeVar("Inner_co", bound=Expression, covariant=True)


@dataclass(eq=False, slots=True)
class Bundle(Generic[Part_co]):
    """A product of which the components are known apart."""

    parts: tuple[Part_co, ...]
    type: Object


@dataclass(eq=False, slots=True)
class Spread(Generic[Inner_co]):
    """A number or an array that is to be repeated to a larger shape."""

    inner: Inner_co
    type: Tensor

    @property
    def inner_shape(self) -> tuple[int, ...]:
        """The shape of what is repeated."""
        assert isinstance(self.inner.type, Tensor)
        return self.inner.type.shape


def leaf_types(objects: Iterable[Object]) -> Iterable[Object]:
    """The types that products and records are made of, each once."""
    todo, seen = list(objects), set[int]()
    while todo:
        obj = todo.pop()
        if id(obj) in seen:
            continue
        seen.add(id(obj))
        product = components(obj)
        if product is None:
            yield obj
        else:
            todo += product.parts


MOST = 256


def is_broad(obj: Object, most: int = MOST) -> bool:
    """Whether a type has too many parts to be written out as the tree that it is."""
    todo, count = [obj], 0
    while todo and count < most:
        product = components(todo.pop())
        count += 1
        if product is not None:
            todo += product.parts
    return count >= most


V = TypeVar("V")
"""The values of a backend."""
L = TypeVar("L", bound=Expression)
"""Those of them that are one expression."""


class Frame(ABC, Generic[V, L]):
    """The state of writing one function."""

    def __init__(self, names: Names) -> None:
        """Its variables have new ones of ``names``."""
        self.names = names
        self.body: list[Statement] = []
        self.depth = 0
        self.env: dict[str, V] = {}
        self._known: list[dict[int, tuple[V, L]]] = [{}]

    @abstractmethod
    def named(self, leaf: L, wish: str = "t") -> L:
        """The same value under a name, or as a number."""

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

    def unnamed(self, text: Text) -> Text:
        """What ends the function: what was named last needs no name there."""
        last = self.body[-1] if self.body else None
        if isinstance(last, Assign) and last.targets == (text,):
            self.body.pop()
            return last.text
        return text

    def argument(self, leaf: L) -> str:
        """The text that is given to a function."""
        return leaf.text

    @contextmanager
    def block(self) -> Iterator[list[Statement]]:
        """Write into a block of its own, inside the one that is being written."""
        outside, self.body = self.body, []
        self.depth += 1
        self._known.append({})
        try:
            yield self.body
        finally:
            self._known.pop()
            self.depth -= 1
            self.body = outside

    def find(self, value: V) -> L | None:
        """The leaf that was made of ``value`` before, where it can be seen from here."""
        for known in reversed(self._known):
            if id(value) in known:
                return known[id(value)][1]
        return None

    def remember(self, value: V, leaf: L) -> L:
        """Note the leaf that was made of ``value``."""
        self._known[-1][id(value)] = value, leaf
        return leaf
