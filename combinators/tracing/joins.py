"""What values have together that are to be one: those of branches, or of a step and the next.

They come in one kind of container, and each leaf has one type, to which others yield:

    2 and x : Real                  Real
    inl(x) and inr(True)            Real + Bool
    nil and cons(x, nil)            List(Real)
    Circle(x) and Square(x)         [Circle: {r: Real} | Square: {a: Real}]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import is_dataclass
from functools import reduce
from itertools import repeat
from operator import or_
from typing import Any

import numpy as np

from combinators.errors import TypeMismatch
from combinators.kit.class_names import class_of
from combinators.objects import Mu, Object, Product, Sum, Tensor
from combinators.terms import const
from combinators.tracing.classes import List, is_list, item_of, typed
from combinators.tracing.emit import emit, scope_here, unpack
from combinators.tracing.faces import Face, open_up, put_together, shape_of
from combinators.tracing.functions import Laid, Natural, natural
from combinators.tracing.traced import Traced
from combinators.type_folds import fold_type, unfolded


class Unknown(Object):
    """The type of an alternative that nothing said yet."""


UNKNOWN = Unknown._intern()


def check_known(obj: Object) -> None:
    """Raise where a part of a type is not known, and nothing will say it."""
    if not is_unknown(obj):
        return
    how = "inject(list[float], nil)" if is_list(obj) else "inject(Sum(Real, Int), …)"
    raise TypeMismatch(
        f"of {obj!r} not everything is known here; annotate what the function gives, as in "
        f"-> list[float], or say the type, as in {how}"
    )


def is_unknown(obj: Object) -> bool:
    """Whether a part of a type is not known yet."""
    return fold_type(obj, lambda part, below: part is UNKNOWN or any(below), key="unknown_")


def stand_in(leaf: Natural) -> Any:
    """A value of which only the type is asked, in a trace that is dropped."""
    if isinstance(leaf.type, Tensor):  # of a variable no derivative could be written there
        zero = np.zeros(leaf.type.shape, leaf.type.dtype)
        return zero.item() if leaf.weak else emit(const(zero))
    scope = scope_here()
    return unpack(None, Traced(scope.parameter("unknown", leaf.type), scope))


class Apart(Exception):
    """Values that were to come together are of several types: these, at this leaf of theirs."""

    def __init__(self, types: Sequence[Object], path: str = "") -> None:
        super().__init__(types, path)
        self.types, self.path = types, path


def together(values: Sequence[Laid]) -> tuple[Face | None, list[Natural]]:
    """The containers in which all of ``values`` are laid out, and the types of the leaves.

    A number of Python's yields to another's type, what is known of a sum in part to the whole, and
    instances of two classes are of the sum of both. ``Apart`` where there is no such type.
    """
    for look in (False, True):
        if look:
            for one in values:
                one.open()
        found: list[Natural] = []
        known = [put_together(one.face, iter(one.naturals)) for one in values]
        face = _together(known, found, "the carry")
        if face is not NotImplemented:
            for one in values:
                if shape_of(one.face) != shape_of(face):
                    one.lay(face, [leaf.type for leaf in found])
            return face, found
    raise Apart([one.obj for one in values])


def _together(values: Sequence[Any], found: list[Natural], path: str) -> Any:
    """The face of ``values``, where what is of a sum is a leaf; NotImplemented where none is."""
    opened = [open_up(value) for value in values]
    leaves = [natural(value) for value, one in zip(values, opened, strict=True) if one is None]
    sums = [leaf for leaf in leaves if isinstance(leaf.type, Sum | Mu)]
    if sums or len(leaves) == len(values):
        found.append(reduce(lambda x, y: joined(x, y, path), sums or leaves))
        return None
    faces = [Face(*one[:2], (None,) * len(one[2])) for one in opened if one is not None]
    if not leaves and len({shape_of(face) for face in faces}) == 1:
        columns = zip(*(one[2] for one in opened if one is not None), strict=True)
        paths = [path + faces[0].path(index) for index in range(len(faces[0].children))]
        children = [_together(*one) for one in zip(columns, repeat(found), paths, strict=False)]
        whole = Face(faces[0].kind, faces[0].keys, tuple(children))
        return NotImplemented if NotImplemented in children else whole
    classes = tuple(dict.fromkeys(face.kind for face in faces))
    if leaves or len(classes) == 1 or not all(is_dataclass(cls) for cls in classes):
        return NotImplemented
    found.append(Natural(typed(reduce(or_, classes)).object, weak=False))
    return None


def joined(x: Natural, y: Natural, path: str) -> Natural:
    """The type that two leaves have together: a weak one yields."""
    found = x.type if x.type is y.type else united(x.type, y.type)
    if found is not None:
        return Natural(found, x.weak and y.weak)
    for strong, weak in ((x, y), (y, x)):
        if isinstance(strong.type, Sum | Mu) and not isinstance(weak.type, Sum | Mu):
            return strong
        if weak.weak and isinstance(strong.type, Tensor) and strong.type.shape == ():
            if strong.weak and isinstance(weak.type, Tensor):
                dtype = np.result_type(strong.type.dtype, weak.type.dtype)
                return Natural(Tensor((), dtype), weak=True)
            return strong
    raise Apart([x.type, y.type], path)


def united(x: Object, y: Object) -> Object | None:
    """The sum that two are, of which each knows a part."""
    for a, b in ((x, y), (y, x)):
        if a is UNKNOWN:
            return b
        if isinstance(a, Mu) and unfolded(a) is b:
            return a
    if is_list(x) and is_list(y):
        whole = united(item_of(x), item_of(y))
        return whole and List(whole)
    if isinstance(x, Mu) or isinstance(y, Mu):
        a, b = (unfolded(one) if isinstance(one, Mu) else one for one in (x, y))
        whole = united(a, b)
        return next((one for one in (x, y) if isinstance(one, Mu) and unfolded(one) is whole), None)
    if not isinstance(x, Sum) or not isinstance(y, Sum):
        return None
    if x.names != y.names:
        for a, b in ((x, y), (y, x)):
            if a.names and b.names and set(b.names) <= set(a.names):
                return a
        classes = [class_of(name) for one in (x, y) for name in one.names or ()]
        known = tuple(dict.fromkeys(cls for cls in classes if cls is not None))
        return typed(reduce(or_, known)).object if len(known) > 1 and None not in classes else None
    width = max(len(x.parts), len(y.parts))
    columns = zip(*((*one.parts, *[UNKNOWN] * (width - len(one.parts))) for one in (x, y)),
                  strict=True)  # fmt: skip
    parts = [a if a is b else united(a, b) for a, b in columns]
    return Sum.of(x.names, Product(*filter(None, parts))) if None not in parts else None
