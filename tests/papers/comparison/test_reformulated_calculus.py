"""002, section 6.2: SOURCE and TARGET, the typing rules and the evaluation rules."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given

from combinators.errors import TypeMismatch
from combinators.objects import Fun, Product, Real, Tensor
from combinators.primitives.structural import PLUS
from combinators.terms import App, Lam, Let, Prim, Proj, Tuple, Var, const
from interpreters.carriers.fractions import Fractions
from interpreters.carriers.numpy import NumPy
from papers.comparison.graphs import graph_of
from papers.comparison.linear_lambda_calculus import CARTESIAN, linear_in, zero
from papers.comparison.reformulated_calculus import (
    CalculusEvaluation,
    normal_form,
    transformed,
)
from papers.plain_functions import ADD
from tests.papers.comparison.examples import AT, FIGURE_1, doubled, lam_of
from tests.strategies.meanings import function_of
from tests.strategies.programs import RATIONAL, programs

OVER = NumPy()
D = Tensor((2,))
A, STAR, OTHER = Var("a", Real), Var("x*", Fun(Real, D)), Var("z*", Fun(Real, D))
ONE, TWO = const(1.0), const(2.0)


def normal(term):
    return CalculusEvaluation(OVER).normal(term)


NINE = {"0", "x", "a", "t + u", "t · u", "•", "λ⊸", "+", "let"}
SIX = {"π₁", "π₂", "f", "let", "⊕", "let l"}


def test_the_transformation_of_figure_1_reads_as_in_the_paper():
    assert str(transformed(FIGURE_1)).splitlines()[2] == (
        "  z1* : Real ⇒ Tensor[2] = λa0. x1* a0 + x2* (-a0)"
    )


@given(programs(RATIONAL, depth=4, straight=True, forms=frozenset()))
def test_the_transformation_is_a_number_and_a_covector(program):
    graph = graph_of(function_of(program).program().lam)
    made = transformed(graph).body
    assert made.type is Product(graph.outputs[0].type, Tensor((len(graph.inputs),)))
    assert linear_in(made) == CARTESIAN


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        (App(STAR, ONE), "λ⊸"),
        (Prim(PLUS.plain, (App(STAR, A), App(OTHER, ONE))), "+"),
        (App(App(Var("x", Fun(Real, STAR.type)), A), A), "@"),
    ],
)
def test_a_lambda_that_is_not_linear_has_no_type(body, rule):
    with pytest.raises(TypeMismatch, match=rf"the rule of {re.escape(rule)} "):
        linear_in(Lam((A,), body))


def test_every_typing_rule_of_the_paper_is_used_on_figure_1():
    used = Counter()
    linear_in(transformed(FIGURE_1).body, see=lambda rule: used.update([rule]))
    linear_in(Lam((A,), zero(D)), see=lambda rule: used.update([rule]))
    assert set(used) >= NINE


@given(programs(RATIONAL, depth=3, straight=True, forms=frozenset()))
def test_typing_is_preserved_by_every_step(program):
    graph = graph_of(function_of(program).program().lam)
    exact = Fractions()
    point = tuple(exact.lift([2, 3, 4] if x.type is not Real else 2, x.type) for x in graph.inputs)

    *_, steps = normal_form(graph, point, exact.lift(1, Real), exact)
    for rule, made in steps:
        assert linear_in(made) == CARTESIAN
        assert made.type is Tensor((len(graph.inputs),)) or rule != "⊕"


@pytest.mark.parametrize("times", [4, 8, 40])
def test_steps_are_linear_in_the_term(times):
    graph = graph_of(lam_of(doubled(times), 1.0))
    _, slopes, made = normal_form(graph, (1.0,), 1.0, OVER)
    steps = Counter(rule for rule, _ in made)
    assert slopes == [2.0**times]
    assert steps["⊕"] == steps["let l"] == times
    assert steps.total() == 5 * times


def test_the_rules_of_pairs():
    for index, value in ((0, 1.0), (1, 2.0)):
        assert normal(Proj(index, Tuple((ONE, TWO)))).value == value


def test_a_sum_of_two_calls_is_one_call_of_the_sum():
    found = normal(Prim(PLUS.plain, (App(STAR, ONE), App(STAR, TWO))))
    assert (found.function, found.argument.value) == (STAR, 3.0)


def test_a_backpropagator_is_unfolded_where_it_occurs_once():
    twice = Lam((A,), App(OTHER, Prim(ADD, (A, A))))
    found = normal(Let(((STAR, twice),), App(STAR, ONE)))
    assert (found.function, found.argument.value) == (OTHER, 2.0)


def test_every_evaluation_rule_of_the_paper_is_used():
    evaluation = CalculusEvaluation(OVER)
    evaluation.normal(
        Let(((A, Proj(0, Tuple((ONE, TWO)))),), Prim(ADD, (A, Proj(1, Tuple((A, A))))))
    )
    *_, steps = normal_form(FIGURE_1, AT, 1.0, OVER)
    assert {rule for rule, _ in (*evaluation.steps, *steps)} == SIX


def test_the_normal_form_of_figure_1_is_its_gradient():
    value, slopes, _ = normal_form(FIGURE_1, AT, 1.0, OVER)
    assert round(float(value), 3) == 0.412
    assert [round(float(x), 4) for x in slopes] == [-5.4668, 5.4668]
