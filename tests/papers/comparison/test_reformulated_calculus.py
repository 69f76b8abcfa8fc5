"""002, section 6.2: SOURCE and TARGET, the typing rules and the evaluation rules."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given

import diffcurry as dc
from combinators.errors import TypeMismatch
from combinators.objects import Real
from interpreters.carriers.fractions import Fractions
from interpreters.carriers.numpy import NumPy
from papers.comparison.forms import form
from papers.comparison.graphs import figure_1, graph_of
from papers.comparison.reformulated_calculus import (
    ADD,
    EVALUATION,
    FACTOR,
    NEGATION,
    TYPING,
    UNFOLD,
    ZERO,
    CalculusEvaluation,
    D,
    R,
    gradient,
    transformed,
    typed,
)
from tests.papers.comparison.asking import function_of
from tests.strategies.programs import RATIONAL, programs

OVER = NumPy()
A, STAR, OTHER = form("x", "a"), form("x", "x*"), form("x", "z*")
STARS = {"x*": NEGATION, "z*": NEGATION}


def doubled(times):
    def f(x):
        for _ in range(times):
            x = x + x
        return x

    return graph_of(dc.fun(f).program(1.0).lam)


def gamma_of(graph):
    """Γ: the inputs, their backpropagators, and the covector."""
    names = [node.name for node in graph.inputs]
    return {"ȳ": R} | dict.fromkeys(names, R) | {f"{name}*": NEGATION for name in names}


def test_there_are_nine_typing_rules_and_six_evaluation_rules():
    assert len([rule for rule in TYPING.values() if not rule.added]) == 9
    assert len(EVALUATION) == 6


def test_the_transformation_of_figure_1_reads_as_in_the_paper():
    assert str(transformed(figure_1())).splitlines()[1] == (
        "let z1* = la0. x1* a0 ⊕ x2* negative(a0) in"
    )


@given(programs(RATIONAL, depth=4, straight=True, forms=frozenset()))
def test_the_transformation_is_a_number_and_a_covector(program):
    graph = graph_of(function_of(program).program().lam)
    assert typed(transformed(graph), gamma_of(graph)) == ((R, D), frozenset())


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        (form("x*", STAR, form("r", 1.0, Real)), "la.d"),
        (form("⊕", form("x*", STAR, A), form("x*", OTHER, form("r", 1.0, Real))), "d ⊕ e"),
        (form("x*", A, A), r"x\* t"),
    ],
)
def test_a_lambda_that_is_not_linear_has_no_type(body, rule):
    with pytest.raises(TypeMismatch, match=rule):
        typed(form("l", "a", body), STARS)


def test_every_typing_rule_of_the_paper_is_used_on_figure_1():
    used = Counter()
    typed(transformed(figure_1()), gamma_of(figure_1()), lambda rule: used.update([rule.name]))
    typed(form("l", "a", ZERO), {}, lambda rule: used.update([rule.name]))
    assert {rule.name for rule in TYPING.values() if not rule.added} <= set(used)


@given(programs(RATIONAL, depth=3, straight=True, forms=frozenset()))
def test_typing_is_preserved_by_every_step(program):
    graph = graph_of(function_of(program).program().lam)
    exact = Fractions()
    point = tuple(exact.lift([2, 3, 4] if x.obj is not Real else 2, x.obj) for x in graph.inputs)
    types = {"f": R, FACTOR.name: D}

    def step(rule, made):
        obj, _ = typed(made, every_star(graph))
        assert obj == types.get(rule.name, obj)

    gradient(graph, point, exact.lift(1, Real), exact, step)


def every_star(graph):
    """All names that a step may leave free."""
    names = [node.name for node in graph.nodes]
    return {f"{name}*": NEGATION for name in names} | dict.fromkeys(names, R)


@pytest.mark.parametrize("times", [4, 8, 40])
def test_steps_are_linear_in_the_term(times):
    steps = Counter()
    graph = doubled(times)
    _, slopes = gradient(graph, (1.0,), 1.0, OVER, lambda rule, _: steps.update([rule]))
    assert slopes["x"] == 2.0**times
    assert steps[FACTOR] == steps[UNFOLD] == times
    assert steps.total() == 5 * times


def test_the_rules_of_pairs():
    pair = form("⟨⟩", (form("r", 1.0, Real), form("r", 2.0, Real)))
    for index, value in ((0, 1.0), (1, 2.0)):
        assert CalculusEvaluation(OVER).normal(form("π", index, pair)).args[0] == value


def test_a_sum_of_two_calls_is_one_call_of_the_sum():
    numbers = [form("r", OVER.lift(x, Real), Real) for x in (1.0, 2.0)]
    found = CalculusEvaluation(OVER).normal(form("⊕", *(form("x*", STAR, n) for n in numbers)))
    assert (found.args[0], found.args[1].args[0]) == (STAR, 3.0)


def test_a_backpropagator_is_unfolded_where_it_occurs_once():
    twice = form("l", "a", form("x*", OTHER, form("op", ADD, (Real, Real), (A, A))))
    one = form("r", OVER.lift(1.0, Real), Real)
    found = CalculusEvaluation(OVER).normal(form("let", "x*", twice, form("x*", STAR, one)))
    assert (found.args[0], found.args[1].args[0]) == (OTHER, 2.0)


def test_the_normal_form_of_figure_1_is_its_gradient():
    value, slopes = gradient(figure_1(), (5.0, 2.0), 1.0, OVER)
    assert round(float(value), 3) == 0.412
    assert {name: round(float(x), 4) for name, x in slopes.items()} == {"x1": -5.4668, "x2": 5.4668}
