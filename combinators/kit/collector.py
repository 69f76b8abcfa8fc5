"""Python's cycle collector, paused while many objects are made that live on.

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
from types import TracebackType

MANY, MOST = 10_000, 1_000_000
"""So many objects are worth the trouble; after so many everything is collected."""
_made_old = 0


class uncollected:  # noqa: N801 (a context manager, used as a word)
    """Pauses the collector, and leaves it as it was found. It may be nested."""

    __slots__ = ("_was",)

    def __enter__(self) -> None:
        """Pause."""
        self._was = gc.isenabled()
        gc.disable()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Go on, if it was going."""
        if self._was:
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
