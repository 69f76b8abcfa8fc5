"""How a value goes across a border: as one term, and a shape that says what the term is.

Shapes are interned by the ``Shapes`` that made them, and compared by identity.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, TypeVar

from combinators.objects import Object
from combinators.operation import Operation
from interpreters.execution.running import Code

S = TypeVar("S", bound="Shape")


@dataclass(frozen=True, eq=False)
class Shape:
    """What a term stands for."""


@dataclass(frozen=True, eq=False)
class Plain(Shape):
    """A value of the type ``obj`` in its mode's own representation."""

    obj: Object
    moves: bool = False
    """In forward mode: whether a tangent goes with it."""


@dataclass(frozen=True, eq=False)
class Known(Shape):
    """A closure of known code: the term is the tuple of what it captured."""

    code: Code
    env: tuple[Shape, ...]


@dataclass(frozen=True, eq=False)
class Several(Shape):
    """A product with closures in it: the term is the tuple of its parts."""

    parts: tuple[Shape, ...]


@dataclass(frozen=True, eq=False)
class Accompanying(Shape):
    """A function of unknown code: the term is the tuple of it and its companions ``words``."""

    obj: Object
    words: tuple[tuple[Operation, ...], ...]


class Shapes:
    """The shapes of one program, each made once."""

    def __init__(self) -> None:
        """None yet."""
        self._made: dict[Hashable, Shape] = {}

    def plain(self, obj: Object, moves: bool = False) -> Plain:
        """A value as its type says."""
        return self._once((Plain, obj, moves), Plain(obj, moves))

    def known(self, code: Code, env: tuple[Shape, ...]) -> Known:
        """A closure of ``code``."""
        return self._once((Known, id(code), *map(id, env)), Known(code, env))

    def several(self, parts: tuple[Shape, ...]) -> Several:
        """A product, part by part."""
        return self._once((Several, *map(id, parts)), Several(parts))

    def accompanying(self, obj: Object, words: tuple[tuple[Operation, ...], ...]) -> Accompanying:
        """A function of unknown code with its companions."""
        return self._once((Accompanying, obj, words), Accompanying(obj, words))

    def _once(self, key: Hashable, shape: S) -> S:
        return self._made.setdefault(key, shape)  # type: ignore[return-value]  # by its key


def is_plain(shapes: tuple[Any, ...]) -> bool:
    """Whether there is no closure of known code among them, nor one that moves."""
    return all(isinstance(shape, Plain) and not shape.moves for shape in shapes)
