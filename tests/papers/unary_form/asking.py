"""Random programs, asked of the literal systems of 000 and of the fast mode, over the rationals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import reject

from combinators.errors import MissingRule
from combinators.terms import Lam
from interpreters.carriers.fractions import Fractions
from tests.papers.comparison.asking import by_the_fast_mode, flat
from tests.papers.unary_form.fragment import source
from tests.papers.unary_form.languages import meaning
from tests.papers.unary_form.partial_evaluation import OPTIMIZATIONS, normal
from tests.papers.unary_form.reverse import gradient
from tests.papers.unary_form.unary import gradient_by_unary_form
from tests.strategies.language import Program

EXACT = Fractions()
Asked = Callable[[Lam, tuple[Any, ...]], tuple[Any, Any]]
"""From a program and a point to the value and the gradient, flat."""


def by_a_term(derived: Callable[..., Any]) -> Asked:
    def asked(lam: Lam, point: tuple[Any, ...]) -> tuple[Any, Any]:
        gamma, e = source(lam)
        found = meaning(gamma, derived(gamma, e), EXACT)(*point)
        value = meaning(gamma, e, EXACT)(*point)
        return value, flat(found if len(gamma) > 1 else (found,))

    return asked


SYSTEMS: dict[str, Asked] = {
    "pure reverse mode": by_a_term(gradient),
    "the unary form": by_a_term(gradient_by_unary_form),
    "pure reverse mode, optimized": by_a_term(
        lambda gamma, e: normal(gradient(gamma, e), OPTIMIZATIONS)
    ),
}


def agree(ask: Asked, program: Program, point: Any) -> None:
    """The same value and the same gradient, to the last digit."""
    lam, x, y, slopes = by_the_fast_mode(program, point)
    try:
        value, found = ask(lam, x)
    except MissingRule:
        reject()
    assert value == y
    assert found == slopes
