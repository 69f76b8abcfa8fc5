"""Whether a user's value stands for an object, and an error that names the path if not."""

from __future__ import annotations

from typing import Any

import numpy as np

from combinators.errors import TypeMismatch
from combinators.objects import Fun, Object, Record, Tensor, Vector, components
from combinators.tracing.emit import check_fits
from combinators.tracing.faces import Face, open_up
from combinators.tracing.functions import Natural, natural


def fits(value: Any, obj: Object, path: str) -> bool:
    """Whether ``value`` stands for an ``obj``; it raises, naming the path, where it cannot.

    A function that a program never calls stands for a Unit.
    """
    product = components(obj)
    if product is not None:
        if open_up(value) is None and callable(value) and product.width == 0:
            return False
        face, parts = opened_as(obj, value, path)
        for index, (part, below) in enumerate(zip(parts, product.parts, strict=True)):
            fits(part, below, path + face.path(index))
        return True
    if isinstance(obj, Fun):
        if not callable(value):
            raise TypeMismatch(f"{path} : {obj!r} was given {value!r:.60}")
        return True
    if isinstance(obj, Vector):
        if not isinstance(value, (tuple, list)) or len(value) != obj.length:
            raise TypeMismatch(f"{path} : {obj!r} was given {value!r:.60}")
        for index, item in enumerate(value):
            fits(item, obj.item, f"{path}[{index}]")
        return True
    return _fits_tensor(value, obj, path)


def opened_as(obj: Object, value: Any, what: str) -> tuple[Face, tuple[Any, ...]]:
    """The container ``value`` as one of type ``obj``: its face and its parts.

    It raises, naming ``what``, unless it has as many components, of the same names.
    """
    product, opened = components(obj), open_up(value)
    names = obj.names if isinstance(obj, Record) else None
    if product is not None and opened is not None and len(opened[2]) == product.width:
        face = Face(opened[0], opened[1], (None,) * product.width)
        if face.names == names:
            return face, opened[2]
    raise TypeMismatch(f"{what} : {obj!r} was given {value!r:.60}, which does not mirror it")


def _fits_tensor(value: Any, obj: Object, path: str) -> bool:
    if isinstance(obj, Tensor):
        given = natural(value)
        if given.type is not obj and not _casts(given, obj, value):
            raise TypeMismatch(f"{path} : {obj!r} was given {given.type!r}")
    return True


def _casts(given: Natural, obj: Tensor, value: Any) -> bool:
    """Whether a number or an array becomes an ``obj`` without another meaning."""
    if not isinstance(given.type, Tensor) or given.type.shape != obj.shape:
        return False
    to = np.dtype(obj.dtype)
    if given.weak and isinstance(value, int) and to.kind in "iu":
        check_fits(int(value), to)
        return to.kind != "b" or isinstance(value, bool)
    if to.kind == "f":
        return np.can_cast(given.type.dtype, to, "same_kind")
    return np.can_cast(given.type.dtype, to, "safe")
