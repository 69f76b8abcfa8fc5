"""002, section 6.2: SOURCE and TARGET, the typing rules and the evaluation rules."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given

from combinators.errors import TypeMismatch
from combinators.objects import Real
from interpreters.carriers.fractions import Fractions
from interpreters.carriers.numpy import NumPy
from papers.comparison.forms import form
from papers.comparison.graphs import graph_of
from papers.comparison.linear_lambda_calculus import CARTESIAN, SECTION_6_2_3, typed
from papers.comparison.reformulated_calculus import (
    EVALUATION,
    ZERO,
    CalculusEvaluation,
    D,
    normal_form,
    transformed,
)
from papers.plain_functions import ADD
from tests.papers.comparison.examples import AT, FIGURE_1, doubled, lam_of
from tests.strategies.meanings import function_of
from tests.strategies.programs import RATIONAL, programs

OVER = NumPy()
A, STAR, OTHER = form("x", "a"), form("x", "x*"), form("x", "z*")
NEGATION = form("⊸", Real, D)
STARS = {"x*": NEGATION, "z*": NEGATION}


def gamma_of(graph, nodes):
    """Γ: numbers, their backpropagators, and the covector."""
    numbers = {node.name: node.type for node in nodes}
    stars = {f"{name}*": form("⊸", obj, D) for name, obj in numbers.items()}
    return {"ȳ": graph.outputs[0].type} | numbers | stars


def test_there_are_nine_typing_rules_and_six_evaluation_rules():
    assert len(SECTION_6_2_3) == 9
    assert len(EVALUATION) == 6


def test_the_transformation_of_figure_1_reads_as_in_the_paper():
    assert str(transformed(FIGURE_1)).splitlines()[1] == (
        "let z1* = la0. x1* a0 ⊕ x2* negative(a0) in"
    )


@given(programs(RATIONAL, depth=4, straight=True, forms=frozenset()))
def test_the_transformation_is_a_number_and_a_covector(program):
    graph = graph_of(function_of(program).program().lam)
    y = graph.outputs[0].type
    assert typed(transformed(graph), gamma_of(graph, graph.inputs)) == ((y, D), CARTESIAN)


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        (form("x*", STAR, form("r", 1.0, Real)), "λ⊸"),
        (form("⊕", form("x*", STAR, A), form("x*", OTHER, form("r", 1.0, Real))), "+"),
        (form("x*", A, A), "•"),
    ],
)
def test_a_lambda_that_is_not_linear_has_no_type(body, rule):
    with pytest.raises(TypeMismatch, match=rf"the rule of {re.escape(rule)} "):
        typed(form("l", "a", Real, body), STARS)


def test_every_typing_rule_of_the_paper_is_used_on_figure_1():
    used = Counter()
    gamma = gamma_of(FIGURE_1, FIGURE_1.inputs)
    typed(transformed(FIGURE_1), gamma, see=lambda rule: used.update([rule]))
    typed(form("l", "a", Real, ZERO), {}, see=lambda rule: used.update([rule]))
    assert set(SECTION_6_2_3) <= set(used)


@given(programs(RATIONAL, depth=3, straight=True, forms=frozenset()))
def test_typing_is_preserved_by_every_step(program):
    graph = graph_of(function_of(program).program().lam)
    exact = Fractions()
    point = tuple(exact.lift([2, 3, 4] if x.type is not Real else 2, x.type) for x in graph.inputs)
    nodes = (*graph.inputs, *(edge.target for edge in graph.hyperedges))

    def step(rule, made):
        obj, _ = typed(made, gamma_of(graph, nodes))
        assert obj == D or rule != "⊕"

    normal_form(graph, point, exact.lift(1, Real), exact, step)


@pytest.mark.parametrize("times", [4, 8, 40])
def test_steps_are_linear_in_the_term(times):
    steps = Counter()
    graph = graph_of(lam_of(doubled(times), 1.0))
    _, slopes = normal_form(graph, (1.0,), 1.0, OVER, lambda rule, _: steps.update([rule]))
    assert slopes == [2.0**times]
    assert steps["⊕"] == steps["let l"] == times
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
    twice = form("l", "a", Real, form("x*", OTHER, form("op", ADD, (Real, Real), (A, A))))
    one = form("r", OVER.lift(1.0, Real), Real)
    found = CalculusEvaluation(OVER).normal(form("let", "x*", twice, form("x*", STAR, one)))
    assert (found.args[0], found.args[1].args[0]) == (OTHER, 2.0)


def test_the_normal_form_of_figure_1_is_its_gradient():
    value, slopes = normal_form(FIGURE_1, AT, 1.0, OVER)
    assert round(float(value), 3) == 0.412
    assert [round(float(x), 4) for x in slopes] == [-5.4668, 5.4668]
