"""One random program, asked of the fast mode and of the literal systems, over the rationals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from combinators.errors import TooManyCalls
from combinators.morphisms import Morphism, interpret
from combinators.objects import Product
from combinators.terms import Lam
from combinators.tracing.functions import traced
from combinators.translate import translate
from interpreters.carriers.fractions import Fractions
from interpreters.modes.reverse import Dependent
from interpreters.sparse_cotangents import dense
from laws.model import Signature
from tests.evidence.programs.ways import lifted
from tests.strategies.language import Program, Type
from tests.strategies.meanings import Exact, object_of, run_of
from tests.strategies.points import numbers
from tests.strategies.rationals import sparse

EXACT = Fractions()
NUMBERS = Signature(shapes=((),), arrays=False, integers=False, loops=False)
"""What the systems whose programs are of numbers are asked by the law kit."""


@dataclass(frozen=True, eq=False)
class Question:
    """A program, its result's type, where it is differentiated, and the covector pulled back."""

    program: Program
    gives: Type
    x: Any
    w: Any

    @cached_property
    def types(self) -> Product:
        return Product(*(object_of(kind) for _, kind in self.program.params))

    @cached_property
    def lam(self) -> Lam:
        return traced(run_of(self.program, Exact()), self.types.parts)

    @cached_property
    def combinators(self) -> Morphism:
        return translate(self.lam.params, self.lam.body)

    @cached_property
    def point(self) -> tuple[Any, ...]:
        return lifted(self.x, self.types, EXACT)

    @cached_property
    def covector(self) -> Any:
        return lifted(self.w, object_of(self.gives), EXACT)

    @cached_property
    def answer(self) -> tuple[list[Any], list[Any]]:
        """The value and the cotangent of all arguments, by the dependently typed pullback."""
        mode = Dependent(EXACT)
        y, pull = mode.rep(interpret(self.combinators, mode), self.point)
        back = dense(EXACT, pull(sparse(self.covector)), self.types)
        return list(numbers(y, object_of(self.gives))), list(numbers(back, self.types))


System = Callable[[Question], tuple[Any, Any] | None]
"""The value, and the cotangent of all arguments, nested in whatever way; or it has no such form."""


def flat(found: Any) -> list[Any]:
    """The numbers, in order."""
    if isinstance(found, tuple | list):
        return [x for part in found for x in flat(part)]
    return list(np.ravel(found)) if np.ndim(found) else [found]


def agree(systems: dict[str, System], asked: Question) -> list[str]:
    """The same value and the same cotangent, to the last digit, of those that answer."""
    answered = []
    for name, system in systems.items():
        try:
            found = system(asked)
        except TooManyCalls:  # exponentially many, as 002 says of linear negation
            continue
        if found is not None:
            assert (flat(found[0]), flat(found[1])) == asked.answer, (name, asked)
            answered.append(name)
    return answered
