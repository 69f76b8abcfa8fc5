"""Generators of the user's own: for points of their objects, their element types, their objects."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from hypothesis import strategies as st

from combinators.errors import TypeMismatch
from combinators.objects import Object, Tensor

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
    an object, or its class   its points: literals, or global elements ``1 → A``
    an element type           the numbers of its tensors: ``"float32"``, ``np.int8``
    ``"any"``, ``"data"``,    further objects of the kind, besides a model's own
    ``"vector"``
    ========================  =====================================================

    Raises TypeMismatch for anything else.

    >>> from combinators.literal import Literal
    >>> from combinators.objects import Real
    >>> with register(Real, st.just(Literal(7.0))):
    ...     points_at(Real)
    just(7)
    """
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
