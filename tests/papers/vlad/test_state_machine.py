"""Section 2 of 001, figure by figure, at indices that coincide too; and the R̃ numbers of 6."""

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest

from papers.vlad.state_machine import (
    Transition,
    forward,
    r_tilde,
    reverse_mode,
    states,
    taped,
)


def sine(target, source):
    return Transition(target, (source,), math.sin, (math.cos,))


def times(target, left, right):
    return Transition(target, (left, right), lambda a, b: a * b, (lambda a, b: b, lambda a, b: a))


X = np.array([0.3, 0.7, 1.1])
PROGRAM = [sine(1, 0), times(2, 1, 2), times(2, 2, 2), sine(0, 2), times(0, 0, 0), times(1, 0, 1)]


def numeric(f, x, h=1e-6):
    columns = [
        (np.array(f([*x[:k], x[k] + h, *x[k + 1 :]])) - f([*x[:k], x[k] - h, *x[k + 1 :]])) / 2 / h
        for k in range(len(x))
    ]
    return np.array(columns).T


EACH = [sine(*at) for at in product(range(3), repeat=2)]
EACH += [times(*at) for at in product(range(3), repeat=3)]


@pytest.mark.parametrize("f", EACH, ids=lambda f: f"{f.target}{f.sources}")
def test_figure_2_the_jacobian_of_a_transition(f):
    np.testing.assert_allclose(f.jacobian(X), numeric(f, X), atol=1e-8)


@pytest.mark.parametrize("f", EACH, ids=lambda f: f"{f.target}{f.sources}")
def test_figures_3_and_4_the_jacobian_and_its_transpose_times_a_vector(f):
    v = [0.5, -2.0, 3.0]
    jacobian = numeric(f, X)
    np.testing.assert_allclose(forward([f], X, v)[-1], jacobian @ v, atol=1e-7)
    np.testing.assert_allclose(reverse_mode([f], X, v)[-1], jacobian.T @ v, atol=1e-7)


def test_forward_reverse_and_the_tape_are_one_jacobian():
    jacobian = numeric(lambda x: states(PROGRAM, x)[-1], X)
    for k, e in enumerate(np.eye(3).tolist()):
        np.testing.assert_allclose(forward(PROGRAM, X, e)[-1], jacobian[:, k], atol=1e-8)
        np.testing.assert_allclose(reverse_mode(PROGRAM, X, e)[-1], jacobian[k], atol=1e-8)
        np.testing.assert_array_equal(taped(PROGRAM, X, e), reverse_mode(PROGRAM, X, e)[-1])


def test_section_6_r_tilde_numbers_call_what_fans_in_again():
    def products(rounds):
        counts = Counter()
        chain = [times(0, 0, 0)] * rounds
        assert r_tilde(chain, [1.0], 0, counts) == reverse_mode(chain, [1.0], [1.0])[-1]
        return counts["×"]

    assert [products(rounds) for rounds in (2, 4, 8)] == [6, 30, 510]


def test_r_tilde_numbers_give_the_gradient():
    gradient = r_tilde(PROGRAM, X, 1, Counter())
    np.testing.assert_allclose(gradient, reverse_mode(PROGRAM, X, [0.0, 1.0, 0.0])[-1])
