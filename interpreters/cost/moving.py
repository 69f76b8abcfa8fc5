"""Counting what a run moves: the carrier beside ``Counting``, which counts what it computes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from combinators.objects import Object, Tensor
from combinators.operation import Operation
from interpreters.carriers.carrier import Compute
from interpreters.carriers.counting import Counting
from interpreters.cost.contents import numbers_in


class Moving(Counting):
    """A carrier that counts operations, and the numbers that operations and loops write.

    >>> from combinators.objects import Real
    >>> from combinators.operation import named
    >>> from interpreters.carriers.numpy import NumPy
    >>> carrier = Moving(NumPy())
    >>> times = carrier.operation(Operation(named("multiply")), (Tensor((3,)), Real), Tensor((3,)))
    >>> _ = times([1.0, 2.0, 3.0], 4.0)
    >>> carrier.total, carrier.moved
    (3, 3)
    """

    moved: int = 0

    def operation(self, operation: Operation, types: Sequence[Object], cod: Object) -> Compute:
        """The other's computation; it writes its result."""
        compute = super().operation(operation, types, cod)
        size = numbers_in(cod)

        def moving(*xs: Any) -> Any:
            self.moved += size
            return compute(*xs)

        return moving

    def add(self, x: Any, y: Any) -> Any:
        """The sum of two cotangents is written."""
        total = super().add(x, y)
        self.moved += math.prod(getattr(total, "shape", ()))
        return total

    def row(self, stack: Any, index: int) -> Any:
        """A row is taken."""
        found = super().row(stack, index)
        self.moved += math.prod(getattr(found, "shape", ()))
        return found

    def stack(self, rows: Sequence[Any], obj: Tensor) -> Any:
        """Rows are stacked."""
        self.moved += obj.size
        return super().stack(rows, obj)
