"""What a term has become while its code is written, as far as every backend has it.

A backend's values are expressions, its own parts that wait until they are asked for, and these.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from combinators.objects import Object, Tensor, components


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


def is_broad(obj: Object) -> bool:
    """Whether a type has too many parts to be written out as the tree that it is."""
    todo, count = [obj], 0
    while todo and count < MOST:
        product = components(todo.pop())
        count += 1
        if product is not None:
            todo += product.parts
    return count >= MOST
