"""Figures 12 to 21 of 003 give the gradients of the fast modes, on random programs."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings

from papers.dual_numbers.bulk_rules import bound, normal_form
from papers.dual_numbers.core_language import evaluate, form, lam, term, var
from papers.dual_numbers.dual_arrays import D, wrapper
from tests.papers.asking import agree
from tests.papers.dual_numbers.asking_core import asked_of, by_the_program
from tests.papers.dual_numbers.core_terms import core_terms, points


@given(t=core_terms(depth=3), at=points())
def test_the_program_of_the_gradient_agrees_with_the_fast_mode(t, at):
    agree({"003, the program of the gradient": by_the_program}, asked_of(t, at))


@pytest.mark.slow
@settings(max_examples=10 * settings.default.max_examples)
@given(t=core_terms(), at=points())
def test_the_program_of_the_gradient_agrees_with_the_fast_mode_many_times(t, at):
    agree({"003, the program of the gradient": by_the_program}, asked_of(t, at))


N = 4
a, i = var("a", N), var("i", of=int)
T_SC = normal_form(form("sumOuter", form("build1", N, lam(i, a[i] * a[N - 1 - i]))))


def test_the_statements_of_d_are_those_of_equation_6():
    """Values first, then identifiers, and a Delta term of constructors, variables and indices."""
    *lines, last = str(D(T_SC)).splitlines()
    kinds = ["genID" in line for line in lines]
    assert kinds == sorted(kinds)
    assert last.count("Share") == 4
    assert "gather" not in last.partition(", Share")[2]


def test_an_index_is_computed_once_for_the_value_and_the_delta_term():
    lines = str(D(a[form("op", "mod", term(7), term(N))])).splitlines()
    assert lines == [
        "do let i = 7 mod 4",
        "   let x = index a [i]",
        "   id1 ← genID",
        "   return (x, Share id1 (Index (Input a) [i]))",
    ]


@pytest.mark.parametrize(("x", "slope"), [(-1.0, [1, 0, 0, 0]), (1.0, [0, 1, 0, 0])])
def test_an_index_may_look_at_a_real_number_and_moves_nothing(x, slope):
    negative = form("op", "less", var("x"), term(0.0))
    t = a[form("cond", negative, term(0), term(1))] * form("cond", negative, var("x"), term(1.0))
    y, (of_a, of_x) = evaluate(wrapper(t), {"a": np.array([2.0, 3, 5, 7]), "x": x, "c": 1.0})
    assert (y, of_x) == ((-2.0, 2.0) if x < 0 else (3.0, 0.0))
    np.testing.assert_array_equal(of_a, x * np.array(slope))


def test_names_of_the_paper_are_free_to_the_program():
    """``c`` is the paper's cotangent, ``shared1`` a name of Fig. 20, ``x1`` one that D gives."""
    c, shared, x = var("c"), var("shared1"), var("x1")
    t = (c + c) * (shared * x + c)
    at = {"c": 2.0, "shared1": 3.0, "x1": 5.0, "c′": 1.0}
    y, slopes = evaluate(wrapper(t), at)
    assert (y, slopes) == (68.0, (38.0, 20.0, 12.0))


def test_the_cotangent_of_an_array_is_an_array():
    y, (slope,) = evaluate(wrapper(a * a), {"a": np.arange(4.0), "c": np.array([1.0, 0, 0, 2])})
    assert (y.tolist(), slope.tolist()) == ([0, 1, 4, 9], [0, 0, 0, 12])


def test_nothing_is_computed_for_the_derivative_by_a_constant():
    assert str(D(a / 2.0)).splitlines()[:-1] == [
        "do let p = [1, 1, 1, 1] ÷ [2.0, 2.0, 2.0, 2.0]",
        "   let x = a ÷ [2.0, 2.0, 2.0, 2.0]",
        "   id1 ← genID",
    ]


def test_the_gradient_of_a_sum_of_nothing_is_zero():
    y, (slope,) = evaluate(
        wrapper(form("sumOuter", form("build1", 0, lam(i, a[i])))), {"a": np.ones(4), "c": 1.0}
    )
    assert (y, slope.tolist()) == (0, [0, 0, 0, 0])


def test_share_is_computed_once_however_often_it_stands():
    doubled = wrapper(chain(12))
    assert str(doubled).count("shared") == 3 * 12
    assert evaluate(doubled, {"x": 1.0, "c": 1.0})[1] == (2.0**12,)


def chain(n):
    """P₁ of section 2.5."""
    xs = [var("x"), *(var(f"x{m}") for m in range(1, n + 1))]
    return bound([(y, x + x) for x, y in pairwise(xs)], xs[-1])
