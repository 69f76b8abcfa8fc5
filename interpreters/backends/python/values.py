"""What a term has become while its code is written: an expression, or a part that waits.

What waits has no code yet: a tuple of which only components may be asked, a λ that may be applied
at once, a number that fills an array, a cotangent that may be added where it belongs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from combinators.objects import Object, Tensor, components
from combinators.operation import Operation
from combinators.terms import Lam
from interpreters.backends.text.frame import Bundle, Spread, is_broad
from interpreters.backends.text.layout import ATOM

INT64 = (-(2**63), 2**63 - 1)
Bounds = tuple[int, int]


class Root:
    """A buffer: whether this code allocated it, and whether anything else may still look at it."""

    __slots__ = ("bound", "fresh", "reused", "shared", "size", "uses")

    def __init__(self, *, fresh: bool, uses: int = 1, size: int = 0) -> None:
        """``uses`` are those that are still to come; ``size`` is known of what is made here."""
        self.fresh, self.shared, self.uses, self.size = fresh, not fresh, uses, size
        self.bound = self.reused = False

    def again(self) -> Root:
        """The same buffer, written anew for another value."""
        self.reused = self.shared = True
        return Root(fresh=True, size=self.size)


class Listed(NamedTuple):
    """The list that a stack was made of: its rows, from the first or from the last."""

    name: str
    backwards: bool


@dataclass(eq=False, slots=True)
class Leaf:
    """One Python expression."""

    text: str
    type: Object
    level: int = ATOM
    root: Root | None = None
    bounds: Bounds = INT64
    tainted: bool = False
    literal: float | None = None
    iota: bool = False
    rows: Listed | None = None


@dataclass(eq=False, slots=True)
class Known:
    """A λ, and the values that it captures."""

    function: Lam
    captured: Mapping[str, Value]

    @property
    def type(self) -> Object:
        """Its function type."""
        return self.function.type


@dataclass(eq=False, slots=True)
class Placed:
    """Zeros that hold ``inner`` in some places: a ``put`` or an ``embed``.

    ``more`` are embedded beside it, in places that are apart.
    """

    operation: Operation
    inner: Leaf
    indices: tuple[Leaf, ...]
    type: Tensor
    more: tuple[Placed, ...] = ()
    uses: int = 0


Value: TypeAlias = "Leaf | Bundle[Value] | Known | Spread[Leaf] | Placed"


def is_tainted(value: Value) -> bool:
    """Whether a nan in it may be one that a careful product would not have."""
    seen: set[int] = set()
    todo: list[Value] = [value]
    while todo:
        part = todo.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        match part:
            case Leaf(tainted=tainted) | Spread(Leaf(tainted=tainted)):
                if tainted:
                    return True
            case Placed(_, inner, more=more):
                todo += (inner, *more)
            case Bundle(parts):
                todo.extend(parts)
            case Known(_, captured):
                todo.extend(captured.values())
    return False


def leaves_of(obj: Object) -> list[Object]:
    """The leaves of a type that is not too broad; of one that is, the type itself."""
    product = components(obj)
    if product is None or is_broad(obj):
        return [obj]
    return [leaf for part in product.parts for leaf in leaves_of(part)]


def nested(leaves: Iterator[Value], obj: Object) -> Value:
    """The value of type ``obj`` with these leaves."""
    product = components(obj)
    if product is None or is_broad(obj):
        return next(leaves)
    return Bundle(tuple(nested(leaves, part) for part in product.parts), obj)
