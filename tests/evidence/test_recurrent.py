"""The programs of section 2 of 004: a cell closed over its parameters, folded over a series."""

import functools

import numpy as np
import pytest

import diffcurry as dc
from diffcurry import Product, Real, Tensor

HIDDEN, STEPS = 3, 5


def rnn_cell(params, state, x):
    """``rnnCell :: Params -> (State, Input) -> State``."""
    weights, recurrent, bias = params
    return np.tanh(recurrent @ state + weights * x + bias)


def run_rnn(cell, initial, xs):
    """``runRNN cell = foldl cell``: it knows nothing of parameters."""
    return dc.fold(cell, initial, xs)


def partially_applied(params, initial, xs):
    cell = dc.fun(lambda s, x: rnn_cell(params, s, x), Tensor((HIDDEN,)), Real)
    return np.sum(run_rnn(cell, initial, xs))


def curried(params, initial, xs):
    """The cell is returned by a function of the parameters: an arrow to an arrow."""
    types = Product(Tensor((HIDDEN,)), Tensor((HIDDEN, HIDDEN)), Tensor((HIDDEN,)))
    make = dc.fun(lambda p: dc.fun(lambda s, x: rnn_cell(p, s, x), Tensor((HIDDEN,)), Real), types)
    return np.sum(run_rnn(make(params), initial, xs))


def inlined(params, initial, xs):
    state = initial
    for i in range(STEPS):
        state = rnn_cell(params, state, xs[i])
    return np.sum(state)


@pytest.fixture
def point():
    random = np.random.default_rng(0)
    shapes = (HIDDEN,), (HIDDEN, HIDDEN), (HIDDEN,)
    params = tuple(random.normal(size=shape) / 2 for shape in shapes)
    return params, random.normal(size=HIDDEN), random.normal(size=STEPS)


@pytest.mark.parametrize("mode", ["dependent", "simple", "forward"])
@pytest.mark.parametrize("program", [partially_applied, curried])
def test_the_gradient_is_that_of_the_loop_without_closures(program, mode, point):
    value, gradients = dc.value_and_grad(program, argnums=(0, 1, 2), mode=mode)(*point)
    true, known = dc.value_and_grad(inlined, argnums=(0, 1, 2))(*point)
    np.testing.assert_allclose(value, true, rtol=1e-14)
    for found, expected in zip(
        (*gradients[0], *gradients[1:]), (*known[0], *known[1:]), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-13)


def test_the_gradient_is_that_of_differences(point):
    dc.check_grads(partially_applied, point)


def test_the_cell_is_an_argument_whose_cotangent_is_its_parameters(point):
    params, initial, xs = point
    cell = functools.partial(rnn_cell, params)
    run = lambda cell: np.sum(run_rnn(cell, initial, xs))
    captured = dc.vjp(run, cell)[1](1.0)[0]["params"]
    for found, expected in zip(captured, dc.grad(inlined)(*point), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-13)
    calls = dc.vjp(run, cell, mode="simple")[1](1.0)[0]
    assert len(calls) == STEPS
    assert [call.argument[1] for call in calls] == list(xs[::-1])
