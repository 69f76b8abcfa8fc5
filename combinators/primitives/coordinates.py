"""``coordinates`` and ``point``: to the coordinates of a type of the user's, and back.

At run time both are the identity; all there is to them is their derivatives, as declared.
"""

from __future__ import annotations

import operator
from functools import cache
from typing import Any

from combinators.errors import MissingRule, TypeMismatch
from combinators.objects import Object
from combinators.operation import Operation, Pair, declare, free
from combinators.spaces import Declared, Space, declared_of
from combinators.terms import Lam, Term, Var
from combinators.tracing.emit import emit_operation, operand, whole_of
from combinators.tracing.functions import Draft, natural
from combinators.tracing.scope import apart
from combinators.tracing.traced import LIBRARY, Traced, library


def _coordinates(x: Object) -> Object:
    if not isinstance(x, Space):
        raise TypeMismatch(f"coordinates are of a type with a tangent space of its own, not {x!r}")
    return x.coordinates


def _point(x: Object, of: Space) -> Object:
    if x is not of.coordinates:
        raise TypeMismatch(f"the coordinates of {of!r} are {of.coordinates!r}, and not {x!r}")
    return of


def _smooth(declared: Declared) -> Declared:
    if declared.plus is not None:
        raise MissingRule(
            f"{declared.kind.__name__} is added by a plus of its own, and so no derivative follows "
            "from its coordinates; say move= and leave= too where its space is declared, and take "
            "no second derivative"
        )
    return declared


def _of(x: Any) -> Declared:
    return _smooth(declared_of(type(x)))


COORDINATES = declare(
    "coordinates",
    _coordinates,
    Pair((lambda v, x, y: _of(x).move(x, v),), lambda g, x, y: (_of(x).arrive(x, g),)),
    cost=free,
)
POINT = declare(
    "point",
    _point,
    Pair(
        (lambda v, x, y, of: _smooth(of.declared).project(y, v),),
        lambda w, x, y, of: (_smooth(of.declared).leave(y, w),),
    ),
    cost=free,
)


def pointing(of: Space) -> Operation:
    """``point``, into a type."""
    return Operation(POINT, (("of", of),))


@library("coordinates")
def coordinates(x: Any) -> Any:
    """The coordinates of a value of a type that has a tangent space of its own, as one array."""
    if isinstance(x, Traced):
        return emit_operation(COORDINATES.plain, (operand(x),))
    whole = _whole(x)
    if whole is not None:
        return emit_operation(COORDINATES.plain, (whole,))
    declared, obj = declared_of(type(x)), natural(x).type
    parts = declared.parts(x)
    array = parts[0] if declared.is_family else LIBRARY["stack"](list(parts))
    assert isinstance(obj, Space)
    same = natural(array).type is obj.coordinates
    return array if same else LIBRARY["astype"](array, obj.coordinates.dtype)


def _whole(x: Any) -> Var | None:
    """The value of which the fields of ``x`` are all the coordinates: what is only passed on."""
    whole = whole_of([operand(part) for part in declared_of(type(x)).parts(x)])
    return whole if whole is not None and isinstance(whole.type, Space) else None


@library("term_of_value", word=False)
def term_of_value(x: Any) -> Term:
    """A value of a declared class as an operand."""
    obj = natural(x).type
    assert isinstance(obj, Space)
    found: Term = _whole(x) or operand(emit_operation(pointing(obj), (operand(coordinates(x)),)))
    return found


@library("value_of", word=False)
def value_of(declared: Declared, array: Any, whole: Var | None = None) -> Any:
    """The value of a declared class with these coordinates, in a trace; of ``whole`` if given."""
    count = len(declared.keys)
    parts = (array,) if declared.is_family else tuple(array[i] for i in range(count))
    for index, part in enumerate(parts if whole is not None else ()):
        part.scope.parts[part.variable.name] = (whole, index)
    return declared.value(parts)


@cache
def plus_of(obj: Space) -> Lam:
    """``λ(a, b). a + b``, as it is declared of a type of the user's."""
    with apart():
        plus = obj.declared.plus or operator.add
        return Draft(plus, (obj, obj), (None, None), "plus").finish([obj]).lam
