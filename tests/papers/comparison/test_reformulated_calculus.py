"""002, section 6.2: SOURCE and TARGET, the typing rules and the evaluation rules."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given

import diffcurry as dc
from combinators.errors import TypeMismatch
from combinators.objects import Fun, Real, Tensor
from combinators.primitives.structural import PLUS
from combinators.terms import App, Lam, Let, Prim, Proj, Tuple, Var, const
from interpreters.carriers.numpy import NumPy
from papers.comparison.graphs import Drawing
from papers.comparison.linear_lambda_calculus import CARTESIAN, linear_in, summed, zero
from papers.comparison.linear_negation import (
    LinearFactoring,
    negation,
    normal_form,
    reformulated,
    transformed,
)
from papers.comparison.linear_negation import given as pairs
from papers.plain_functions import ADD, meaning
from tests.papers.comparison.examples import AT, doubled, figure_1, lam_of
from tests.strategies.meanings import function_of
from tests.strategies.programs import RATIONAL, programs

OVER = NumPy()
D = Tensor((2,))
A, STAR, OTHER = Var("a", Real), Var("x*", Fun(Real, D)), Var("z*", Fun(Real, D))
X, Y = Var("x", Real), Var("y", Real)
ONE, TWO = const(1.0), const(2.0)
NINE = {"0", "x", "a", "t + u", "t · u", "•", "λ⊸", "+", "let"}
FIGURE_1 = lam_of(figure_1, *AT)


def plus(*terms):
    return Prim(PLUS.plain, terms)


def normal(term):
    """With x* and z* free."""
    evaluation = LinearFactoring(OVER)
    made = meaning(Lam((STAR, OTHER), term), evaluation)("x*", "z*")
    if isinstance(made, dict):
        *_, made = evaluation.unfolding(made)
    return made


@given(programs(RATIONAL, depth=4, straight=True, forms=frozenset()))
def test_the_transformation_has_its_type(program):
    lam = function_of(program).program().lam
    assert transformed(lam).type is negation(lam).type(lam.type)
    assert linear_in(transformed(lam)) == CARTESIAN


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        (App(STAR, ONE), "λ⊸"),
        (plus(App(STAR, A), App(OTHER, ONE)), "+"),
        (App(App(Var("x", Fun(Real, STAR.type)), A), A), "@"),
    ],
)
def test_a_lambda_that_is_not_linear_has_no_type(body, rule):
    with pytest.raises(TypeMismatch, match=rf"the rule of {re.escape(rule)} "):
        linear_in(Lam((A,), body))


def test_every_typing_rule_of_the_paper_is_used_on_figure_1():
    used = Counter()
    linear_in(transformed(FIGURE_1), see=lambda rule: used.update([rule]))
    linear_in(Lam((A,), zero(D)), see=lambda rule: used.update([rule]))
    assert set(used) >= NINE


@given(programs(RATIONAL, depth=3, straight=True, forms=frozenset()))
def test_typing_is_preserved_by_every_step(program):
    lam = function_of(program).program().lam
    drawing, space = Drawing("v"), negation(lam).space
    evaluation = LinearFactoring(drawing)
    _, y = meaning(transformed(lam), evaluation)(*pairs(lam, lam.params, str))
    for calls in evaluation.unfolding({y: Var("ȳ", Real)}):
        stars = {x: Var(f"x{x}*", Fun(u.type, space)) for x, u in calls.items()}
        term = summed([App(stars[x], u) for x, u in calls.items()], space)
        assert term.type is space
        assert not linear_in(term)


@pytest.mark.parametrize("times", [4, 8, 40])
def test_steps_are_linear_in_the_term(times):
    _, slopes, steps = normal_form(lam_of(doubled(times), 1.0), (1.0,), 1.0, OVER)
    assert slopes == {"x": 2.0**times}
    assert steps == {"⊕": times, "•": times}


TWICE = Lam((A,), App(OTHER, Prim(ADD, (A, A))))
CALL = App(STAR, TWO)
SIX = [
    ("π₁", Proj(0, Tuple((ONE, TWO))), ONE),
    ("π₂", Proj(1, Tuple((ONE, TWO))), TWO),
    ("f", Prim(ADD, (ONE, ONE)), TWO),
    ("let", Let(((X, TWO),), App(STAR, X)), CALL),
    ("⊕", plus(App(STAR, ONE), App(STAR, ONE)), CALL),
    ("let l", Let(((STAR, TWICE),), App(STAR, ONE)), App(OTHER, TWO)),
]


@pytest.mark.parametrize(("rule", "before", "after"), SIX, ids=[rule for rule, *_ in SIX])
def test_each_of_the_six_evaluation_rules_holds(rule, before, after):
    assert normal(before) == normal(after)


def test_the_normal_form_of_figure_1_is_its_gradient():
    value, slopes, _ = normal_form(FIGURE_1, AT, 1.0, OVER)
    assert round(float(value), 3) == 0.412
    assert {x: round(float(g), 4) for x, g in slopes.items()} == {"x1": -5.4668, "x2": 5.4668}


def test_depth_is_no_limit_to_factoring():
    _, slopes, steps = normal_form(lam_of(doubled(1000), 1.0), (0.0,), 1.0, OVER)
    assert steps == {"⊕": 1000, "•": 1000}
    assert slopes == {"x": 2.0**1000}


def test_a_branch_chooses_at_numbers():
    lam = lam_of(lambda x: dc.cond(x > 0, lambda: x * x, lambda: -x), 3.0)
    assert reformulated(lam, (3.0,), 1.0, OVER).cotangent.tolist() == [6]
