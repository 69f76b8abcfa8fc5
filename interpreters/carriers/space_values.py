"""Values of the types that users declare: their coordinates; of what has its own plus, ``Summand``.

A carrier that is not of arrays knows neither ``coordinates`` nor ``point``, and says so by name.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from combinators.primitives.coordinates import COORDINATES, POINT, plus_of
from combinators.spaces import Space
from interpreters.carriers.carrier import computes
from interpreters.carriers.numpy import Arrays, NumPy
from interpreters.rules import program


class Summand:
    """A tangent that is added as its space declares, and its coordinates ``array``."""

    __slots__ = ("array", "of")

    def __init__(self, of: Space, array: Any) -> None:
        self.of, self.array = of, array

    def __add__(self, other: Summand) -> Summand:
        """The declared sum."""
        found: Summand = program(plus_of(self.of), NumPy())(self, other)
        return found


computes(COORDINATES, Arrays)(lambda: lambda x: x)
computes(POINT, Arrays)(lambda of: lambda x: x)
computes(COORDINATES, NumPy)(lambda: lambda x: x.array if type(x) is Summand else x)
computes(POINT, NumPy)(
    lambda of: partial(Summand, of) if of.declared.plus is not None else lambda x: x
)
