"""Several primitives as one: quicker, and the same numbers."""

import numpy as np
import pytest

import diffcurry as dc
from combinators.primitives.reductions import exclusive_cumprod
from interpreters.backends.python import compile_program

RANDOM = np.random.default_rng(5)


def code(function, *args):
    return compile_program(function.program(*args).bulk)


def by_hand(x):
    """The product of all others, for each element: before it, times behind it."""
    before, behind = np.ones_like(x), np.ones_like(x)
    np.cumprod(x[:-1], out=before[1:])
    np.cumprod(x[:0:-1], out=behind[-2::-1])
    return before * behind


@pytest.mark.parametrize("size", [1, 511, 512, 2047, 2048, 2055, 20_000, 32_768, 300_001])
@pytest.mark.parametrize("zeros", [0, 1, 2])
def test_gradients_of_long_products_are_right_and_where_some_are_zero(size, zeros):
    x = 1 + RANDOM.standard_normal(size) / size
    x[RANDOM.permutation(size)[:zeros]] = 0.0
    gradient = dc.grad(np.prod)
    found = gradient(x)
    np.testing.assert_allclose(found, by_hand(x), rtol=1e-12, atol=0)
    assert ("_others" in code(gradient, x).source) == (size >= 512)


def test_products_are_of_one_vector_from_both_ends():
    x, y = 1 + RANDOM.standard_normal((2, 600)) / 600
    scans = lambda x, y: exclusive_cumprod(x, 0) * exclusive_cumprod(y, 0, reverse=True)
    whole, own = dc.fun(scans), dc.fun(lambda x: scans(x, x))
    assert "_others" not in code(whole, x, y).source
    assert "_others" in code(own, x).source
    np.testing.assert_allclose(own(x), by_hand(x), rtol=1e-13)


@pytest.mark.parametrize(
    ("shape", "axis", "short"),
    [
        ((100, 8), 1, True),
        ((10, 10, 128), -1, True),
        ((100, 8), 0, False),
        ((10, 129), 1, False),
        ((600,), 0, False),
        ((4, 8), 1, False),
    ],
)
def test_products_over_a_short_last_axis_are_never_written_down(shape, axis, short):
    x, y = RANDOM.standard_normal((2, *shape))
    inner = dc.fun(lambda x, y: np.sum(x * y, axis=axis))
    assert ("einsum" in code(inner, x, y).source) == short
    np.testing.assert_allclose(inner(x, y), np.sum(x * y, axis=axis), rtol=1e-13, atol=1e-14)


def test_integers_and_products_that_are_spread_stay_as_they_are():
    whole = RANDOM.integers(0, 9, (100, 8))
    assert "einsum" not in code(dc.fun(lambda n: np.sum(n * n, axis=1)), whole).source
    x, y = RANDOM.standard_normal((100, 8)), RANDOM.standard_normal(8)
    assert "einsum" not in code(dc.fun(lambda x, y: np.sum(x * y, axis=1)), x, y).source


def test_single_precision_stays_single():
    x = RANDOM.standard_normal((100, 8)).astype("float32")
    assert dc.fun(lambda x: np.sum(x * x, axis=1))(x).dtype == np.float32
    assert dc.grad(np.prod)(np.ones(5000, "float32")).dtype == np.float32


def moved(x, w, points):
    return np.sum(np.sin((points[None] - x[:, None]) @ w) ** 2)


X, W, POINTS = (RANDOM.standard_normal(s) for s in ((4, 3), (4, 3, 5), (50, 3)))


def test_rows_of_a_cotangent_are_added_before_they_are_multiplied():
    gradient = dc.grad(dc.fun(moved), (0,))
    quick, careful = code(gradient, X, W, POINTS).source.split("def _f_carefully")
    assert ".sum(axis=1, keepdims=True)" in quick
    assert ".sum(axis=1, keepdims=True)" not in careful
    (found,) = gradient(X, W, POINTS)
    pulled = np.sin(2 * ((POINTS[None] - X[:, None]) @ W)) @ W.transpose(0, 2, 1)
    np.testing.assert_allclose(found, -pulled.sum(axis=1), rtol=1e-12)


def test_a_users_product_is_added_in_its_own_order():
    whole = dc.fun(lambda a, b: np.sum(a @ b, axis=0))
    a, b = RANDOM.standard_normal((30, 20)), RANDOM.standard_normal((20, 10))
    assert "keepdims" not in code(whole, a, b).source
    with dc.backend("python"):
        np.testing.assert_array_equal(whole(a, b), np.sum(a @ b, axis=0))
