"""One random program, asked of the fast mode and of the literal systems, over the rationals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from combinators.errors import TooManyCalls
from combinators.morphisms import interpret
from combinators.objects import Product
from interpreters.carriers.fractions import Fractions
from interpreters.modes.reverse import Dependent
from interpreters.sparse_cotangents import dense
from tests.evidence.programs.ways import lifted
from tests.strategies.language import Program, Type
from tests.strategies.meanings import Exact, function_of, object_of
from tests.strategies.points import numbers
from tests.strategies.rationals import sparse

EXACT = Fractions()


@dataclass(frozen=True)
class Question:
    """A program, its result's type, where it is differentiated, and the covector pulled back."""

    program: Program
    gives: Type
    x: Any
    w: Any

    @cached_property
    def made(self) -> Any:
        return function_of(self.program, Exact()).program()

    @cached_property
    def point(self) -> tuple[Any, ...]:
        return lifted(self.x, Product(*self.made.types), EXACT)

    @cached_property
    def covector(self) -> Any:
        return lifted(self.w, object_of(self.gives), EXACT)

    @cached_property
    def answer(self) -> tuple[list[Any], list[Any]]:
        """The value and the cotangent of all arguments, by the dependently typed pullback."""
        mode, types = Dependent(EXACT), Product(*self.made.types)
        y, pull = mode.rep(interpret(self.made.combinators, mode), self.point)
        back = dense(EXACT, pull(sparse(self.covector)), types)
        return list(numbers(y, object_of(self.gives))), list(numbers(back, types))


System = Callable[[Question], tuple[Any, Any]]
"""The value, and the cotangent of all arguments; nested in whatever way."""


def flat(found: Any) -> list[Any]:
    """The numbers, in order."""
    if isinstance(found, tuple | list):
        return [x for part in found for x in flat(part)]
    return list(np.ravel(found)) if np.ndim(found) else [found]


def agree(systems: dict[str, System], asked: Question) -> None:
    """The same value and the same cotangent, to the last digit."""
    for name, system in systems.items():
        try:
            value, cotangent = system(asked)
        except TooManyCalls:  # exponentially many, as 002 says of linear negation
            continue
        assert (flat(value), flat(cotangent)) == asked.answer, name
