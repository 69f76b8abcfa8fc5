"""Containers: Python's tuples, lists, dicts, NamedTuples and dataclasses as products and records.

The *face* of a value is what the product does not say: which Python class each level is. A gradient
wears the face of its argument. What is no number is all face: a word, a truth, None. A program is
written for it, and has no component there.

>>> face, leaves = take_apart({"w": [1.0, 2.0], "b": 3.0})
>>> leaves
[3.0, 1.0, 2.0]
>>> put_together(face, iter([x * 10 for x in leaves]))
{'b': 30.0, 'w': [10.0, 20.0]}
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import lru_cache
from types import FunctionType
from typing import Any

import numpy as np

from combinators.errors import TooDeep, TypeMismatch
from combinators.objects import Mu, Object, Product, Record, Sum, components
from combinators.spaces import SPACES
from combinators.type_folds import columns_of, fold_type, types_within
from combinators.value_folds import Injected


@dataclass(frozen=True)
class Static:
    """A value that is no datum, though it might be one: a program is written for it."""

    value: Any


def static_value(value: Any) -> Any:
    """A value as a static one, by which programs are told apart."""
    try:
        hash(value)
    except TypeError:
        raise TypeMismatch(
            f"a static argument is hashable, and this is {value!r:.60}; give a tuple for a list, "
            "and an array as an argument that is not static"
        ) from None
    return value if isinstance(value, Static) else Static(value)


STATIC = (type(None), str, bytes, Enum, type, np.dtype)
"""The classes of values that are no numbers, and static therefore."""


@dataclass(frozen=True)
class Face:
    """The Python class of a product value, its keys, and the faces of its components.

    A returned function has one too, where what it gives wears another than the plainest: its only
    child. In a container it is a leaf.
    """

    kind: type
    keys: tuple[Any, ...]
    children: tuple[Face | None, ...]

    @property
    def is_static(self) -> bool:
        """Whether it is that of a value which is no number; the value is its only key."""
        return issubclass(self.kind, (*STATIC, bool, Static))

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the record that it is the face of; None for a product."""
        is_named = all(isinstance(key, str) for key in self.keys)
        has_names = is_named and self.kind not in (tuple, list) and not self.is_static
        return (self.keys or None) if has_names else None

    @property
    def is_function(self) -> bool:
        """Whether it is that of a function."""
        return self.kind is FunctionType

    @property
    def is_plain(self) -> bool:
        """Whether it is of tuples only."""
        return self.kind is tuple and all(f is None or f.is_plain for f in self.children)

    def build(self, parts: list[Any]) -> Any:
        """The container that holds ``parts``."""
        kind: Any = self.kind
        if kind in (tuple, list):
            return kind(parts)
        if self.is_static:
            return self.keys[0] if self.keys else None
        if issubclass(kind, tuple):
            return kind(*parts)
        named = dict(zip(self.keys, parts, strict=True))
        if issubclass(kind, dict):
            return named
        if getattr(kind, "is_container", False):
            return kind(named)
        if _is_made_of_fields(kind):
            return kind(**named)
        whole = object.__new__(kind)
        for key, part in named.items():
            object.__setattr__(whole, key, part)
        return whole

    def word(self, index: int) -> str:
        """The component ``index`` as a word in a name."""
        key = str(self.keys[index]) if self.keys else ""
        return key if key.isidentifier() else str(index)

    def path(self, index: int) -> str:
        """How Python writes the component ``index``."""
        if issubclass(self.kind, dict):
            return f"[{self.keys[index]!r}]"
        return f".{self.keys[index]}" if self.keys else f"[{index}]"


@lru_cache(maxsize=1 << 10)
def _is_made_of_fields(kind: Any) -> bool:
    return is_dataclass(kind) and all(field.init for field in fields(kind))


def open_up(
    value: Any, *, truths: bool = False
) -> tuple[Any, tuple[Any, ...], tuple[Any, ...]] | None:
    """The class, the keys and the components of a container; None for a leaf.

    What is static has a key alone, itself; so have Python's ``truths``, if they are to be static.
    """
    kind = type(value)
    if kind in (tuple, list):
        return kind, (), tuple(value)
    if isinstance(value, STATIC) or (truths and kind is bool):
        return kind, (value,), ()
    if kind is Static:
        return kind, (value.value, type(value.value)), ()  # 1 is no True
    if isinstance(value, tuple) and hasattr(kind, "_fields") and kind is not Injected:
        return kind, tuple(kind._fields), tuple(value)
    if kind is dict or getattr(kind, "is_container", False):
        keys = tuple(value)
        with suppress(TypeError):  # they have no order
            keys = tuple(sorted(value))
        return kind, keys, tuple(value[key] for key in keys)
    if is_dataclass(value) and not isinstance(value, type) and kind not in SPACES:
        keys = tuple(f.name for f in fields(value))
        parts = tuple(getattr(value, key) for key in keys)
        if callable(value) and not parts:
            return None
        return kind, keys, parts
    return None


def take_apart(value: Any, *, truths: bool = False) -> tuple[Face | None, list[Any]]:
    """The face of ``value`` and its leaves, in order."""
    leaves: list[Any] = []
    try:
        return _take_apart(value, leaves, truths), leaves
    except RecursionError:
        raise TooDeep(
            f"containers stand inside one another deeper than Python's stack allows, in a "
            f"{type(value).__name__}; keep what is nested in a flat list, or fold over it"
        ) from None


def _take_apart(value: Any, leaves: list[Any], truths: bool) -> Face | None:
    opened = open_up(value, truths=truths)
    if opened is None:
        leaves.append(value)
        return None
    kind, keys, parts = opened
    return Face(kind, keys, tuple([_take_apart(part, leaves, truths) for part in parts]))


def laid(value: Any, face: Face | None, types: Iterator[Object]) -> list[Any] | None:
    """The leaves of a value in containers built as these, of ``types``; None of one in others.

    What is of a sum is a leaf, be it a container or not.
    """
    opened = open_up(value)
    if face is None or face.is_function:
        is_leaf = opened is None or isinstance(value, STATIC)
        return [value] if isinstance(next(types), Sum | Mu) or is_leaf else None
    if opened is None or len(opened[2]) != len(face.children):
        return None
    if Face(opened[0], opened[1], face.children).names != face.names:
        return None
    found = [laid(part, child, types) for part, child in zip(opened[2], face.children, strict=True)]
    return None if None in found else [leaf for part in found for leaf in part or ()]


def leaf_types(face: Face | None, obj: Object) -> list[Object]:
    """The types of the leaves of a value of type ``obj`` in these containers."""
    product = components(obj)
    if face is None or face.is_function or product is None:
        return [obj]
    each = zip(face.children, product.parts, strict=True)
    return [leaf for child, part in each for leaf in leaf_types(child, part)]


def put_together(face: Face | None, leaves: Iterator[Any]) -> Any:
    """The value with this face and these leaves."""
    if face is None or face.is_function:
        return next(leaves)
    return face.build([put_together(child, leaves) for child in face.children])


def shape_of(face: Face | None) -> Any:
    """How a container is built, of which the class is no matter."""
    if face is None or face.is_function:
        return None
    return face.names, tuple(shape_of(child) for child in face.children)


def paths(face: Face | None, path: str) -> Iterator[str]:
    """How Python writes each leaf, when it writes the whole as ``path``."""
    if face is None or face.is_function:
        yield path
        return
    for index, child in enumerate(face.children):
        yield from paths(child, path + face.path(index))


def object_of(face: Face | None, types: Iterator[Object]) -> Object:
    """The object of a value with this face and leaves of these types."""
    if face is None or face.is_function:
        return next(types)
    product = Product(*(object_of(child, types) for child in face.children))
    return Record.of(face.names, product) if face.names else product


def with_functions(face: Face | None, functions: Iterator[Face | None]) -> Face | None:
    """``face`` with those of the functions among its leaves: one a leaf, in order."""
    if face is None:
        return next(functions)
    children = tuple([with_functions(child, functions) for child in face.children])
    return Face(face.kind, face.keys, children)


def face_of_function(result: Face | None, cod: Object) -> Face | None:
    """The face of a function into ``cod`` whose results wear ``result``; None where it is plain."""
    plain = face_of(cod)
    return None if result == plain or plain is None else Face(FunctionType, (), (result,))


def face_of(obj: Object) -> Face | None:
    """The plainest face of an object: a tuple, or a dict for a record; None of what is large."""
    product = components(obj)
    if product is None or is_large(obj):
        return None
    children = tuple(face_of(part) for part in product.parts)
    if isinstance(obj, Record):
        return Face(dict, obj.names, children)
    return Face(tuple, (), children)


MOST_OPENED, MOST_SHARED = 256, 16
"""So many leaves, and so many for each place of a type as it is shared, are always looked at."""


def is_large(obj: Object) -> bool:
    """Whether a product shares its parts so much that nobody should look at every leaf."""
    if not isinstance(obj, Product):
        return False
    leaves: int = fold_type(obj, lambda _, n: sum(n) or 1, lambda o: columns_of(o) or (), "leaves_")
    if leaves <= MOST_OPENED:
        return False
    return leaves > MOST_SHARED * sum(len(columns_of(part) or ()) for part in types_within(obj))
