"""Terms of the core language of 003 as questions, and what its program of the gradient answers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from combinators.objects import Product, Tensor
from combinators.terms import Lam
from combinators.tracing.functions import traced
from papers.dual_numbers.core_language import evaluate
from papers.dual_numbers.dual_arrays import inputs_of, wrapper
from tests.papers.asking import Question
from tests.papers.dual_numbers.core_terms import INPUTS, house_function
from tests.strategies.language import R

NAMES = tuple(name for name, _ in INPUTS)


@dataclass(frozen=True, eq=False)
class CoreQuestion(Question):
    """``program`` is a term, and ``x`` are values of ``INPUTS``."""

    @cached_property
    def types(self) -> Product:
        return Product(*(Tensor(shape) for _, shape in INPUTS))

    @cached_property
    def lam(self) -> Lam:
        return traced(house_function(self.program, NAMES), self.types.parts)


def asked_of(t: Any, at: dict[str, Any]) -> CoreQuestion:
    return CoreQuestion(t, R, tuple(at[name] for name in NAMES), 1.0)


def by_the_program(asked: Question) -> Any:
    """Section 7: the program of the gradient, run; an input that does not occur moves nothing."""
    at = dict(zip(NAMES, asked.x, strict=True))
    value, slopes = evaluate(wrapper(asked.program), {**at, "c": 1.0})
    nothing = {name: np.zeros(shape) for name, shape in INPUTS}
    return value, [*(nothing | dict(zip(inputs_of(asked.program), slopes, strict=True))).values()]
