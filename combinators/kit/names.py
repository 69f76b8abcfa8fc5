"""Names that are given once."""

from __future__ import annotations

from collections.abc import Iterable


class Names:
    """Names that are used once, in a trace, a translation or a text."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        """``taken`` are given already."""
        self._taken = set(taken)
        self._count: dict[str, int] = {}

    def fresh(self, wish: str) -> str:
        """``wish``, or ``wish`` with a number that makes it unique."""
        name, taken = wish, self._taken
        if name in taken:
            count = self._count.get(wish, 0)
            while name in taken:
                count += 1
                name = f"{wish}{count}"
            self._count[wish] = count
        taken.add(name)
        return name
