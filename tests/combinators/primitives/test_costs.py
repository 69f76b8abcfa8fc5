"""What value and pullback cost together: counted."""

import numpy as np
import pytest

import combinators.primitives as p
from combinators.morphisms import interpret
from combinators.objects import Real, Tensor
from combinators.operation import PRIMITIVES, Operation
from combinators.tracing.functions import Draft
from combinators.translate import translate
from interpreters.carriers.counting import Counting
from interpreters.carriers.numpy import NumPy
from interpreters.modes.reverse import Dependent


def counted(function, *types):
    lam = Draft(function, types, (None,) * len(types)).finish().lam
    carrier = Counting(NumPy())
    mode = Dependent(carrier)
    xs = tuple(NumPy().lift(np.full(t.shape, 0.5), t) for t in types)
    y, pullback = mode.rep(interpret(translate(lam.params, lam.body), mode), xs)
    pullback(np.ones_like(y)[()])
    return carrier.total


@pytest.mark.parametrize(
    ("function", "arity", "most"),
    [
        (p.add, 2, 1),
        (p.subtract, 2, 2),
        (p.multiply, 2, 3),
        (p.divide, 2, 4),
        (p.negative, 1, 2),
        (p.sin, 1, 3),
        (p.cos, 1, 4),
        (p.exp, 1, 2),
        (p.log, 1, 2),
        (p.tanh, 1, 4),
        (p.square, 1, 3),
        (p.sqrt, 1, 3),
        (p.sigmoid, 1, 4),
    ],
)
def test_the_cheap_gradient(function, arity, most):
    assert counted(function, *[Real] * arity) == most


def test_moves_are_free_and_a_mean_is_one_division():
    matrix = Tensor((3, 4))
    assert counted(lambda x: x.T[1:, ::-1].reshape(-1), matrix) == 0
    assert counted(lambda x: p.concatenate([x, x]), matrix) == 12
    assert counted(p.mean, matrix) == 12 + 1 + 1


def test_a_product_of_matrices_counts_its_multiplications_and_additions():
    assert counted(p.matmul, Tensor((2, 3)), Tensor((3, 4))) == 3 * 2 * 2 * 3 * 4
    assert counted(lambda x, y: np.einsum("ij,kj->ik", x, y), Tensor((2, 3)), Tensor((4, 3))) == 144


def test_the_gradient_of_a_product_is_linear_in_its_elements():
    small, large = (counted(p.prod, Tensor((n,))) for n in (1_000, 10_000))
    assert large < 11 * small
    assert large <= 5 * 10_000


@pytest.mark.parametrize("name", ["reshape", "transpose", "slice", "embed", "take", "where"])
def test_what_moves_declares_no_cost(name):
    assert PRIMITIVES[name].cost([Real], Real) == 0
    assert Operation(PRIMITIVES[name]).name == name
