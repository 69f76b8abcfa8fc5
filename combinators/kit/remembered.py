"""What was made of a value, remembered by the value's identity for as long as it lives."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Remembered(Generic[K, V]):
    """``of(key, make)`` calls ``make`` once for each key; a key that is gone is forgotten.

    Keys are told apart by identity, so that a long term or arrow need not be hashed.
    """

    def __init__(self) -> None:
        """Nothing is remembered yet."""
        self._held: dict[int, tuple[weakref.ref[K], V]] = {}

    def of(self, key: K, make: Callable[[], V]) -> V:
        """What ``make`` gave for ``key``."""
        held = self._held.get(id(key))
        if held is None:
            held = self._held[id(key)] = weakref.ref(key, self._forget(id(key))), make()
        return held[1]

    def _forget(self, number: int) -> Callable[[Any], None]:
        return lambda _: self._held.pop(number, None) and None

    def __len__(self) -> int:
        """How many keys are remembered."""
        return len(self._held)
