"""The objects: types, seen as objects of the category.

Objects are interned: two equal objects are one, and are compared by identity.

>>> Fun(Product(Real, Tensor((3, 4))), Bool)
Real × Tensor[3, 4] ⇒ Bool
>>> Product(Real, Int) is Product(Real, Int)
True
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Never, Self
from weakref import WeakValueDictionary

import numpy as np

from combinators.errors import ShapeMismatch, TypeMismatch
from combinators.kit.class_names import class_of
from combinators.kit.text import Pieces, cut, separated, text_of
from combinators.kit.tree import Syntax


@lru_cache(maxsize=256)
def element_name(dtype: Any) -> str:
    """The name of an element type."""
    try:
        kind: np.dtype[Any] = np.dtype(dtype)
    except TypeError:
        raise TypeMismatch(f"{dtype!r} is no element type; write for instance float") from None
    if kind.kind not in "biuf":
        large = ", and write an integer beyond 64 bits as a float" if kind.kind == "O" else ""
        raise TypeMismatch(
            f"tensors hold floats, integers or booleans, not {kind}; "
            f"convert the array first, for instance with .astype(float){large}"
        )
    return kind.name


_MADE: WeakValueDictionary[tuple[Any, ...], Any] = WeakValueDictionary()


class Object(Syntax):
    """A type of the language: of numbers, products, sums, sequences or functions."""

    __match_args__: ClassVar[tuple[str, ...]] = ()
    is_interned = True

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @classmethod
    def _intern(cls, *arguments: Any) -> Self:
        key = (cls, *arguments)
        found: Self | None = _MADE.get(key)
        if found is None:
            made = object.__new__(cls)
            vars(made).update(zip(cls.__match_args__, arguments, strict=True))
            made._derive()
            found = _MADE.setdefault(key, made)
        return found

    def _derive(self) -> None:
        """Store what follows from the arguments."""

    @classmethod
    def builder(cls) -> Callable[..., Any]:
        """What builds it again, interned."""
        return cls._intern

    def __setattr__(self, name: str, value: object) -> Never:
        raise AttributeError(f"{self!r} is immutable")

    def __repr__(self) -> str:
        """As on paper; a very long type ends in …."""
        return cut(text_of(_show(self)), 1000)


def _check_object(value: Any, whose: str) -> None:
    if not isinstance(value, Object):
        raise TypeMismatch(f"{whose} takes objects, as Real, and {value!r} is not one")


class Tensor(Object):
    """Arrays of one shape and one element type; a number is a tensor of shape ``()``."""

    __match_args__ = ("shape", "dtype")
    shape: tuple[int, ...]
    dtype: str

    def __new__(cls, shape: Iterable[int], dtype: Any = "float64") -> Tensor:
        """``Tensor((2, 3))``, ``Tensor((2, 3), np.float32)``."""
        try:
            extents = tuple(map(operator.index, shape))
        except TypeError:
            raise TypeMismatch(
                f"a tensor has a tuple of integers as its shape, not {shape!r:.60}"
            ) from None
        if extents and min(extents) < 0:
            raise ShapeMismatch(f"a tensor has no negative extent, but {extents} holds one")
        if extents and max(extents) >= LONGEST:
            raise ShapeMismatch(f"a tensor's extents are below 2**63, and {extents} holds another")
        return _tensor(extents, element_name(dtype))

    @property
    def is_smooth(self) -> bool:
        """Whether its tangent space is itself; that of integers and booleans is Unit (Fig. 6)."""
        return self.dtype.startswith("float")

    @property
    def size(self) -> int:
        """How many numbers it holds."""
        return math.prod(self.shape)


LONGEST = 2**63
"""No index reaches so far."""
_tensor = lru_cache(maxsize=1 << 10)(Tensor._intern)


class Product(Object):
    """The product of objects, of any width; also a context, which grows at its end.

    It is kept as a list that shares its beginning: ``snoc`` takes constant time and memory.
    A product of one is not its component.
    """

    __match_args__ = ("init", "last")
    init: Product | None
    last: Object | None
    width: int

    def __new__(cls, *parts: Object) -> Product:
        """``Product(A, B, C)``."""
        if len(parts) <= FEW:
            try:
                return _few(parts)
            except TypeError:
                pass  # what cannot be hashed is no object
        return _snoc(parts)

    def _derive(self) -> None:
        vars(self)["width"] = 0 if self.init is None else self.init.width + 1

    def snoc(self, last: Object) -> Product:
        """The product with one more component at its end."""
        _check_object(last, "Product or a Sum")
        return Product._intern(self, last)

    @cached_property
    def parts(self) -> tuple[Object, ...]:
        """Its components, in order."""
        backwards: list[Object] = []
        product: Product = self
        while product.init is not None and product.last is not None:
            backwards.append(product.last)
            product = product.init
        return tuple(reversed(backwards))

    def __iter__(self) -> Iterator[Object]:
        return iter(self.parts)


FEW = 4
"""Products of so few components are made again and again."""


def _snoc(parts: tuple[Object, ...]) -> Product:
    product = Product._intern(None, None)
    for part in parts:
        product = product.snoc(part)
    return product


_few = lru_cache(maxsize=1 << 10)(_snoc)


class Record(Object):
    """A product whose components have names, in the order in which they are written."""

    __match_args__ = ("names", "product")
    names: tuple[str, ...]
    product: Product

    def __new__(cls, /, **components: Object) -> Self:
        """``Record(weights=Tensor((3,)), bias=Real)``."""
        return cls.of(tuple(components), Product(*components.values()))

    @classmethod
    def of(cls, names: tuple[str, ...], product: Product) -> Self:
        """The record that names the components of ``product``."""
        if len(names) != product.width or len(set(names)) != len(names):
            raise TypeMismatch(f"{product.width} components are not named by {names}")
        return cls._intern(names, product)


class Vector(Object):
    """A sequence of ``length`` values of one type, as of functions, that no tensor can hold."""

    __match_args__ = ("item", "length")
    item: Object
    length: int

    def __new__(cls, item: Object, length: int) -> Self:
        """``Vector(Fun(Real, Real), 3)``."""
        _check_object(item, "Vector")
        if length < 0:
            raise ShapeMismatch(f"Vector has a length, a number from 0 on, and this is {length!r}")
        return cls._intern(item, int(length))


class Fun(Object):
    """Functions ``dom ⇒ cod``; one of several arguments takes their product."""

    __match_args__ = ("dom", "cod")
    dom: Object
    cod: Object

    def __new__(cls, dom: Object, cod: Object) -> Self:
        """``Fun(Real, Real)``, ``Fun(Product(Real, Real), Real)``."""
        _check_object(dom, "Fun")
        _check_object(cod, "Fun")
        return cls._intern(dom, cod)


class Sum(Object):
    """The coproduct of objects, its alternatives, of which a value is one; with names if wished.

    >>> Sum(Real, Product(Real, Real)), Sum(circle=Real, square=Int)
    (Real + (Real × Real), [circle: Real | square: Int])
    """

    __match_args__ = ("names", "product")
    names: tuple[str, ...] | None
    product: Product

    def __new__(cls, /, *parts: Object, **named: Object) -> Self:
        """``Sum(A, B)``, or ``Sum(circle=A, square=B)``."""
        if parts and named:
            raise TypeMismatch("the alternatives of a Sum all have names, or none has")
        return cls.of(tuple(named) if named else None, Product(*parts, *named.values()))

    @classmethod
    def of(cls, names: tuple[str, ...] | None, product: Product) -> Self:
        """The sum of the components of ``product``."""
        if not product.width:
            raise TypeMismatch("a Sum has an alternative or more, as Sum(Real, Int)")
        if names is not None and (len(names) != product.width or len(set(names)) != len(names)):
            raise TypeMismatch(f"{product.width} alternatives are not named by {names}")
        return cls._intern(names, product)

    @property
    def parts(self) -> tuple[Object, ...]:
        """Its alternatives, in order."""
        return self.product.parts

    def index(self, alternative: int | str) -> int:
        """The place of an alternative, which is said by its place or its name."""
        if isinstance(alternative, str):
            names = [*map(str, self.names or ())]
            if alternative not in names:
                raise TypeMismatch(f"{self!r} has no alternative {alternative!r}")
            return names.index(alternative)
        if not 0 <= alternative < self.product.width:
            raise TypeMismatch(f"{self!r} has no alternative {alternative}")
        return alternative


class Tagged(Sum):
    """The tangents of a sum: zero, or a tangent of the alternative that the value is (CHAD).

    >>> Tagged(Real, Real)
    0 + Real + Real
    """


class MuVar(Object):
    """Inside the body of a ``Mu``: the type itself, or that of the ``depth``-th ``Mu`` outside."""

    __match_args__ = ("depth",)
    depth: int

    def __new__(cls, depth: int = 0) -> Self:
        """``MuVar()``, ``MuVar(1)``."""
        return cls._intern(int(depth))


class Mu(Object):
    """The recursive type ``μX. body``, with ``MuVar()`` for X; ``name`` is what it is called.

    >>> Mu("Numbers", Sum(nil=Unit, cons=Product(Real, MuVar()))).body
    [nil: Unit | cons: Real × Self]
    """

    __match_args__ = ("name", "body")
    name: str
    body: Object

    def __new__(cls, name: str, body: Object) -> Self:
        """``Mu("Numbers", Sum(nil=Unit, cons=Product(Real, MuVar())))``."""
        _check_object(body, "Mu")
        if isinstance(body, MuVar | Mu):
            raise TypeMismatch(f"a recursive type is a sum or a product, and {name} is {body!r}")
        return cls._intern(name, body)


class Erased(Object):
    """``Tangent``: cotangents of function values, whatever they captured.

    It is AnyDerivative of 004, section 5: made by ``pack``, opened only by the closure's own
    ``unpack``, and its own tangent space.
    """


Tangent = Erased._intern()

Real = Tensor(())
Int = Tensor((), "int64")
Bool = Tensor((), "bool")
Unit = Product()

_NAMES = {Real: "Real", Int: "Int", Bool: "Bool", Unit: "Unit", Tangent: "Tangent"}


def components(product: Object) -> Product | None:
    """The components of a product or a record; None for every other object."""
    match product:
        case Product():
            return product
        case Record(_, inner):
            return inner
        case _:
            return None


def component(obj: Object, index: int) -> Object:
    """The type of the component ``index`` of a product, a record or a vector."""
    if isinstance(obj, Vector) and 0 <= index < obj.length:
        return obj.item
    product = components(obj)
    if product is None and not isinstance(obj, Vector):
        raise TypeMismatch(f"proj takes a component of a product, and {obj!r} is none")
    if product is None or not 0 <= index < product.width:
        raise TypeMismatch(f"proj: {obj!r} has no component {index}")
    return product.parts[index]


def _show(obj: Object) -> Pieces:
    match obj:
        case _ if obj in _NAMES:
            yield _NAMES[obj]
        case Tensor(shape, dtype):
            kind = "" if dtype == "float64" else f"; {dtype}"
            if not shape:
                yield dtype
                return
            yield f"Tensor[{', '.join(map(str, shape))}{kind}]"
        case Product():
            yield "(" if obj.width == 1 else ""
            yield separated(map(_show_tight, obj.parts), " × ")
            yield ",)" if obj.width == 1 else ""
        case Record(names, product):
            yield "{"
            named = zip(names, product.parts, strict=True)
            yield separated(iter((f"{name}: ", _show(part))) for name, part in named)
            yield "}"
        case Vector(item, length):
            yield from (f"Vector[{length}; ", _show(item), "]")
        case Sum(names, product):
            zero = ["0"] if isinstance(obj, Tagged) else []
            if names is None:
                yield separated((*zero, *map(_show_tight, product.parts)), " + ")
                return
            named = zip(names, product.parts, strict=True)
            shown = (iter((f"{name}: ", _show(part))) for name, part in named)
            yield from ("[", separated((*zero, *shown), " | "), "]")
        case MuVar(depth):
            yield f"Self({depth})" if depth else "Self"
        case Mu(name, body):
            yield f"T {name}" if isinstance(body, Tagged) else name
            if isinstance(body, Sum) and class_of(name) is list:
                yield from ("[", _show(component(body.parts[1], 0)), "]")
        case Fun(dom, cod):
            yield _show_tight(dom) if isinstance(dom, Fun) else _show(dom)
            yield from (" ⇒ ", _show(cod))
        case _:
            yield getattr(obj, "name", type(obj).__name__)


def _show_tight(obj: Object) -> Pieces:
    wide = isinstance(obj, Fun) or (isinstance(obj, Product) and obj.width > 1)
    wide = wide or (isinstance(obj, Sum) and obj.names is None)
    yield "(" if wide else ""
    yield _show(obj)
    yield ")" if wide else ""
