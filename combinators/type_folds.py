"""What is folded over types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from combinators.kit.recursion import Recursive, recurse
from combinators.objects import (
    Erased,
    Fun,
    Object,
    Product,
    Record,
    Tangent,
    Tensor,
    Unit,
    Vector,
    components,
    is_smooth,
    remade,
    tangent_of,
)


def is_first_order(obj: Object) -> bool:
    """Whether a type is of tensors, products and records only; a type may be shared, and large.

    >>> from combinators.objects import Product, Real
    >>> is_first_order(Product(Real, Real)), is_first_order(Product(Real, Fun(Real, Real)))
    (True, False)
    """
    todo, seen = [obj], {obj}
    while todo:
        here = todo.pop()
        if isinstance(here, Fun | Vector | Erased):
            return False
        new = set(components(here) or ()) - seen
        seen |= new
        todo += new
    return True


Represent = Callable[[Object, Object], Object]
"""From the representations of a function's argument and result to that of the function."""


def represented(obj: Object, function: Represent) -> Object:
    """The type with which values of type ``obj`` stand in a program."""
    return recurse(_represented(obj, function, {}))


def as_it_is(dom: Object, cod: Object) -> Object:
    """Without derivatives."""
    return Fun(dom, cod)


def rep_function(dom: Object, cod: Object) -> Object:
    """``A ⇒ B × (T B ⇒ Tangent × T A)``: Fig. 5 of 004, the environment's cotangent erased."""
    return Fun(dom, Product(cod, Fun(tangent_of(cod), Product(Tangent, tangent_of(dom)))))


def dual_function(dom: Object, cod: Object) -> Object:
    """``A × T A ⇒ B × T B``: a function in forward mode."""
    return Fun(with_tangent(dom), with_tangent(cod))


def with_tangent(obj: Object) -> Object:
    """``A × T A``; what cannot move has no tangent beside it."""
    return Product(obj, velocity(obj)) if moves(obj) else obj


def velocity(obj: Object) -> Object:
    """The type of a tangent that goes beside a value: a function has none."""
    return remade(obj, "velocity_", _velocity_at)


def _velocity_at(obj: Object) -> Object | None:
    if isinstance(obj, Tensor):
        return obj if obj.is_smooth else Unit
    if isinstance(obj, Fun):
        return Unit
    return obj if isinstance(obj, Erased) else None


def moves(obj: Object) -> bool:
    """Whether a tangent can go beside a value of type ``obj``."""
    return is_smooth(velocity(obj))


def _represented(
    obj: Object, function: Represent, known: dict[Object, Object]
) -> Recursive[Object]:
    if obj in known:
        return known[obj]
    made = obj
    match obj:
        case Fun(dom, cod):
            taken = yield _represented(dom, function, known)
            given = yield _represented(cod, function, known)
            made = function(taken, given)
        case Product():
            made = Product(*(yield from _each(obj.parts, function, known)))
        case Record(names, product):
            made = Record.of(names, Product(*(yield from _each(product.parts, function, known))))
        case Vector(item, length):
            below = yield _represented(item, function, known)
            made = Vector(below, length)
    known[obj] = made
    return made


def _each(
    parts: tuple[Object, ...], function: Represent, known: dict[Object, Object]
) -> Recursive[list[Object]]:
    made = []
    for part in parts:
        made.append((yield _represented(part, function, known)))
    return made


Opened = Callable[[Object], Iterable[Object] | None]
"""The types of the components of an object; None for a leaf."""


def parts_of(obj: Object) -> Sequence[Object] | None:
    """The types of the components of a product, a record or a vector; None for a leaf."""
    product = components(obj)
    if product is not None:
        return product.parts
    return (obj.item,) * obj.length if isinstance(obj, Vector) else None


class Layout:
    """How the values of one type lie flat; of tangents, None stands for a whole that is zero.

    >>> from combinators.objects import Int, Product, Real
    >>> layout = Layout(Product(Real, Product(Int, Real)))
    >>> layout.leaves, layout.flat((1.0, None))
    ((Real, Int, Real), [1.0, None, None])
    >>> layout.nested([1.0, 2, 3.0])
    (1.0, (2, 3.0))
    """

    def __init__(self, obj: Object, opened: Opened = components) -> None:
        """Of ``obj``, of which products and records are opened, or what ``opened`` opens."""
        self._obj, self._opened = obj, opened
        self.leaves = tuple(leaf for leaf, _ in self._walk(None))

    def flat(self, value: Any) -> list[Any]:
        """The leaves of ``value``."""
        return [part for _, part in self._walk(value)]

    def nested(self, leaves: Iterable[Any]) -> Any:
        """The value with these leaves."""
        return recurse(self._nested(self._obj, iter(leaves)))

    def _walk(self, value: Any) -> Iterator[tuple[Object, Any]]:
        todo = [(self._obj, value)]
        while todo:
            obj, part = todo.pop()
            inside = self._opened(obj)
            if inside is None:
                yield obj, part
            else:
                types = tuple(inside)
                parts = (None,) * len(types) if part is None else part
                todo.extend(reversed(list(zip(types, parts, strict=True))))

    def _nested(self, obj: Object, leaves: Iterator[Any]) -> Recursive[Any]:
        inside = self._opened(obj)
        if inside is None:
            return next(leaves)
        parts = []
        for part in inside:
            parts.append((yield self._nested(part, leaves)))
        return tuple(parts)
