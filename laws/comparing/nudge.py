"""Arrows moved a little: how the condition of a problem is seen.

Every float constant is moved by a relative amount of its own, and so is what every primitive gives,
since rounding moves it too. What is moved alike cancels: ``(x + y) - x`` would seem well
conditioned.
"""

from __future__ import annotations

from random import Random

import numpy as np

from combinators.literal import Literal
from combinators.morphisms import Constant, Id, Morphism, Primitive, interpret, prod
from combinators.objects import Object, Tensor
from combinators.operation import Operation, named
from laws.models.free import Free


class Nudge(Free):
    """The free category, but for its constants and primitives."""

    def __init__(self, amount: float, seed: int, *, primitives: bool = True) -> None:
        """``amount`` is relative: far above rounding, far below what bends a smooth function.

        ``primitives`` are moved where the model can multiply.
        """
        self._random = Random(seed)  # noqa: S311 (the same amounts every time)
        self._amount, self._primitives = amount, primitives

    def __call__(self, arrow: Morphism) -> Morphism:
        """``arrow``, moved."""
        return interpret(arrow, self)

    def const(self, dom: Object, value: Literal) -> Morphism:
        """The constant, each of its numbers moved by an amount of its own."""
        return super().const(dom, self.literal(value))

    def literal(self, value: Literal) -> Literal:
        """The same of a literal alone."""
        if not value.type.is_smooth:
            return value
        with np.errstate(all="ignore"):
            return Literal(value.array * self._factors(value.type), value.array.dtype)

    def primitive(self, operation: Operation, dom: Object, cod: Object) -> Morphism:
        """The primitive, and then each number of its result times an amount of its own."""
        made = super().primitive(operation, dom, cod)
        if not (self._primitives and isinstance(cod, Tensor) and cod.is_smooth):
            return made
        factors = Constant(cod, Literal(self._factors(cod), cod.dtype))
        times = Primitive(Operation(named("multiply")), (cod, cod))
        return made >> prod(cod, Id(cod), factors) >> times

    def _factors(self, obj: Tensor) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        signed = [
            self._random.choice((-1, 1)) * self._random.uniform(0.5, 1) for _ in range(obj.size)
        ]
        return (1 + self._amount * np.array(signed, dtype=float)).reshape(obj.shape)
