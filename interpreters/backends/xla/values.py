"""What a term has become while its code is written: an expression, or a part that waits.

What waits has no code yet: a tuple of which only components may be asked, a number that fills an
array, a cotangent that may be added where it belongs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from combinators.errors import MissingRule
from combinators.objects import Object, Product, Record, Tensor, components

ATOM, POWER, UNARY, TIMES, PLUS, BIT_AND, BIT_XOR, BIT_OR, COMPARED = range(9, 0, -1)
"""How tightly an expression holds together: Python's own order, from names to comparisons."""


class Origin(NamedTuple):
    """The primitive that made a value, and what it was made of."""

    name: str
    operands: tuple[Leaf, ...]
    parameters: Mapping[str, Any]


@dataclass(eq=False, slots=True)
class Leaf:
    """One expression; a literal number is written as Python's own, which takes any dtype."""

    text: str
    type: Object
    level: int = ATOM
    literal: float | None = None
    origin: Origin | None = None

    @property
    def is_short(self) -> bool:
        """Whether it is a name or a number."""
        return self.literal is not None or self.text.isidentifier()


@dataclass(eq=False, slots=True)
class Bundle:
    """A product of which the components are known apart."""

    parts: tuple[Value, ...]
    type: Object


@dataclass(eq=False, slots=True)
class Spread:
    """A number or an array that is to be repeated to a larger shape."""

    inner: Leaf
    type: Tensor


@dataclass(eq=False, slots=True)
class Put:
    """Zeros, to which ``inner`` is added at ``indices``, from ``axis`` on."""

    inner: Leaf
    indices: tuple[Leaf, ...]
    axis: int
    type: Tensor


@dataclass(eq=False, slots=True)
class Pieces:
    """Zeros that hold arrays in places that are apart along one axis: where each begins, and it."""

    pieces: tuple[tuple[int, Leaf], ...]
    axis: int
    type: Tensor


Value: TypeAlias = Leaf | Bundle | Spread | Put | Pieces


def tensor(value: Value) -> Tensor:
    """The type of a value that is a tensor."""
    assert isinstance(value.type, Tensor)
    return value.type


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


def check_first_order(what: str, *objects: Object) -> None:
    """Raise where a value that XLA has to hold is no array, nor made of arrays."""
    for obj in leaf_types(objects):
        if not isinstance(obj, Tensor):
            raise MissingRule(
                f"the XLA backend writes first-order programs, and {what} holds {obj!r}; "
                "call functions where they are known, or run this program on the Python backend"
            )


MOST = 256


def is_broad(obj: Object) -> bool:
    """Whether a type, written out as a tree, is too large to be written so."""
    todo, count = [obj], 0
    while todo and count < MOST:
        here = todo.pop()
        count += 1
        if isinstance(here, Product | Record):
            todo += components(here) or ()
    return count >= MOST
