"""Types of the user's with tangents of their own: what is declared of one (004, section 6.2).

A value of such a type is a dataclass of the user's, and to the language a ``Space``: coordinates,
which are one tensor, under a name. ``T[v]`` is what the declaration says. Two primitives lead there
and back, ``coordinates`` and ``point``, whose derivatives are declared, and are all that knows of
it; every other derivative follows. Of a unit quaternion q, with tangents ω : Tensor[3],

    coordinates : Quaternion → Tensor[4]    moves by  q ω / 2,  a cotangent g arrives as  Im(q* g)/2
    point       : Tensor[4] → Quaternion    moves by  2 Im(q* ẋ)

so that the gradient of what is computed from q's coordinates is an ω, and no fourth number is in it
by which q would leave the sphere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Self

import numpy as np

from combinators.errors import DomainError, ShapeMismatch, TypeMismatch
from combinators.objects import Object, Tensor

Rule = Callable[[Any, Any], Any]
NEAR = 1e-6
"""So far may a value's coordinates be from those of the value near to them."""


class Space(Object):
    """A type of the user's: what ``declared`` says it is, given by coordinates (004, section 6.2).

    Its values are those of the tensor ``coordinates``; its tangents are as ``declared``.
    """

    __match_args__ = ("declared", "coordinates")
    declared: Declared
    coordinates: Tensor

    def __new__(cls, declared: Declared, coordinates: Tensor) -> Self:
        """The type of the values that have such coordinates."""
        return cls._intern(declared, coordinates)

    @property
    def name(self) -> str:
        """That of the class, and the shape where there is a type for each."""
        shape = self.coordinates.shape if self.declared.is_family else ()
        return f"{self.declared.kind.__name__}{list(shape) or ''}"


@dataclass(frozen=True, eq=False)
class Declared:
    """What ``tangent_space`` declared of a class; equal if it is the same declaration."""

    kind: type
    """A dataclass of one array, or of numbers."""
    arrive: Rule
    """``(x, g)``: the cotangent of x where that of its coordinates is g."""
    move: Rule
    """``(x, v)``: how the coordinates of x move along the tangent v."""
    project: Rule
    """``(x, u)``: the tangent of x along which its coordinates move by u."""
    leave: Rule
    """``(x, w)``: the cotangent of the coordinates where that of x is w."""
    tangent_of: Callable[[Space], Object]
    plus: Callable[[Any, Any], Any] | None = None
    """How two values are added, if not by components; of tangents only."""
    zero: Any = 0.0
    nearby: Callable[[Any], Any] = lambda x: x
    """``x``: a value whose coordinates are near to x."""
    at: Any = None
    """The coordinates of an example."""
    settled: Callable[[Any], Any] | None = None
    """The coordinates of the value near to some, at numbers, where values are asked for theirs."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the fields."""
        return _keys(self.kind)

    @property
    def is_family(self) -> bool:
        """Whether there is a type for each shape of its only field."""
        return len(self.keys) == 1

    @property
    def example(self) -> Space:
        """The type of the value ``at``, which is that of every value that is made of numbers."""
        shape = np.shape(self.at) if self.is_family else (len(self.keys),)
        return Space(self, Tensor(shape))

    def parts(self, value: Any) -> tuple[Any, ...]:
        """The fields of a value."""
        return tuple(getattr(value, key) for key in self.keys)

    def space(self, *parts: Object) -> Space:
        """The type of a value whose fields have these types."""
        given = [part if isinstance(part, Tensor) else None for part in parts]
        if self.is_family and given[0] is not None:
            return Space(self, given[0] if given[0].is_smooth else Tensor(given[0].shape))
        if any(part is None or part.shape for part in given):
            shown = ", ".join(map(repr, parts))
            raise TypeMismatch(
                f"a {self.kind.__name__} has a tangent space of its own, and is made of one array "
                f"or of numbers; its fields are {shown}"
            )
        return Space(self, Tensor((len(parts),)))

    def array(self, value: Any, obj: Space) -> Any:
        """The coordinates of a value, and of coordinates themselves."""
        value = coordinates_of(value) if isinstance(value, self.kind) else value
        found = np.array(value, dtype=obj.coordinates.dtype)
        if found.shape != obj.coordinates.shape:
            raise ShapeMismatch(f"{obj!r} has coordinates of shape {found.shape} here")
        near = found if self.settled is None else self.settled(found)
        if (abs(found - near) > NEAR * (1.0 + abs(found))).any():  # a nan is none
            raise DomainError(
                f"{value!r:.120} is no {obj!r}: that near to it has the coordinates {near}, by "
                "nearby=; give that, or declare the type without nearby="
            )
        return found[()]

    def value(self, parts: tuple[Any, ...]) -> Any:
        """The value whose fields are these; what the class asks of its fields is not asked."""
        made: Any = object.__new__(self.kind)
        for key, part in zip(self.keys, parts, strict=True):
            object.__setattr__(made, key, part)
        return made

    def shown(self, array: Any) -> Any:
        """The value of these coordinates, as the user gets it."""
        whole = np.array(array)[()]
        return self.value((whole,) if self.is_family else tuple(whole))

    def __repr__(self) -> str:
        return f"<tangent space of {self.kind.__name__}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """By its class: declarations are known to the program that reads a pickle."""
        return declared_of, (self.kind,)


SPACES: dict[type, Declared] = {}
"""Every declaration, by class."""


@cache
def _keys(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def coordinates_of(value: Any) -> Any:
    """The coordinates of a value of a class that is declared, or will be."""
    kind: Any = type(value)
    parts = [getattr(value, key) for key in _keys(kind)]
    if len(parts) > 1 and any(map(np.ndim, parts)):
        raise TypeMismatch(
            f"a {kind.__name__} has a tangent space of its own, and is made of one array or of "
            f"numbers, not of parts of the shapes {', '.join(str(np.shape(x)) for x in parts)}"
        )
    return np.asarray(parts[0] if len(parts) == 1 else parts, dtype=float)[()]


def declared_of(kind: type) -> Declared:
    """What is declared of a class."""
    if kind not in SPACES:
        raise TypeMismatch(f"{kind.__name__} has no tangent space of its own here; declare it")
    return SPACES[kind]
