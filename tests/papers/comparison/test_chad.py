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
from combinators.primitives.structural import PLUS
from combinators.terms import App, Lam, Tuple, Var
from interpreters.carriers.numpy import NumPy
from papers.comparison.chad import accumulated, chad, cotangent, cotangents, gradient, primal
from papers.comparison.linear_lambda_calculus import (
    CARTESIAN,
    CASE,
    TIMES,
    LinearFunctions,
    call,
    copower,
    linear_in,
    zero,
)
from papers.plain_functions import meaning
from tests.papers.comparison.examples import doubled, lam_of
from tests.strategies.meanings import function_of
from tests.strategies.programs import RATIONAL, programs

OVER = NumPy()
V, W, X, Y = (Var(name, Real) for name in "vwxy")
F = Var("f", Fun(Real, Real))


def plus(*terms):
    return call(PLUS, *terms)


def test_definition_5_6_of_a_function_is_a_copower():
    pair = Product(Real, Real)
    function = Fun(Real, pair)
    assert primal(function) is Fun(Real, Product(pair, Fun(pair, Real)))
    assert cotangent(function) is copower(Real, pair)


@given(programs(RATIONAL, depth=4, straight=True, forms=frozenset()))
def test_definition_5_7_has_the_type_that_figure_3_gives_it(program):
    lam = function_of(program).program().lam
    back = Fun(cotangent(lam.body.type), cotangents(lam.params))
    term = chad(lam).body
    assert term.type is Product(primal(lam.body.type), back)
    assert linear_in(term) == CARTESIAN


@pytest.mark.parametrize(
    ("term", "rule"),
    [
        (plus(V, W), "+"),
        (Tuple((V, X)), "⟨⟩"),
        (App(App(Var("g", Fun(Real, F.type)), X), plus(V, X)), "+"),
        (App(Lam((X,), Tuple((X, F))), V), "@"),
        (call(CASE, call(TIMES, X, V), Lam((Y, W), X)), "λ⊸"),
        (call(TIMES, V, V), "!⊗"),
        (Lam((Y,), X), "λ⊸"),
        (plus(V, X), "+"),
    ],
)
def test_figure_3_refuses_what_is_not_linear(term, rule):
    with pytest.raises(TypeMismatch, match=rf"the rule of {re.escape(rule)} "):
        linear_in(term, frozenset("vw"))


DOUBLE = Lam((X,), plus(X, X))


@given(st.floats(-9, 9), st.floats(-9, 9))
def test_the_equations_of_figure_4_hold(s, r):
    def value(term):
        return meaning(Lam((V, W), term), LinearFunctions(OVER))(s, r)

    def at(term):
        return value(App(DOUBLE, term))

    assert at(V) == s + s
    assert at(zero(Real)) == 0
    assert at(plus(V, W)) == pytest.approx(at(V) + at(W))
    assert value(plus(V, zero(Real))) == s
    assert value(plus(V, W)) == value(plus(W, V))
    swap = call(CASE, call(TIMES, W, V), Lam((X, Y), Tuple((X, Y))))
    assert value(swap) == (r, s)


@pytest.mark.parametrize(("times", "applied", "added"), [(4, 15, 8), (8, 31, 16), (12, 47, 24)])
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
    assert linear_in(chad(lam).body) == CARTESIAN
    for system in (gradient, accumulated):
        found = system(lam, (0.7, 1.3), 1.0, OVER).cotangent
        np.testing.assert_allclose(found, dc.grad(f, (0, 1))(0.7, 1.3))


def test_a_branch_is_refused_by_name():
    lam = lam_of(lambda x: dc.cond(x > 0, lambda: x, lambda: np.sin(x)), 1.0)
    with pytest.raises(MissingRule, match=r"CHAD \(002, Def\. 5\.7\)"):
        chad(lam)


def test_the_rounds_of_a_loop_are_written_out():
    lam = lam_of(lambda v, x: dc.fold(lambda c, row: c * row, x, v), np.array([2.0, 3.0]), 1.0)
    found = gradient(lam, (np.array([2.0, 3.0]), 1.0), 1.0, OVER)
    assert found.cotangent.tolist() == [3, 2, 6]
