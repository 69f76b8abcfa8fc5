"""Zeros absorb inside of matrix products too: branches not taken give 0, never nan."""

import numpy as np
import pytest

import diffcurry as dc
from combinators.operation import Operation, named
from interpreters.backends.python.python_helpers import HELPERS
from interpreters.carriers.carrier import computation
from interpreters.carriers.numpy import NumPy
from interpreters.carriers.sympy import SymPy

MODES = ["dependent", "simple", "delta", "forward"]
ARGS = np.array([[2.0, 1.0], [0.0, 1.0]]), np.array([1.0, 3.0])
SLOPES = [[-0.75, 1.5], [0.0, 0.0]], [1.0, 0.5]
ABSORBING = Operation(named("matmul"), (("absorbing", True),))


def chosen(a, b):
    def divided(i):
        return np.sum(dc.build(2, lambda j: a[i, j] / a[i, 0] * b[j]))

    return np.sum(dc.build(2, lambda i: dc.cond(a[i, 0] > 0, lambda: divided(i), lambda: 0.0)))


def masked(a, b):
    rows = dc.build(2, lambda i: np.sum(dc.build(2, lambda j: a[i, j] / a[i, 0] * b[j])))
    return np.sum(np.where(a[:, 0] > 0, rows, 0.0))


def multiplied(a, b):
    return np.sum(np.where(a[:, 0] > 0, a / a[:, :1] @ b, 0.0))


GUARDED = [chosen, masked, multiplied]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", GUARDED)
def test_a_branch_that_is_not_taken_gives_zero(f, mode):
    slopes = dc.grad(f, argnums=(0, 1), mode=mode)(*ARGS)
    for found, expected in zip(slopes, SLOPES, strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("f", GUARDED)
def test_on_xla(f):
    pytest.importorskip("jax", reason="JAX is not installed: pip install 'diffcurry[xla]'")
    slopes = dc.xla(dc.grad(f, argnums=(0, 1)))
    for found, expected in zip(slopes(*ARGS), SLOPES, strict=True):
        np.testing.assert_array_equal(np.asarray(found), expected)
    assert "_matmul(" in slopes.source(*ARGS)
    assert "_matmul(" not in dc.xla(dc.grad(f, argnums=(0, 1)), fast_math=True).source(*ARGS)


def test_a_tangent_absorbs_too():
    matrix = np.array([[1.0, np.inf]])
    _, tangent = dc.jvp(lambda x: matrix @ x, (np.ones(2),), (np.array([1.0, 0.0]),))
    np.testing.assert_array_equal(tangent, [1.0])


def test_second_derivatives_absorb():
    def squared(a, b):
        return np.sum(np.where(a[:, 0] > 0, (a / a[:, :1] @ b) ** 2, 0.0))

    found = dc.hessian(squared, argnums=1)(*ARGS)
    np.testing.assert_array_equal(found, [[2.0, 1.0], [1.0, 0.5]])


def test_the_quick_code_multiplies_plainly():
    def network(w, v, x):
        return np.sum(np.tanh(np.tanh(x @ w) @ v))

    source = dc.grad(network, argnums=(0, 1)).source(
        np.ones((3, 4)), np.ones((4, 2)), np.ones((5, 3))
    )
    quick, careful = source.split("\n\n\ndef grad_network(")[1].split("\n\n\ndef ")
    assert quick.count(" @ ") == 5
    assert "_matmul_array" not in quick
    assert careful.count("_matmul_array(") == 3


@pytest.mark.parametrize("seed", range(60))
def test_each_term_is_the_absorbing_product(seed):
    random = np.random.default_rng(seed)
    rows, inner, columns = random.integers(0, 4, 3)
    numbers = [0.0, 1.0, 2.0, -3.0, np.inf, -np.inf, np.nan]
    chances = [0.5, 0.15, 0.1, 0.15, 0.04, 0.03, 0.03]
    x = random.choice(numbers, (*random.permutation([1, 2]), rows, inner), p=chances)
    y = random.choice(numbers, (2, inner, columns), p=chances)
    scale, product = (computation(op, NumPy()) for op in (Operation(named("scale")), ABSORBING))
    with np.errstate(all="ignore"):
        expected = scale(x[..., :, :, None], y[..., None, :, :]).sum(axis=-2)
        space = {"np": np}
        exec(HELPERS["_scale_array"] + "\n" + HELPERS["_matmul_array"], space)
        for multiply in (product, space["_matmul_array"]):
            np.testing.assert_array_equal(multiply(x, y), expected)


def test_symbols_absorb():
    carrier = SymPy()
    x = carrier.lift(np.array([[0.0, 1.0]]), None)
    y = carrier.lift(np.array([[np.inf], [2.0]]), None)
    assert computation(ABSORBING, carrier)(x, y).tolist() == [[2]]
