"""What the modes share whose numbers are dual: a number, and how it moves."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Protocol

from interpreters.carriers.carrier import Carrier
from interpreters.execution.running import Running
from interpreters.execution.transport import Transport


class DualCarrier(Carrier, Protocol):
    """A carrier of dual numbers, each of which has its ``primal`` in the carrier ``over``."""

    over: Carrier


class DualMode(Running):
    """Arrows run on dual numbers; in the mode ``inner`` they run on primals."""

    def __init__(self, numbers: DualCarrier, still: Callable[[Any], Any]) -> None:
        """Over the carrier ``numbers``, where ``still`` makes a number that does not move."""
        super().__init__(numbers)
        self.inner = Running(numbers.over)
        self._still = Transport(self, still)
        self._primal = Transport(self.inner, attrgetter("primal"))
