"""Values of sums and of lists, made in Python: ``inject``, ``inl``, ``inr``, ``cons`` and ``nil``.

An instance of a class is of every union of it, a list of Python's of a list's type, None of
nothing: they become one where a value of that type is expected. Of ``inl(x)`` alone a part of its
type is known, the left; the rest yields to the type that it meets, as a number of Python's does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from combinators.errors import MissingAttribute, TypeMismatch
from combinators.objects import Mu, Object, Sum, Tagged, Unit
from combinators.operation import Operation, Primitive
from combinators.primitives.sums import INJECT, ROLL, TAG
from combinators.terms import Term, Tuple
from combinators.tracing.classes import (
    List,
    alternative,
    face_of_alternative,
    face_of_recursive,
    is_list,
    item_of,
    rows_of,
    typed,
)
from combinators.tracing.definition import RECURRING
from combinators.tracing.emit import emit, emit_operation, operand, scope_here, unpack
from combinators.tracing.faces import object_of, open_up, take_apart
from combinators.tracing.functions import PARTIAL, Natural, coerce, natural
from combinators.tracing.joins import UNKNOWN, check_known, is_unknown, stand_in
from combinators.tracing.refusals import instead
from combinators.tracing.traced import LIBRARY, Traced, library
from combinators.type_folds import unfolded
from combinators.value_folds import Injected

# ---- sums of which a part is known ---------------------------------------------------------------


class Nil(tuple[()]):
    """The empty list, of any type."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "nil"


nil = Nil()


def _partial(value: Injected) -> Object:
    """The sum of which a value of ``inl`` or ``inr`` is."""
    if not isinstance(value.tag, int):
        raise TypeMismatch(f"of which sum {value!r:.60} is, nothing says; write inject(sum, …)")
    opened = open_up(value.value)
    inside = Unit if opened is not None and not opened[2] else natural_object(value.value)
    parts: list[Object] = [UNKNOWN] * max(2, value.tag + 1)
    parts[value.tag] = inside
    return Sum(*parts)


def natural_object(value: Any) -> Object:
    """The type of a value by itself."""
    face, leaves = take_apart(value)
    return object_of(face, iter([natural(leaf).type for leaf in leaves]))


PARTIAL[Injected] = _partial
PARTIAL[Nil] = lambda _: List(UNKNOWN)


# ---- injections ----------------------------------------------------------------------------------


def inl(x: Any) -> Any:
    """The left alternative of a sum of two, which what it is given to says."""
    return Injected(0, x)


def inr(x: Any) -> Any:
    """The right alternative of a sum of two, which what it is given to says."""
    return Injected(1, x)


def inject(of: Any, alternative: Any, *x: Any) -> Any:
    """The value of the sum ``of`` that is its ``alternative``, said by place or name, with ``x``.

    Of a union of classes ``inject(Circle | Square, Circle(r))`` says it all, and of nothing, ``x``
    is left out.
    """
    obj, value = typed(of).object, injected(of, alternative, *x)
    scope_here()
    with _naming(f"inject makes a {obj!r}"):
        return _traced(as_sum(value, obj))


def injected(of: Any, alternative: Any, *x: Any) -> Any:
    """What ``inject`` makes a value of, as Python has it."""
    obj = typed(of).object
    if not isinstance(obj, Sum | Mu):
        raise TypeMismatch(f"inject makes a value of a sum, and {obj!r} is none")
    if not isinstance(alternative, int | str):
        return alternative
    cells = unfolded(obj)
    if not isinstance(cells, Sum):
        raise TypeMismatch(f"{obj!r} has no alternatives")
    return Injected(cells.index(alternative), x[0] if len(x) == 1 else x)


def cons(head: Any, tail: Any) -> Any:
    """The list of ``head`` and then the items of ``tail``."""
    scope_here()
    known = tail.type if isinstance(tail, Traced) else None
    if known is None:
        known = List(natural_object(head))
    if not isinstance(known, Mu) or not is_list(known):
        raise TypeMismatch(f"cons puts an item before a list, and this is {known!r}")
    if item_of(known) is UNKNOWN:  # a loop that starts from nil asks what it becomes
        return stand_in(Natural(List(natural_object(head)), weak=False))
    with _naming(f"cons makes a {known!r}, whose items are of one type"):
        return _traced(_cell(head, as_sum(tail, known), known))


@contextmanager
def _naming(what: str) -> Iterator[None]:
    """Errors about types begin with ``what``."""
    try:
        yield
    except TypeMismatch as error:
        raise TypeMismatch(f"{what}: {error.message}", error.place) from None


def _applied(primitive: Primitive, term: Term, **said: Any) -> Term:
    return operand(emit_operation(Operation(primitive, tuple(said.items())), (term,)))


def _traced(term: Term) -> Any:
    return Traced(term, scope_here())  # type: ignore[arg-type]  # a variable, being an operation's


def _cell(head: Any, tail: Term, obj: Mu) -> Term:
    """The list of type ``obj`` of an item and the rest."""
    cells = unfolded(obj)
    pair = operand(emit(Tuple((coerce(head, item_of(obj)), tail)), "cell"))
    return _applied(ROLL, _applied(INJECT, pair, of=cells, index=1), of=obj)


@library("as_sum", word=False)
def as_sum(value: Any, obj: Object) -> Term:
    """A value as an operand of a sum or a recursive type: an instance, a list or a traced one."""
    if isinstance(value, Traced) and value.type is obj:
        return operand(value)
    if is_unknown(obj) and RECURRING.get():
        return operand(stand_in(Natural(obj, weak=False)))
    check_known(obj)
    if isinstance(value, Traced) and is_unknown(value.type):
        return operand(stand_in(Natural(obj, weak=False)))
    tangent = LIBRARY["as_tangent"](value, obj) if isinstance(value, Traced) else None
    if tangent is not None:
        return operand(tangent)
    if value is None and isinstance(unfolded(obj), Tagged):
        return operand(LIBRARY["zeros_of_type"](obj))
    if isinstance(obj, Mu):
        inner = unfolded(obj)
        if is_list(obj) and not isinstance(value, Traced):
            return _list(value, obj)
        if isinstance(value, Traced) and value.type is inner:
            return _applied(ROLL, operand(value), of=obj)
        if isinstance(value, Traced) and isinstance(value.type, Mu):
            raise TypeMismatch(f"{obj!r} was expected here, and this is {value.type!r}")
        return _applied(ROLL, coerce(value, inner), of=obj)
    assert isinstance(obj, Sum)
    if isinstance(value, Traced) and isinstance(value.type, Sum | Mu):
        return _wider(value, obj)
    index, inside = alternative(obj, value)
    made = TAG if isinstance(obj, Tagged) else INJECT
    return _applied(made, coerce(inside, obj.parts[index]), of=obj, index=index)


def _list(value: Any, obj: Mu) -> Term:
    """A list of Python's, cell by cell from its end."""
    rows = rows_of(value)
    if rows is None:
        raise TypeMismatch(f"{obj!r} was expected here, and this is {value!r:.60}")
    made = _applied(ROLL, _applied(INJECT, Tuple(()), of=unfolded(obj), index=0), of=obj)
    for row in reversed(rows):
        made = _cell(row, made, obj)
    return made


def _wider(value: Traced, obj: Sum) -> Term:
    """A value of one sum as one of another, which has its alternatives by name."""
    given = value.type
    inner = unfolded(given)
    if inner is obj:
        return operand(LIBRARY["unroll"](value))
    names = inner.names if isinstance(inner, Sum) else None
    if names is None or obj.names is None or not set(names) <= set(obj.names):
        raise TypeMismatch(f"{obj!r} was expected here, and this is {given!r}")
    places = [obj.names.index(name) for name in names]

    def into(index: int) -> Callable[[Any], Any]:
        return lambda x: _traced(_applied(INJECT, coerce(x, obj.parts[index]), of=obj, index=index))

    made: Any = LIBRARY["case"](value, *map(into, places))
    return operand(made)


@library("field", word=False)
def field(value: Traced, name: str) -> Any:
    """``x.name`` of a value that is an instance of one class."""
    obj: Object = value.type
    inner = unfolded(obj)
    whole = LIBRARY["unroll"](value) if isinstance(obj, Mu) else value
    if isinstance(inner, Sum) and len(inner.parts) == 1:
        whole, face = LIBRARY["payload"](whole, 0), face_of_alternative(inner, 0)
    else:
        face = face_of_recursive(obj) if isinstance(obj, Mu) else None
    if face is None or name not in face.keys:
        raise MissingAttribute(f"{value!r} has no {name} by itself; {instead(obj)}")
    return getattr(unpack(face, whole), name)
