"""Values of sums, lists and recursive types: as Python has them, and as programs take them.

A value of a sum is, for a program, a tag and what its alternative holds; a list is its cells:

    Circle(2.0)       (0, (2.0,))              [1.0, 2.0]    (1, (1.0, (1, (2.0, (0, ())))))

Both ways are iterative: a list may be long, and a tree deep.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from combinators.errors import TypeMismatch
from combinators.kit.class_names import class_of
from combinators.kit.recursion import Recursive, recurse
from combinators.objects import (
    Erased,
    Fun,
    Mu,
    Object,
    Sum,
    Tagged,
    Tensor,
    Unit,
    Vector,
    components,
)
from combinators.tracing.classes import (
    alternative,
    face_of_alternative,
    face_of_recursive,
    is_list,
    item_of,
    rows_of,
)
from combinators.tracing.faces import Face, face_of, open_up
from combinators.type_folds import fold_type, parts_inside, unfolded
from combinators.value_folds import Injected

Leaf = Callable[[Any, Object], Any]
Opened = Callable[[Object, Any], tuple[Any, ...]]
NOTHING = Injected(0, ())


def parts_of_value(_: Object, value: Any) -> tuple[Any, ...]:
    """The components of a container of Python's."""
    opened = open_up(value)
    return () if opened is None else opened[2]


def is_of_data(obj: Object) -> bool:
    """Whether a type is of tensors, in products, sums and recursive types."""

    def at(part: Object, below: list[bool]) -> bool:
        return all(below) and not isinstance(part, Fun | Vector | Erased)

    return fold_type(obj, at, parts_inside, "data_")


def program_value(value: Any, obj: Object, leaf: Leaf, opened: Opened = parts_of_value) -> Any:
    """A value of Python's as a program takes it, whose leaves are ``leaf`` of its own.

    ``opened`` gives the parts of a product; it raises where the value does not mirror it.
    """

    def at(value: Any, obj: Object) -> Recursive[Any]:
        if isinstance(obj, Mu) and is_list(obj):
            rows, item = rows_of(value), item_of(obj)
            if rows is None:
                raise TypeMismatch(f"a list was expected here, {obj!r}, and this is {value!r:.60}")
            cells = NOTHING
            for row in reversed(rows):
                part = leaf(row, item) if isinstance(item, Tensor) else (yield at(row, item))
                cells = Injected(1, (part, cells))
            return cells
        if isinstance(obj, Mu):
            obj = unfolded(obj)
        if isinstance(obj, Sum):
            if value is None and isinstance(obj, Tagged):
                return None
            index, inside = alternative(obj, value)
            return Injected(index, (yield at(inside, obj.parts[index])))
        product = components(obj)
        if product is None:
            return leaf(value, obj)
        parts = []
        for part, below in zip(opened(obj, value), product.parts, strict=True):
            parts.append((yield at(part, below)))
        return tuple(parts)

    return recurse(at(value, obj))


def python_value(value: Any, obj: Object, leaf: Leaf, face: Face | None = None) -> Any:
    """What a program gives as Python has it; zero in the tangents of a sum is None."""

    def at(value: Any, obj: Object, face: Face | None) -> Recursive[Any]:
        if isinstance(obj, Mu) and is_list(obj):
            items, item = [], item_of(obj)
            while value and value[0]:
                head, value = value[1]
                is_number = isinstance(item, Tensor)
                items.append(leaf(head, item) if is_number else (yield at(head, item, None)))
            return items
        if isinstance(obj, Mu):
            face = face_of_recursive(obj)
            obj = unfolded(obj)
        if isinstance(obj, Sum):
            if value is None:
                return None
            tag, inside = value
            made = yield at(inside, obj.parts[tag], face_of_alternative(obj, tag))
            return as_alternative(obj, tag, made)
        product = components(obj)
        if product is None:
            return leaf(value, obj)
        wears = face or face_of(obj)
        assert wears is not None
        parts = []
        for part, below, child in zip(value, product.parts, wears.children, strict=True):
            is_nothing = below is Unit and child is None  # as the tangent of an integer in a field
            parts.append(None if is_nothing else (yield at(part, below, child)))
        return wears.build(parts)

    return recurse(at(value, obj, face))


def as_alternative(obj: Sum, tag: int, inside: Any) -> Any:
    """What an alternative holds as a value of the sum: an instance, nothing, or an injection."""
    kinds = [class_of(name) for name in obj.names or ()]
    if kinds and kinds[tag] is type(None):
        return None
    if kinds and (kinds[tag] is not None or (any(kinds) and kinds.count(None) == 1)):
        return inside
    alternative: Any = obj.names[tag] if obj.names else tag
    return Injected(alternative, inside)
