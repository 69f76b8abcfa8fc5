"""The fold over values of a type inside a trace, and tangents that mirror their values by it.

The tangent of a list is zero, or that of a cell whose parts may be zero: it may end before the list
does. Mirrored at the list it is as long, and of a type in which nothing is ``Tagged``::

    x : List[Real] = [a, b, c]    g : T[List[Real]] = 2 * a, then zero    mirrored = [2 * a, 0, 0]

It is a program, written along the type: a choice at each sum, a recursive function at each
recursive type. So it has derivatives, which pass tangents on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from combinators.objects import Fun, Mu, Object, Product, Record, Sum, Tagged, Vector, components
from combinators.terms import App, Lam, Proj, Term, Tuple, pack
from combinators.tracing.cases import cond
from combinators.tracing.classes import Typed
from combinators.tracing.control import map as map_rows
from combinators.tracing.emit import emit, operand
from combinators.tracing.fixpoints import Recursive
from combinators.tracing.functions import coerce, traced
from combinators.tracing.traced import LIBRARY, Traced, library
from combinators.type_folds import built, fold_type, unfolded

Leaf = Callable[..., Any]
"""From a type and values there, to a value of the type; None where these are looked into."""


def mirror_of(obj: Object) -> Object:
    """A type of tangents as they mirror values: which alternative one is of is said of zeros, too.

    >>> from combinators.objects import MuVar, Real, Unit
    >>> mirror_of(Mu("Numbers", Tagged(nil=Unit, cons=Product(Real, MuVar()))))
    Numbers
    """

    def at(part: Object, below: list[Object]) -> Object:
        return Sum.of(part.names, Product(*below)) if isinstance(part, Sum) else built(part, below)

    return fold_type(obj, at, key="mirror_")


def along(leaf: Leaf, whole: Object, *values: Traced) -> Any:
    """The value of type ``whole`` that is ``leaf`` of what values of one form hold.

    The first of them says which alternatives they are; the others are tangents.
    """
    inside: dict[Object, Recursive] = {}

    def at(to: Object, *values: Traced) -> Any:
        made = leaf(to, *values)
        if made is not None:
            return made
        if isinstance(to, Mu):
            return recursive(to, *values)
        if isinstance(to, Sum):
            return alternative(to, 0, *values)
        if isinstance(to, Vector):
            return map_rows(partial(at, to.item), *values)
        product, parts = components(to), []
        for i, part in enumerate(product.parts if product is not None else ()):
            below = (emit(Proj(i, operand(value)), "part") for value in values)
            parts.append(coerce(at(part, *below), part))
        return emit(Tuple(tuple(parts), to.names if isinstance(to, Record) else None), "whole")

    def recursive(to: Mu, *values: Traced) -> Any:
        def mirrored(*cells: Traced) -> Any:
            return LIBRARY["rolled"](at(unfolded(to), *map(LIBRARY["unroll"], cells)), to)

        if to not in inside:
            types = tuple(value.type for value in values)
            inside[to] = Recursive(mirrored, types, returns=Typed(to, None))
        return inside[to](*values)

    def alternative(to: Sum, index: int, value: Traced, *tangents: Traced) -> Any:
        def made() -> Any:
            below = (LIBRARY["untag"](tangent, index) for tangent in tangents)
            part = at(to.parts[index], LIBRARY["payload"](value, index), *below)
            return LIBRARY["tag" if isinstance(to, Tagged) else "inject"](part, to, index)

        if index == len(to.parts) - 1:
            return made()
        test = LIBRARY["is_alternative"](value, index)
        return cond(test, made, lambda: alternative(to, index + 1, value, *tangents))

    return at(whole, *values)


def _closed(leaf: Leaf, to: Object, *types: Object) -> Lam:
    return traced(partial(along, leaf, to), types)


def _given(to: Object, *values: Traced) -> Any:
    return values[-1] if values[-1].type is to else None


_mirroring = lru_cache(maxsize=1 << 10)(partial(_closed, _given))


def mirrored(tangent: Term, value: Term) -> Term:
    """A tangent of ``value``, whose zeros are those of the alternatives that the value is."""
    to = mirror_of(tangent.type)
    if to is tangent.type:
        return tangent
    return App(_mirroring(to, value.type, tangent.type), pack((value, tangent)))


def with_functions(term: Term, to: Object, changed: Callable[[Term, Object], Term]) -> Term:
    """A value that holds functions, which are ``changed`` to those of the type ``to``."""

    def leaf(to: Object, value: Traced) -> Any:
        if value.type is to or not isinstance(value.type, Fun):
            return _given(to, value)
        return emit(changed(operand(value), to), "f", (value.variable,))

    return App(_closed(leaf, to, term.type), term)


@library("as_tangent", word=False)
def as_tangent(value: Any, obj: Object) -> Any:
    """The tangent of type ``obj`` that is mirrored as ``value``; of another type, None."""
    return along(_given, obj, value) if value.type is mirror_of(obj) else None


@library("map_within", word=False)
def map_within(leaf: Leaf, value: Traced) -> Any:
    """``value`` with ``leaf`` of what it holds: numbers and functions."""

    def at(to: Object, value: Traced) -> Any:
        inside = isinstance(to, Sum | Mu | Vector) or components(to) is not None
        return None if inside else leaf(value)

    return along(at, value.type, value)
