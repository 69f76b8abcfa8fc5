"""Python's memory: its cycle collector paused, and what is remembered as long as a value lives.

Translating a long program makes a million small objects, none of them in a cycle; the collector
would walk them all again and again and find nothing. Reference counting goes on. When it is over,
those that live on are put among the old objects, where they would come anyway: the next collection
of the young ones would walk them all. Now and then everything is collected instead.

>>> with uncollected():
...     gc.isenabled()
False
>>> gc.isenabled()
True
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

MANY, MOST = 10_000, 1_000_000
"""So many objects are worth the trouble; after so many everything is collected."""
_made_old = 0


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the collector, and leave it as it was found. It may be nested."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            young = gc.get_count()[0]
            if young > MANY:
                _make_old(young)
            gc.enable()


def _make_old(young: int) -> None:
    """Put the young objects among the old ones, but for somebody who has frozen objects."""
    global _made_old  # noqa: PLW0603 (there is one collector)
    _made_old += young
    if _made_old > MOST:
        _made_old = 0
        gc.collect()
    elif not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()


K = TypeVar("K")
V = TypeVar("V")


class Remembered(Generic[K, V]):
    """``of(key, make)`` calls ``make`` once for each key; a key that is gone is forgotten.

    Keys are told apart by identity, so that a long term or arrow need not be hashed.
    """

    def __init__(self) -> None:
        self._held: dict[int, tuple[weakref.ref[K], V]] = {}

    def of(self, key: K, make: Callable[[], V]) -> V:
        """What ``make`` gave for ``key``."""
        number = id(key)
        held = self._held.get(number)
        if held is None:
            ref = weakref.ref(key, lambda _: self._held.pop(number, None) and None)
            held = self._held[number] = ref, make()
        return held[1]

    def __len__(self) -> int:
        return len(self._held)
