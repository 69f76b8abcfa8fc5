"""What a term has become while its text is written: an expression, or a part that waits.

What waits has no text yet: a tuple of which only components may be asked, a λ that may be applied
at once, a number that fills an array, a cotangent that may be added where it belongs. An array has
a ``Buffer``, by which a backend that writes into arrays knows which of them are nobody else's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

from combinators.objects import Object, Product, Record, Tensor, components
from combinators.operation import Operation
from combinators.terms import Lam
from combinators.type_folds import columns_of, parts_inside
from interpreters.backends.analysis.captures import OFTEN
from interpreters.backends.analysis.facts import Bounds
from interpreters.backends.text.layout import ATOM


class Buffer:
    """Whether this code allocated an array, and whether anything else may still look at it."""

    __slots__ = ("bound", "fresh", "reused", "shared", "size", "uses")

    def __init__(self, *, fresh: bool, uses: int = 1, size: int = 0) -> None:
        """``uses`` are those that are still to come; ``size`` is known of what is made here."""
        self.fresh, self.shared, self.uses, self.size = fresh, not fresh, uses, size
        self.bound = self.reused = False

    @property
    def is_free(self) -> bool:
        """Whether nothing will look at it again."""
        return self.fresh and not self.shared and self.uses <= 0

    def again(self) -> Buffer:
        """The same buffer, written anew for another value."""
        self.reused = self.shared = True
        return Buffer(fresh=True, size=self.size)


class Listed(NamedTuple):
    """The rows of a stack where they are known as something that a loop runs over quickly."""

    forwards: str
    backwards: str


class Origin(NamedTuple):
    """The primitive that made a value, and what it was made of."""

    name: str
    operands: tuple[Leaf, ...]
    parameters: Mapping[str, Any]


@dataclass(eq=False, slots=True)
class Leaf:
    """One expression."""

    text: str
    type: Object
    level: int = ATOM
    buffer: Buffer | None = None
    literal: float | None = None
    rows: Listed | None = None
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
    shared: bool = False
    """Whether something else may look at the buffers of its components."""


@dataclass(eq=False, slots=True)
class CapturedLam:
    """A λ, and the values that it captures."""

    function: Lam
    captured: Mapping[str, Value]

    @property
    def type(self) -> Object:
        """Its function type."""
        return self.function.type


@dataclass(eq=False, slots=True)
class Spread:
    """A number or an array that is to be repeated to a larger shape."""

    inner: Leaf
    type: Tensor

    @property
    def inner_shape(self) -> tuple[int, ...]:
        """The shape of what is repeated."""
        return tensor(self.inner).shape


@dataclass(eq=False, slots=True)
class Placed:
    """Zeros that hold ``inner`` in some places: a ``put`` or an ``embed``.

    ``bounds`` are those of the indices; ``more`` are embedded beside it, in places that are apart.
    """

    operation: Operation
    inner: Leaf
    indices: tuple[Leaf, ...]
    bounds: tuple[Bounds, ...]
    type: Tensor
    more: tuple[Placed, ...] = ()
    uses: int = 0

    @property
    def pieces(self) -> tuple[Placed, ...]:
        """It, and what is beside it."""
        return (self, *self.more)

    def beside(self, other: Placed) -> Placed:
        """Both, in places that are apart."""
        return replace(self, more=(*self.more, *other.pieces), uses=0)

    @property
    def box(self) -> list[range]:
        """The indices that what is embedded takes on each axis."""
        window, shape = self.operation.keywords, tensor(self.inner).shape
        along = zip(window["start"], window["step"], shape, strict=True)
        return [range(first, first + step * n, step) for first, step, n in along]


Value: TypeAlias = Leaf | Bundle | CapturedLam | Spread | Placed


TOGETHER = 16
"""How many places wait together: each is compared with all the others."""


def are_apart(x: Placed, y: Placed) -> bool:
    """Whether both are embedded, in places of which none is in both."""
    if len(x.pieces) + len(y.pieces) > TOGETHER:
        return False
    if any(piece.operation.name != "embed" for piece in (*x.pieces, *y.pieces)):
        return False
    return all(any(map(_disjoint, a.box, b.box)) for a in x.pieces for b in y.pieces)


def _disjoint(a: range, b: range) -> bool:
    if not a or not b or max(a[0], a[-1]) < min(b[0], b[-1]):
        return True
    if max(b[0], b[-1]) < min(a[0], a[-1]):
        return True
    return (a[0] - b[0]) % math.gcd(a.step, b.step) != 0


def tensor(of: Any) -> Tensor:
    """The type of a value, or of a term, that is a tensor."""
    assert isinstance(of.type, Tensor)
    return of.type


def is_array(obj: Object) -> bool:
    """Whether it is a tensor with axes."""
    return isinstance(obj, Tensor) and bool(obj.shape)


def held(text: str, obj: Object, *, fresh: bool = False) -> Leaf:
    """What may be an array, and whether this code allocated it."""
    return Leaf(text, obj, ATOM, Buffer(fresh=fresh) if is_array(obj) else None)


def fresh_leaf(text: str, obj: Object) -> Leaf:
    """A new array that nothing else looks at."""
    size = obj.size if isinstance(obj, Tensor) else 0
    return Leaf(text, obj, ATOM, Buffer(fresh=True, size=size))


def share(value: Value) -> None:
    """From here on, something else may look at the buffers of ``value``."""
    todo = [value]
    while todo:
        match todo.pop():
            case Leaf(buffer=buffer) | Spread(inner=Leaf(buffer=buffer)):
                if buffer is not None:
                    buffer.shared = True
            case Placed() as placed:
                placed.uses = OFTEN
            case CapturedLam(captured=captured):
                todo.extend(captured.values())
            case Bundle(parts, shared=False) as product:
                product.shared = True
                todo.extend(parts)
            case _:
                pass


def bundle(parts: tuple[Value, ...], obj: Object) -> Bundle:
    """A product of known parts, which something else may look at from here on."""
    for part in parts:
        share(part)
    return Bundle(parts, obj, shared=True)


def consume(*leaves: Leaf) -> None:
    """Note that these are looked at once less."""
    for leaf in leaves:
        if leaf.buffer is not None:
            leaf.buffer.uses -= 1


# Types.

MOST = 256
"""Of how many parts a type is too broad to be written out as the tree that it is."""


def is_broad(obj: Object, most: int = MOST) -> bool:
    """Whether a type has too many parts to be written out as the tree that it is."""
    todo, count = [obj], 0
    while todo and count < most:
        product = components(todo.pop())
        count += 1
        if product is not None:
            todo += product.parts
    return count >= most


def is_apart(obj: Object) -> bool:
    """Whether a function of ``obj`` takes an argument a component."""
    return isinstance(obj, Product) and obj.width != 1


def leaf_types(objects: Iterable[Object], *, inside: bool = False) -> Iterator[Object]:
    """The types that products and records are made of, each once.

    With ``inside``, vectors, sums and recursive types are looked into too.
    """
    todo, seen = list(objects), set[int]()
    while todo:
        obj = todo.pop()
        if id(obj) in seen:
            continue
        seen.add(id(obj))
        below = parts_inside(obj) if inside else columns_of(obj)
        if below or isinstance(obj, Product | Record):
            todo += below or ()
        else:
            yield obj


def leaves_of(obj: Object) -> list[Object]:
    """The leaves of a type that is not too broad; of one that is, the type itself."""
    product = components(obj)
    if product is None or is_broad(obj):
        return [obj]
    return [leaf for part in product.parts for leaf in leaves_of(part)]


def nested(leaves: Iterator[Value], obj: Object, most: int = MOST) -> Value:
    """The value of type ``obj`` with these leaves; what has ``most`` parts is a leaf."""
    product = components(obj)
    if product is None or is_broad(obj, most):
        return next(leaves)
    return Bundle(tuple([nested(leaves, part, most) for part in product.parts]), obj)
