"""The literal systems of the papers, each as what it answers to a question."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, lru_cache, reduce
from typing import Any

import numpy as np

from combinators.errors import MissingRule
from papers.comparison import (
    chad,
    graphs,
    linear_negation,
    monadic_translation,
)
from papers.dual_numbers.scalars import gradient
from papers.plain_functions import evaluated
from papers.rep_functions.closures import DependentlyTyped, SimplyTyped
from papers.rep_functions.tangents import erased
from papers.unary_form.languages import meaning as in_source
from papers.unary_form.partial_evaluation import OPTIMIZATIONS, normal
from papers.unary_form.reverse import gradient as pure_reverse_mode
from papers.unary_form.unary import gradient_by_unary_form
from papers.vlad.evaluator import Vlad
from papers.vlad.values import j, j_inverse, plus, zero
from tests.papers.asking import EXACT, Question, System, flat
from tests.papers.unary_form.in_source import source
from tests.papers.vlad.in_vlad import PRELUDE, in_vlad, numbers
from tests.strategies.meanings import PlainPython, meaning


def by_figure_3(asked: Question) -> Any:
    value, pullback, _ = SimplyTyped(EXACT).of(asked.combinators)(asked.point)
    return value, pullback(asked.covector)


def by_figure_5(*cast: Any) -> System:
    def asking(asked: Question) -> Any:
        figure = DependentlyTyped(EXACT, *cast)
        value, pullback, _ = figure.of(asked.combinators)(asked.point)
        return value, pullback(asked.covector)

    return asking


@cache
def vlad() -> Vlad:
    session = Vlad(Fraction)
    session.run(PRELUDE)
    return session


def text(value: Any) -> str:
    """Tuples as pairs, arrays as lists."""
    if isinstance(value, tuple):
        return reduce(lambda rest, part: f"(cons {part} {rest})", map(text, value[::-1]))
    return f"(list {' '.join(map(text, value))})" if np.ndim(value) else repr(float(value))


def by_vlad(asked: Question) -> Any:
    session = vlad()
    both = session.run(f"((*j {in_vlad(asked.program)}) (*j {text(asked.point)}))")
    session["both"] = both
    value = numbers(session.run("(*j-inverse (car both))"))
    slopes = numbers(session.run(f"(cdr ((cdr both) {text(asked.covector)}))"))
    for remembering in (plus, zero, j, j_inverse):
        remembering.cache_clear()  # a million values after five hundred programs
    return value, slopes


class OverDualNumbers(PlainPython):
    """All but the numbers of a program is left as it is."""

    def number(self, value: float) -> Any:
        return Fraction(value)


def by_dual_numbers(asked: Question) -> Any:
    """003: the wrapper, of what a program gives times the covector."""
    names, values = [name for name, _ in asked.program.params], list[Any]()

    def paired(*point: Any) -> Any:
        given = [list(x) if isinstance(x, tuple) else x for x in point]
        env = dict(zip(names, given, strict=True))
        values[:] = flat(meaning(asked.program.body, env, OverDualNumbers()))
        return sum(y * w for y, w in zip(values, flat(asked.covector), strict=True))

    given_point = (tuple(x) if np.ndim(x) else x for x in asked.point)
    slopes = gradient(paired, *given_point, cotangent=Fraction(1))
    return [getattr(y, "primal", y) for y in values], list(slopes)


def by(gradient: Any) -> System:
    def asking(asked: Question) -> Any:
        found = gradient(asked.lam, asked.point, asked.covector, EXACT)
        slopes = found.cotangent
        return found.value, slopes if np.ndim(slopes) else [0] * len(flat(asked.point))

    return asking


def by_the_graph_of_the_gradient(asked: Question) -> Any:
    graph = graphs.bp(graphs.graph_of(asked.lam))
    y, *slopes = evaluated(graph.term(), EXACT)(*asked.point, asked.covector)
    return y, slopes


@lru_cache(maxsize=1)
def as_source(asked: Question) -> Any:
    """000's own language, and the value there; or that it has no form for the program."""
    try:
        gamma, e = source(asked.lam)
        return gamma, e, in_source(gamma, e, EXACT)(*asked.point)
    except MissingRule:
        return None


def of_source(derived: Callable[..., Any]) -> System:
    def asking(asked: Question) -> Any:
        if (found := as_source(asked)) is None:
            return None
        gamma, e, value = found
        try:
            slopes = in_source(gamma, derived(gamma, e), EXACT)(*asked.point)
        except MissingRule:  # 000 has no unary form of a conditional
            return None
        return value, [asked.covector * slope for slope in flat(slopes)]

    return asking


WHOLE: dict[str, System] = {
    "004, Figs. 2 and 3": by_figure_3,
    "004, Figs. 2 and 5": by_figure_5(),
    "004, Fig. 5 with casts erased": by_figure_5(erased),
    "001, VLAD": by_vlad,
    "002, linear negation": by(linear_negation.gradient),
    "002, the reformulated calculus": by(linear_negation.reformulated),
    "002, monadic translation": by(monadic_translation.gradient),
    "003, dual numbers": by_dual_numbers,
}
"""Those that have every form of a program, and results of many numbers."""
STRAIGHT: dict[str, System] = {
    "002, linear factoring": by(linear_negation.factored_gradient),
    "002, backpropagation": by(graphs.gradient),
    "002, the graph of the gradient": by_the_graph_of_the_gradient,
    "002, CHAD": by(chad.gradient),
    "002, CHAD, state-passing": by(chad.accumulated),
}
"""Those whose programs are functions, pairs, lets and operations, and give a number."""
SOURCE: dict[str, System] = {
    "000, pure reverse mode": of_source(pure_reverse_mode),
    "000, optimized": of_source(
        lambda gamma, e: normal(pure_reverse_mode(gamma, e), OPTIMIZATIONS)
    ),
    "000, the unary form": of_source(gradient_by_unary_form),
}
"""Those whose programs choose and loop besides."""
