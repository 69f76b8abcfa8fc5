"""What a law quantifies over: objects and arrows that stand for any.

A law's two sides are arrows of the free category over these. A choice of objects and arrows for
them extends to one structure-preserving map, which gives the instance of the law
(``laws.asking.instance``).

>>> A, B = Variable("A"), Variable("B")
>>> f = Generator("f", A, B)
>>> (f >> Generator("g", B, A)).cod is A
True
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

from combinators.morphisms import Morphism
from combinators.objects import Object, Product, Tensor, Unit

Kind = Literal["any", "data", "vector"]
"""Which objects a variable stands for: all; those without functions; those of floats."""

Sort = Literal["arrow", "linear", "point", "sum"]
"""What a generator is: any arrow; a linear map; a global element; a function of integers."""


class Variable(Object):
    """An object variable. The tangent space of a ``"vector"`` is itself."""

    __match_args__ = ("name", "kind")
    name: str
    kind: Kind

    def __new__(cls, name: str, kind: Kind = "any") -> Self:
        """``Variable("A")``, ``Variable("V", "vector")``."""
        return cls._intern(name, kind)


class Space(Object):
    """``T A``, the tangent space of an object that is not known yet."""

    __match_args__ = ("of",)
    of: Object

    def __new__(cls, of: Object) -> Self:
        """Write ``tangent``, which leaves vectors alone."""
        return cls._intern(of)


def tangent(obj: Object) -> Object:
    """``T A``: a vector's is itself, a product's is the product of its components'.

    >>> V, D = Variable("V", "vector"), Variable("D", "data")
    >>> tangent(Product(V, V)) is Product(V, V), tangent(D) is Space(D)
    (True, True)
    """
    match obj:
        case Variable(_, "vector"):
            return obj
        case Product():
            return Product(*map(tangent, obj.parts))
        case Tensor():
            return obj if obj.is_smooth else Unit
        case _:
            return Space(obj)


@dataclass(frozen=True, eq=False, repr=False)
class Generator(Morphism):
    """An arrow that a law quantifies over; a ``"point"`` starts from Unit."""

    name: str
    source: Object
    target: Object
    sort: Sort = "arrow"

    def __post_init__(self) -> None:
        """Type it."""
        self._typed(self.source, self.target)


def points(names: str, obj: Object) -> tuple[Generator, ...]:
    """Global elements of ``A``, one a name."""
    return tuple(Generator(name, Unit, obj, "point") for name in names.split())


def arrows(names: str, dom: Object, cod: Object) -> tuple[Generator, ...]:
    """Parallel arrows, one a name: ``arrows("f g", A, B)`` are f and g."""
    return tuple(Generator(name, dom, cod) for name in names.split())
