"""The types with which values stand in the program of a derivative: functions bring their own."""

from __future__ import annotations

from collections.abc import Callable

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
    is_smooth,
    remade,
    tangent_of,
)

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
