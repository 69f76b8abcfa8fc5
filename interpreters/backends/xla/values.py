"""What a term has become while its code is written: an expression, or a part that waits.

What waits has no code yet: a tuple of which only components may be asked, a number that fills an
array, a cotangent that may be added where it belongs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from combinators.errors import MissingRule
from combinators.kit.locate import Place
from combinators.objects import Object, Tensor
from combinators.terms import Term
from interpreters.backends.text.forms import ATOM
from interpreters.backends.text.values import Bundle, Spread, leaf_types


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


Value: TypeAlias = "Leaf | Bundle[Value] | Spread[Leaf] | Put | Pieces"


def tensor(value: Value | Term) -> Tensor:
    """The type of a value, or of a term, that is a tensor."""
    assert isinstance(value.type, Tensor)
    return value.type


def check_first_order(what: str, *objects: Object, place: Place | None = None) -> None:
    """Raise where a value that XLA has to hold is no array, nor made of arrays."""
    for obj in leaf_types(objects):
        if not isinstance(obj, Tensor):
            raise MissingRule(
                f"the XLA backend writes first-order programs, and {what} holds {obj!r}; "
                "call functions where they are known, or run this program on the Python backend",
                place,
            )
