"""Names that are given once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


class Names:
    """Names that are used once, in a trace, a translation or a text."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        """``taken`` are given already."""
        self._taken = set(taken)
        self._count: Counter[str] = Counter()

    def fresh(self, wish: str) -> str:
        """``wish``, or ``wish`` with a number that makes it unique."""
        name = wish
        while name in self._taken:
            self._count[wish] += 1
            name = f"{wish}{self._count[wish]}"
        self._taken.add(name)
        return name
