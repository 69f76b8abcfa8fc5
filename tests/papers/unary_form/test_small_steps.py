"""000, Figs. 14 and 15: steps lead to what a term means."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from combinators.operation import Operation, named
from combinators.terms import Let, Term, const
from interpreters.carriers.numpy import NumPy
from papers.unary_form.languages import ADD, FOLDL, REDUCE, SCANL, SCANR, distinct, let, meaning, op
from papers.unary_form.partial_evaluation import INLINING, normal
from papers.unary_form.reverse import gradient
from papers.unary_form.small_steps import is_value, steps
from tests.papers.unary_form.programs import ARRAYS, PLUS, POINT, A, function, terms


def closed(t: Term) -> Term:
    """A term with numbers for its variables."""
    for x, value in zip(ARRAYS, POINT, strict=True):
        t = let(x, const(value), t)
    made: Term = distinct(t)
    return made


@given(terms())
def test_every_step_keeps_the_type_and_the_last_is_the_meaning(e):
    t = closed(e)
    assert isinstance(t, Let)
    *_, last = steps(t)
    assert all(made.type is e.type for made in steps(t))
    assert is_value(last)
    np.testing.assert_allclose(last.literal.array, meaning(ARRAYS, e, NumPy())(*POINT))


@given(terms(depth=1))
def test_the_gradient_of_the_paper_runs_by_steps(e):
    d = normal(gradient(ARRAYS, e), INLINING)
    expected = meaning(ARRAYS, d, NumPy())(*POINT)
    *_, last = steps(closed(d))
    for one, other in zip(last.items, expected, strict=True):
        np.testing.assert_allclose(one.literal.array, other)


@pytest.mark.parametrize("kind", [REDUCE, FOLDL, SCANL, SCANR])
def test_what_comes_first_of_an_operator_that_does_not_commute_is_what_was_made(kind):
    less_twice = function(lambda x, y: op(Operation(named("subtract")), x, op(ADD, y, y)))
    e = op(kind, less_twice, const(1.0), A)
    *_, last = steps(closed(e))
    np.testing.assert_allclose(last.literal.array, meaning(ARRAYS, e, NumPy())(*POINT))


@pytest.mark.parametrize(
    ("scan", "expected"), [(SCANL, [1.0, 1.5, 2.7, 3.4, 5.4]), (SCANR, [5.4, 4.9, 3.7, 3.0, 1.0])]
)
def test_a_scan_stores_from_its_end(scan, expected):
    *_, last = steps(closed(op(scan, PLUS, const(1.0), A)))
    np.testing.assert_allclose(last.literal.array, expected)
    meant = meaning(ARRAYS, op(scan, PLUS, const(1.0), A), NumPy())(*POINT)
    np.testing.assert_allclose(last.literal.array, meant)
