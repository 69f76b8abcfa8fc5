"""Python's cycle collector, paused while many objects are made that live on.

Translating a long program makes a million small objects, none of them in a cycle; the collector
would walk them all again and again and find nothing. Reference counting goes on.

>>> with uncollected():
...     gc.isenabled()
False
>>> gc.isenabled()
True
"""

from __future__ import annotations

import gc
from types import TracebackType


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
            gc.enable()
