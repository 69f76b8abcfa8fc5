"""Random programs, asked of the literal systems of 002 and of the fast mode, over the rationals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import reject

from combinators.errors import TooManyCalls
from combinators.literal import Literal
from combinators.morphisms import interpret
from combinators.objects import Product
from combinators.terms import Lam
from interpreters.carriers.fractions import Fractions
from interpreters.modes.reverse import Dependent
from interpreters.sparse_cotangents import dense
from papers.comparison import (
    chad,
    graphs,
    linear_negation,
    monadic_translation,
)
from papers.comparison import reformulated_calculus as calculus
from papers.comparison.linear_negation import gradient_term
from papers.plain_functions import evaluated
from tests.strategies.language import Program
from tests.strategies.meanings import function_of

EXACT = Fractions()
ONE = EXACT.const(Literal(1.0))
Asked = Callable[[Lam, tuple[Any, ...]], tuple[Any, Any]]
"""From a program and a point to the value and the gradient, flat."""


def by_a_carrier(gradient: Any) -> Asked:
    def asked(lam: Lam, point: tuple[Any, ...]) -> tuple[Any, Any]:
        found = gradient(lam, point, ONE, EXACT)
        return found.value, found.cotangent

    return asked


def by_a_term(term: Callable[[Lam], Lam]) -> Asked:
    def asked(lam: Lam, point: tuple[Any, ...]) -> tuple[Any, Any]:
        y, *slopes = evaluated(term(lam), EXACT)(*point, ONE)
        return y, flat(slopes)

    return asked


def by_the_graph_of_the_gradient(lam: Lam, point: tuple[Any, ...]) -> tuple[Any, Any]:
    y, *slopes = evaluated(graphs.bp(graphs.graph_of(lam)).term(), EXACT)(*point, ONE)
    return y, flat(slopes)


WHOLE: dict[str, Asked] = {
    "linear negation": by_a_carrier(linear_negation.gradient),
    "monadic translation": by_a_carrier(monadic_translation.gradient),
}
"""Those that have every form of a program."""
STRAIGHT: dict[str, Asked] = {
    "linear negation, on terms": by_a_term(gradient_term),
    "linear factoring": by_a_carrier(calculus.factored_gradient),
    "backpropagation": by_a_carrier(graphs.gradient),
    "the graph of the gradient": by_the_graph_of_the_gradient,
    "CHAD": by_a_carrier(chad.gradient),
    "CHAD, state-passing": by_a_carrier(chad.accumulated),
    "the reformulated calculus": by_a_carrier(calculus.gradient),
}
"""Those whose programs are functions, pairs, lets and operations."""


def flat(parts: Any) -> list[Any]:
    return [x for part in parts for x in np.asarray(part, dtype=object).reshape(-1)]


def lifted(point: Any, types: Product) -> tuple[Any, ...]:
    """A drawn point as rationals."""
    return tuple(EXACT.lift(x, obj) for x, obj in zip(point, types.parts, strict=True))


def by_the_fast_mode(program: Program, point: Any) -> tuple[Lam, tuple[Any, ...], Any, list[Any]]:
    """The program, the point, and what the dependently typed pullback gives."""
    made = function_of(program).program()
    types = Product(*made.types)
    x, mode = lifted(point, types), Dependent(EXACT)
    y, pull = mode.rep(interpret(made.combinators, mode), x)
    return made.lam, x, y, flat(dense(EXACT, pull(ONE), types))


def agree(ask: Asked, program: Program, point: Any) -> None:
    """The same value and the same gradient, to the last digit."""
    lam, x, y, gradient = by_the_fast_mode(program, point)
    try:
        value, found = ask(lam, x)
    except TooManyCalls:  # exponentially many, as 002 says of linear negation
        reject()
    assert value == y
    assert (list(np.ravel(found)) if np.ndim(found) else [found] * len(gradient)) == gradient
