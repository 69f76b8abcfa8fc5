"""Counting arithmetic: a promise of cost is a count."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from combinators.literal import Literal
from combinators.objects import Object, Tensor
from combinators.operation import Operation
from interpreters.carriers.carrier import Carrier, Compute, Numbered, carrier_of
from interpreters.sparse_cotangents import Part, Scattered, gathered


class Counting:
    """A carrier that counts the scalar arithmetic operations of another, by primitive.

    Numbers are the other's own. A primitive costs what it declares (an array operation its
    elements, a move nothing); a sum of two cotangents counts as ``add``. Runs add up until
    ``reset``.

    >>> from combinators.objects import Real
    >>> from combinators.operation import named
    >>> from interpreters.carriers.numpy import NumPy
    >>> carrier = Counting(NumPy())
    >>> times = carrier.operation(Operation(named("multiply")), (Real, Real), Real)
    >>> times(3.0, 4.0) * times(5.0, 6.0) == 360.0, carrier.counts
    (np.True_, Counter({'multiply': 2}))
    """

    def __init__(self, over: Carrier | Numbered) -> None:
        self.over = carrier_of(over)
        self.counts: Counter[str] = Counter()

    @property
    def total(self) -> int:
        """How many operations were counted, of all primitives."""
        return self.counts.total()

    def reset(self) -> None:
        """Begin again at zero."""
        self.counts.clear()

    def operation(self, operation: Operation, types: Sequence[Object], cod: Object) -> Compute:
        """The other's computation, counted whenever it is run."""
        compute = self.over.operation(operation, types, cod)
        cost = operation.primitive.cost([obj for obj in types if isinstance(obj, Tensor)], cod)
        counts, name = self.counts, operation.name
        if not cost:
            return compute

        def counted(*xs: Any) -> Any:
            counts[name] += cost
            return compute(*xs)

        return counted

    def add(self, x: Any, y: Any) -> Any:
        """One operation an element."""
        self.counts["add"] += math.prod(getattr(x, "shape", ()))
        return self.over.add(x, y)

    def scatter(self, parts: Sequence[Part], obj: Tensor, rest: Any) -> Any:
        """An addition an element; the first part among zeros is only moved."""
        added = parts if rest is not None else parts[1:]
        self.counts["add"] += sum(math.prod(getattr(x, "shape", ())) for _, _, (x, *_) in added)
        return gathered(Scattered(obj, list(parts), rest), self.over)

    # ---- moves and literals are the other's, and cost nothing

    def const(self, literal: Literal) -> Any:
        """The other's literal."""
        return self.over.const(literal)

    def truth(self, number: Any) -> bool:
        """The other's choice."""
        return self.over.truth(number)

    def row(self, stack: Any, index: int) -> Any:
        """The other's row."""
        return self.over.row(stack, index)

    def stack(self, rows: Sequence[Any], obj: Tensor) -> Any:
        """The other's array."""
        return self.over.stack(rows, obj)

    def lift(self, value: Any, obj: Tensor) -> Any:
        """The other's number."""
        return self.over.lift(value, obj)

    def lower(self, number: Any) -> Any:
        """What the other shows."""
        return self.over.lower(number)
