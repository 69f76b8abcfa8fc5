"""Generators of the user's own: for points of their objects, their element types, their objects."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from hypothesis import strategies as st

from combinators.errors import TypeMismatch
from combinators.literal import Literal
from combinators.morphisms import Morphism
from combinators.objects import Fun, Object, Product, Tensor

KINDS = ("any", "data", "vector")
_POINTS: dict[Any, st.SearchStrategy[Any]] = {}


class Registration:
    """A generator that is in use; leaving it as a context, or ``remove``, ends that."""

    def __init__(self, key: Any, before: st.SearchStrategy[Any] | None) -> None:
        self._key, self._before = key, before

    def remove(self) -> None:
        """Use again what was used before."""
        if self._before is None:
            _POINTS.pop(self._key, None)
        else:
            _POINTS[self._key] = self._before

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def register(what: Any, strategy: st.SearchStrategy[Any]) -> Registration:
    """What ``strategy`` gives is used from now on, or within a ``with``.

    ========================  =====================================================
    ``what``                  what ``strategy`` gives
    ========================  =====================================================
    an object, or its class   its points: numbers or arrays, or global elements ``1 → A``
    an element type           the numbers of its tensors: ``"float32"``, ``np.int8``
    ``"any"``, ``"data"``,    further objects of the kind, besides a model's own
    ``"vector"``
    ========================  =====================================================

    Raises TypeMismatch for anything else.

    >>> from combinators.objects import Real
    >>> with register(Real, st.just(7.0)):
    ...     points_at(Real)
    just(7.0)
    """
    if not isinstance(strategy, st.SearchStrategy):
        raise TypeMismatch(
            f"what is registered is a strategy, as st.just({strategy!r:.60}), and not a value"
        )
    key = _key(what)
    registration = Registration(key, _POINTS.get(key))
    _POINTS[key] = strategy
    return registration


def points_at(obj: Object) -> st.SearchStrategy[Any] | None:
    """The generator of points that was registered for an object or its class."""
    if not _POINTS:
        return None
    found = _POINTS.get(obj)
    return _POINTS.get(type(obj)) if found is None else found


def as_element(point: Any, obj: Object) -> Any:
    """What a registered generator gave: a global element, or what a tensor's constant is of."""
    if isinstance(point, (Literal, Morphism)) or not isinstance(obj, (Tensor, Fun, Product)):
        return point
    try:
        made = Literal(point, obj.dtype) if isinstance(obj, Tensor) else None
    except (TypeError, ValueError):
        made = None
    if made is None or made.type is not obj:
        raise TypeMismatch(
            f"the generator that is registered for {obj!r} gave {point!r:.60}, which is no point "
            "of it: a point is a global element, of a tensor a number or an array of its shape, too"
        )
    return made


def numbers_of(obj: Tensor) -> st.SearchStrategy[Any] | None:
    """The generator of elements that was registered for a tensor's type."""
    return _POINTS.get(obj.dtype) if _POINTS else None


def objects_of(kind: str) -> list[st.SearchStrategy[Object]]:
    """The generators of objects that were registered for a kind; every vector is data, too."""
    within = KINDS[KINDS.index(kind) :]
    return [_POINTS[name] for name in within if name in _POINTS] if _POINTS else []


def _key(what: Any) -> Any:
    if isinstance(what, Object) or what in KINDS:
        return what
    if isinstance(what, type) and issubclass(what, Object):
        return what
    try:
        return np.dtype(what).name
    except TypeError:
        raise TypeMismatch(
            f"generators are registered for objects, classes of them, element types and the kinds "
            f"{', '.join(KINDS)}, not for {what!r:.60}"
        ) from None
