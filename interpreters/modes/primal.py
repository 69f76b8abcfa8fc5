"""The primal mode: what a program computes."""

from __future__ import annotations

from typing import Any

from interpreters.execution.machine import Arrow
from interpreters.execution.running import Running


class Primal(Running):
    """Arrows are functions of the carrier's numbers."""

    def value(self, arrow: Arrow, argument: Any) -> Any:
        """What ``arrow`` gives at ``argument``."""
        return arrow.run(argument)
