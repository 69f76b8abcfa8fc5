"""Sums of counts, along the dearest path where conditionals leave a choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping


class Tally:
    """Counts by kind; calls of unknown functions; and whether every run counts exactly this."""

    __slots__ = ("counts", "exact", "unknown")

    def __init__(self) -> None:
        """Nothing, exactly."""
        self.counts: Counter[str] = Counter()
        self.unknown = 0
        self.exact = True

    @property
    def total(self) -> int:
        """All kinds together."""
        return self.counts.total()

    def count(self, counts: Mapping[str, int], times: int = 1) -> None:
        """Add ``counts``, so many times."""
        for kind, number in counts.items():
            if number and times:
                self.counts[kind] += number * times

    def add(self, other: Tally, times: int = 1) -> None:
        """Add another tally, so many times."""
        self.count(other.counts, times)
        self.unknown += other.unknown * times
        self.exact = self.exact and (other.exact or not times)


def dearer(first: Tally, second: Tally) -> Tally:
    """The larger of two tallies, of which a run meets one."""
    chosen = Tally()
    chosen.add(second if second.total > first.total else first)
    chosen.unknown = max(first.unknown, second.unknown)
    same = first.counts == second.counts and first.unknown == second.unknown
    chosen.exact = first.exact and second.exact and same
    return chosen
