"""002, section 5.2: CHAD, by the names of its figures and definitions."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import diffcurry as dc
from combinators.errors import MissingRule, TypeMismatch
from combinators.objects import Fun, Product, Real
from interpreters.carriers.numpy import NumPy
from papers.comparison.chad import accumulated, chad, cotangent, cotangents, gradient, primal
from papers.comparison.forms import form
from papers.comparison.linear_lambda_calculus import (
    CARTESIAN,
    ChadEvaluation,
    typed,
)
from tests.papers.comparison.examples import doubled, lam_of
from tests.strategies.meanings import function_of
from tests.strategies.programs import RATIONAL, programs

OVER = NumPy()
V, W, X = form("x", "v"), form("x", "w"), form("x", "x")


def test_definition_5_6_of_a_function_is_a_copower():
    function = Fun(Real, Product(Real, Real))
    pair = (Real, Real)
    assert primal(function) == form("→", Real, (pair, form("⊸", pair, Real)))
    assert cotangent(function) == form("!⊗", Real, pair)


@given(programs(RATIONAL, depth=4, straight=True, forms=frozenset()))
def test_definition_5_7_has_the_type_that_figure_3_gives_it(program):
    lam = function_of(program).program().lam
    term, gamma = chad(lam)
    back = form("⊸", cotangent(lam.body.type), cotangents(gamma))
    found = typed(term, {name: primal(obj) for name, obj in gamma})
    assert found == ((primal(lam.body.type), back), CARTESIAN)


@pytest.mark.parametrize(
    ("term", "rule"),
    [
        (form("+", V, form("⟨⟩", (V, V))), "+"),
        (form("•", X, V), "•"),
        (W, "x"),
        (form("case", V, "x", "w", W), "case"),
        (form("λ⊸", "v", Real, X), "λ⊸"),
        (form("+", V, X), "+"),
    ],
)
def test_figure_3_refuses_what_is_not_linear(term, rule):
    with pytest.raises(TypeMismatch, match=rf"the rule of {re.escape(rule)} "):
        typed(term, {"x": Real}, {"v": Real})


FUNCTION = form("λ⊸", "v", Real, form("+", V, V))


@given(st.floats(-9, 9), st.floats(-9, 9))
def test_the_equations_of_figure_4_hold(s, r):
    def value(term, **env):
        return ChadEvaluation(OVER).value(term, env)

    def at(term):
        return value(form("•", FUNCTION, term), v=s, w=r)

    assert at(V) == s + s
    assert at(form("0", Real)) is None
    assert at(form("+", V, W)) == pytest.approx(at(V) + at(W))
    assert value(form("+", V, form("0", Real)), v=s) == s
    assert value(form("+", V, W), v=s, w=r) == value(form("+", W, V), v=s, w=r)
    swap = form("case", form("!⊗", W, V), "x", "z", form("⟨⟩", (X, form("x", "z"))))
    assert value(swap, v=s, w=r) == (r, s)


@pytest.mark.parametrize(("times", "applied", "added"), [(4, 14, 8), (8, 30, 16), (12, 46, 24)])
def test_chad_passes_no_cotangent_twice(times, applied, added):
    lam = lam_of(doubled(times), 1.0)
    assert gradient(lam, (1.0,), 1.0, OVER).visits == applied
    assert accumulated(lam, (1.0,), 1.0, OVER).visits == applied + added


def test_a_closure_used_twice_has_the_copower_of_its_two_calls():
    def f(x, y):
        scaled = dc.fun(lambda a: a * y, Real)
        return scaled(x) + scaled(x * x)

    lam = lam_of(f, 2.0, 3.0)
    for system in (gradient, accumulated):
        assert system(lam, (2.0, 3.0), 1.0, OVER).cotangent.tolist() == [15, 6]


def applied_again(x, y):
    apply = dc.fun(lambda g, a: g(a) * a, Fun(Real, Real), Real)
    h = dc.fun(lambda a: apply(dc.fun(lambda b: b * y + x, Real), a) * a, Real)
    return apply(h, x) + h(y)


def given_to_itself(x, y):
    both = dc.fun(lambda g: g(1.0) * g(x), Fun(Real, Real))
    inner = dc.fun(lambda a: a * both(dc.fun(lambda b: b * y, Real)), Real)
    return both(inner) + both(dc.fun(lambda a: a * a + y, Real))


@pytest.mark.parametrize("f", [applied_again, given_to_itself])
def test_functions_of_functions_have_the_gradients_of_the_fast_mode(f):
    lam = lam_of(f, 0.7, 1.3)
    term, gamma = chad(lam)
    typed(term, {name: primal(obj) for name, obj in gamma})
    for system in (gradient, accumulated):
        found = system(lam, (0.7, 1.3), 1.0, OVER).cotangent
        np.testing.assert_allclose(found, dc.grad(f, (0, 1))(0.7, 1.3))


def test_a_branch_is_refused_by_name():
    lam = lam_of(lambda x: dc.cond(x > 0, lambda: x, lambda: np.sin(x)), 1.0)
    with pytest.raises(MissingRule, match=r"CHAD \(002, Def\. 5\.7\)"):
        chad(lam)
