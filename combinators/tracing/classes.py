"""Python's classes as types: a union of dataclasses is a sum, and one that mentions itself recurs.

A sum or a recursive type knows its classes by its names (``ClassName``), so that values, tangents
and cotangents of it are instances wherever they are shown.

    @dataclass                         @dataclass
    class Leaf:                        class Node:
        value: float                       left: Tree
                                           right: Tree
    Tree = Leaf | Node

is ``μTree. [Leaf: {value: Real} | Node: {left: Tree, right: Tree}]``. Of a union its classes are
the alternatives, so a class that is met in one is no recursive type by itself.
"""

from __future__ import annotations

import sys
from collections import ChainMap
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from types import FrameType, NoneType, UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints
from weakref import WeakKeyDictionary

import numpy as np

from combinators.errors import TypeMismatch, is_passed_over
from combinators.kit.class_names import ClassName, class_of
from combinators.objects import (
    Bool,
    Fun,
    Int,
    Mu,
    MuVar,
    Object,
    Product,
    Real,
    Record,
    Sum,
    Tensor,
    Unit,
)
from combinators.spaces import SPACES
from combinators.terms import packed
from combinators.tracing.faces import Face, face_of
from combinators.type_folds import fold_type, folded, parts_inside, replaced, unfolded
from combinators.value_folds import Injected

SCALARS: dict[Any, Object] = {float: Real, int: Int, bool: Bool}
NOTHING = ClassName(NoneType, "nothing")
"""The alternative that Python's None is."""
LIST = ClassName(list, "List")


class Typed(NamedTuple):
    """What an annotation says: a type, and the containers in which its values come."""

    object: Object
    face: Face | None


class NoType(TypeMismatch):
    """An annotation that says no type of the language."""


# ---- lists and values that may be missing --------------------------------------------------------


def list_of(item: Object) -> Mu:
    """The lists of ``item``, which Python's lists are; ``item`` stands inside the list's ``Mu``."""
    return Mu(LIST, Sum(nil=Unit, cons=Product(item, MuVar())))


def List(item: Any) -> Mu:
    """The lists of values of a type, of any length, which Python's lists are.

    >>> List(Real)
    List[Real]
    """
    return list_of(typed(item).object)


def Maybe(item: Any) -> Sum:
    """A value of a type, or nothing, which is Python's None.

    >>> Maybe(Real)
    [nothing: Unit | just: Real]
    """
    return Sum.of((NOTHING, "just"), Product(Unit, typed(item).object))


def is_list(obj: Object) -> bool:
    """Whether the values of a type are Python's lists."""
    return isinstance(obj, Mu) and obj.name == LIST


def item_of(obj: Object) -> Object:
    """The type of the items of a list."""
    cells = unfolded(obj) if isinstance(obj, Mu) else obj
    assert isinstance(cells, Sum)
    cons = cells.parts[1]
    assert isinstance(cons, Product)
    return cons.parts[0]


# ---- from annotations ----------------------------------------------------------------------------

_HINTS: WeakKeyDictionary[type, dict[str, Any]] = WeakKeyDictionary()


def typed(hint: Any) -> Typed:
    """The type that an annotation says; ``NoType`` where it says none."""
    try:
        return _typed(hint, KNOWN)
    except NoType:
        raise
    except TypeError:
        raise _no_type(hint) from None


def _no_type(hint: Any) -> NoType:
    return NoType(
        f"{hint!r} is no type of the language; write an object, as in fun(f, Real), a "
        "dataclass, a NamedTuple, a union of dataclasses, list[…], tuple[…], float, int or bool"
    )


def with_sums(hint: Any) -> Typed | None:
    """What an annotation says that holds sums, or recurs, which values alone do not tell."""
    is_product = _is_data(hint) or _is_named_tuple(hint) or get_origin(hint) is tuple
    if not isinstance(hint, Object) and not is_product:
        return typed(hint) if is_union(hint) or get_origin(hint) is list else None
    with suppress(NoType):
        said = typed(hint)
        return said if holds_sum(said.object) else None
    return None


def holds_sum(obj: Object) -> bool:
    """Whether values of a type hold values of sums or of recursive types."""

    def at(part: Object, below: list[bool]) -> bool:
        return isinstance(part, Sum | Mu) or any(below)

    return fold_type(obj, at, parts_inside, "sums_")


def is_union(hint: Any) -> bool:
    """Whether an annotation is a union."""
    return isinstance(hint, UnionType) or get_origin(hint) is Union


def _is_data(hint: Any) -> bool:
    return isinstance(hint, type) and is_dataclass(hint)


def _is_named_tuple(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, tuple) and hasattr(hint, "_fields")


Outer = ChainMap[Any, Typed]
"""Dataclasses, and unions by their members in order, known or standing for what is being read."""
KNOWN: Outer = ChainMap({})


def _typed(hint: Any, outer: Outer) -> Typed:
    if isinstance(hint, Object):
        return Typed(hint, face_of(hint))
    args, origin = get_args(hint), get_origin(hint)
    key = args if is_union(hint) else hint  # two unions are equal in whatever order they are
    if key in outer:
        return outer[key]
    if hint in SCALARS:
        return Typed(SCALARS[hint], None)
    if hint is None or hint is NoneType:
        return Typed(Unit, Face(NoneType, (), ()))
    if isinstance(hint, type) and issubclass(hint, np.generic):
        return Typed(Tensor((), hint), None)
    if origin is tuple and Ellipsis not in args:
        parts = [_typed(arg, outer) for arg in args]
        face = Face(tuple, (), tuple(part.face for part in parts))
        return Typed(Product(*(part.object for part in parts)), face)
    if origin is list:
        return Typed(list_of(_item(args[0], outer)), None)
    if origin is Callable and len(args) == 2 and isinstance(args[0], list):
        taken = packed(tuple([_typed(arg, outer).object for arg in args[0]]))
        return Typed(Fun(taken, _typed(args[1], outer).object), None)
    if is_union(hint) and len(args) == 2 and NoneType in args:
        (just,) = [arg for arg in args if arg is not NoneType]
        return Typed(Sum.of((NOTHING, "just"), Product(Unit, _item(just, outer))), None)
    if _is_named_tuple(hint):
        return _record(hint, outer)
    if not is_union(hint) and not _is_data(hint):
        raise _no_type(hint)
    here = Mu(str(len(outer.maps)), Unit)
    inner = outer.new_child({key: Typed(here, None)})
    made = (_union if is_union(hint) else _record)(hint, inner)
    obj = folded(_name(hint), made.object, here)
    inner[key] = made if obj is made.object else Typed(obj, None)
    for one, found in inner.maps[0].items():  # those that mention one another are one type
        outer[one] = Typed(replaced(found.object, lambda _: (here, obj)), found.face)
    return outer[key]


def _item(hint: Any, outer: Outer) -> Object:
    """The item of a list: a dataclass is a sum of one alternative, so that it is known."""
    made = _typed(hint, outer)
    if _is_data(hint) and made.face is not None:
        return Sum.of((ClassName(hint),), Product(made.object))
    return made.object


def _union(hint: Any, outer: Outer) -> Typed:
    members = get_args(hint)
    parts = [(_record if _is_data(one) else _typed)(one, outer).object for one in members]
    names = [NOTHING if one is NoneType else _called(one) for one in members]
    return Typed(Sum.of(tuple(names), Product(*parts)), None)


def _called(member: Any) -> str:
    if _is_data(member):
        return ClassName(member)
    return getattr(member, "__name__", repr(member))


def _record(cls: type, outer: Outer) -> Typed:
    """The fields of a dataclass, as those of an instance are laid out; a type of the user's."""
    if cls in SPACES:
        return Typed(SPACES[cls].example, None)
    hints, parts = hints_of(cls), []
    names = tuple(field.name for field in fields(cls)) if _is_data(cls) else tuple(hints)
    for name in names:
        try:
            parts.append(_typed(hints[name], outer))
        except NoType as error:
            raise NoType(f"{cls.__name__}.{name}: {error.args[0]}") from None
    product = Product(*(part.object for part in parts))
    face = Face(cls, names, tuple(part.face for part in parts))
    return Typed(Record.of(names, product) if names else product, face)


def _name(hint: Any) -> str:
    """What a recursive type is called: a union as its classes write it, or by theirs."""
    if not is_union(hint):
        return ClassName(hint)
    for member in filter(_is_data, get_args(hint)):
        for field, said in hints_of(member).items():
            written = member.__annotations__.get(field)
            if said == hint and isinstance(written, str) and written.strip("'\"").isidentifier():
                return written.strip("'\"")
    return "|".join(map(_called, get_args(hint)))


def hints_of(cls: type) -> dict[str, Any]:
    """The annotations of a dataclass, its forward references resolved."""
    found = _HINTS.get(cls)
    if found is None:
        found = _HINTS[cls] = hints(cls)
    return found


def hints(of: Any) -> dict[str, Any]:
    """Annotations; names that are not in its module are those that stand where it is used."""
    try:
        return get_type_hints(of)
    except NameError:
        pass
    around: dict[str, Any] = {}
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not is_passed_over(frame):
            around = {**frame.f_globals, **frame.f_locals, **around}
        frame = frame.f_back
    try:
        return get_type_hints(of, localns=around)
    except NameError as error:
        raise NoType(f"the annotations of {of.__name__} name what is not there: {error}") from None


# ---- alternatives --------------------------------------------------------------------------------


def face_of_alternative(obj: Sum, index: int) -> Face | None:
    """The containers in which the values of an alternative come."""
    cls, part = class_of(obj.names[index] if obj.names else None), obj.parts[index]
    if cls is not None and is_dataclass(cls) and not isinstance(part, Mu):
        return _record(cls, KNOWN).face
    return face_of(part)


def face_of_recursive(obj: Mu) -> Face | None:
    """The containers of a recursive type that is one class."""
    cls = class_of(obj.name)
    return None if cls is None or not is_dataclass(cls) else _record(cls, KNOWN).face


def alternative(obj: Sum, value: Any) -> tuple[int, Any]:
    """Which alternative of a sum a value of Python's is, and what it holds.

    An instance is that of its class, and None is nothing; any other is the one alternative that is
    of no class.
    """
    names = obj.names or ()
    if type(value) is Injected and (isinstance(value.tag, int) or value.tag in names):
        return obj.index(value.tag), value.value
    kinds = [class_of(name) for name in names]
    for index, kind in enumerate(kinds):
        if kind is type(value) and (kind is NoneType or is_dataclass(kind)):
            return index, () if kind is NoneType else value
    others = [index for index, kind in enumerate(kinds) if kind is None]
    known = any(kind is not None for kind in kinds)
    if known and len(others) == 1 and value is not None:
        return others[0], value
    raise TypeMismatch(
        f"{value!r:.60} is no value of {obj!r}; "
        + (f"it is one of {_list(names)}" if known else "make one with inject, inl or inr")
    )


def _list(names: Sequence[str]) -> str:
    return " or ".join("None" if name == NOTHING else name for name in names)


def rows_of(value: Any) -> Sequence[Any] | None:
    """The items of a list of Python's, or of an array; None of what is none."""
    if isinstance(value, list | tuple) and type(value) is not Injected:
        return value
    return list(value) if isinstance(value, np.ndarray) and value.ndim else None
