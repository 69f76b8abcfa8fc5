"""Numbers on XLA: every primitive at every special value, wrapped integers, and element types."""

import itertools

import numpy as np
import pytest

import diffcurry as dc
from combinators.operation import Operation, named
from combinators.terms import Lam, Prim, Var
from tests.interpreters.backends.programs import (
    BINARY,
    OTHERS,
    POWERS,
    SPECIAL,
    UNARY,
    of_element_type,
)
from tests.interpreters.backends.xla.comparing import agrees, asked, on_xla, same

jax = asked()

POINTS = np.array([x for x in SPECIAL if x == 0 or abs(x) > 1e-300 or np.isnan(x)])
"""XLA takes numbers below 2⁻¹⁰²² for 0."""
PAIRS = np.array(list(itertools.product((*POINTS, 3.7, 1e300), repeat=2))).T


@pytest.mark.parametrize("function", [getattr(np, name) for name in UNARY] + list(OTHERS))
def test_functions_of_a_number(function):
    x = np.array([*POINTS, 0.3, -0.7, 710.0, -750.0, 2.5, 1e17])
    if function in (np.sin, np.cos, np.tan):
        x = x[~(np.abs(x) > 1e20) | ~np.isfinite(x)]  # whose last digits no library agrees on
    agrees(lambda x: function(x), x)
    agrees(lambda x: function(x), 0.3)


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_numbers(name):
    function = getattr(np, name)
    x, y = PAIRS
    agrees(lambda x, y: function(x, y), x, y)
    agrees(lambda x, y: function(x, y), 0.5, 3.7)


@pytest.mark.parametrize("name", ["scale", "unscale"])
def test_zeros_absorb(name):
    v, p = (Var(n, dc.Tensor((PAIRS.shape[1],))) for n in "vp")
    lam = Lam((v, p), Prim(Operation(named(name)), (v, p)))
    true = dc.fun(lambda v, p: v)
    assert true is not None
    from interpreters.carriers.pointwise_values import ROWS

    with np.errstate(all="ignore"):
        same(on_xla(lam, *PAIRS), ROWS[name].numpy(*PAIRS))


@pytest.mark.parametrize("power", [2, 3, 2.0, 3.0, -1.0, 0.0, 0.5, 1.5, 17.0])
def test_powers_that_are_known(power):
    agrees(lambda x: x**power, np.array([0.3, 2.0, 1e3]), rtol=1e-12)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "floor_divide", "remainder"])
def test_integers_wrap(name):
    function = getattr(np, name)
    ends = (1, -1, 7, 2**63 - 1, -(2**63), 2**32)
    x, y = np.array(list(itertools.product((0, *ends), ends)), np.int64).T
    agrees(lambda x, y: function(x, y), x, y)


def test_integers_divided_by_zero_are_zero():
    x, zero = np.array([3, -7, 0]), np.array([0, 0, 0])
    found = on_xla(
        dc.fun(lambda x, y: (x // y, x % y, x // 2, x % -3)).program(x, zero).lam, x, zero
    )
    same(found, (zero, zero, x // 2, x % -3))


@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_powers_of_integers_are_total(dtype):
    n, k, powers = POWERS.astype(dtype)
    same(on_xla(dc.fun(lambda n, k: n**k).program(n, k).lam, n, k), powers)
    agrees(lambda n, k: (2**k, np.where(k >= 0, n**k, -7), n**3, n ** (n - 1)), n, k)
    for row in range(0, n.size, 5):
        agrees(lambda n, k: n**k, n[row], k[row])


def test_a_power_in_a_branch_not_taken():
    agrees(lambda i: dc.cond(i > 1, lambda: 2 ** (i - 2), lambda: 0), 0)
    agrees(lambda n: dc.build(4, lambda i: dc.cond(i > n, lambda: 2 ** (i - 2), lambda: 0)), 1)


def test_an_integer_power_and_conversions():
    agrees(lambda n, k: n**k, np.array([3, 10, -2, 0]), np.array([4, 30, 63, 0]))
    x = np.array([0.0, 1.0, -3.7, 2.0**40])
    agrees(lambda x: (x.astype(int), x.astype(bool), (x > 0).astype(float)), x)
    agrees(lambda x: (x.astype(np.float32) * 0.1, x.astype(int) // 3), x)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.uint8, np.int64])
def test_element_types_are_kept(dtype):
    for function, *args in of_element_type(dtype):
        agrees(function, *args)


def test_numbers_of_their_own_keep_their_type():
    x = np.float32(0.7)
    agrees(lambda x: (x * 0.1, dc.cond(x > 0, lambda: x, lambda: 0.3 * x)), x, rtol=1e-6)
    agrees(
        lambda x: dc.fold(lambda c, r: c * 0.5 + r, np.float32(0.1), np.ones(3, np.float32) * x), x
    )
    agrees(lambda x: (np.float32(2.0), 3, True, 1.0, np.where(x > 0, 1.0, 0.0)), x)
    agrees(
        lambda n: (n * 3 + 1, n / 2, dc.fold(lambda c, i: c * 3 + i, 1, np.arange(5))), np.int64(2)
    )


def test_booleans():
    p, q = np.array([True, True, False, False]), np.array([True, False, True, False])
    agrees(lambda p, q: (p & q, p | q, p ^ q, ~p, p == q, p != q, np.where(p, q, p)), p, q)
    agrees(lambda p, q: (np.any(p), np.all(q), np.sum(p), np.maximum(p, q), np.max(p)), p, q)
    agrees(lambda p: (p[0] & p[3], ~p[1]), p)


def test_questions():
    x = np.array([0.0, np.nan, np.inf, -np.inf])
    agrees(lambda x: (np.isnan(x), np.isinf(x), np.isfinite(x), x == x, x < x), x)


def test_the_xla_writer_gives_text_that_is_python_for_numbers_that_change_their_type():
    for number, dtype in ((0, np.int64), (2.0, np.float32), (-3, np.float64), (True, np.int32)):
        agrees(lambda x, n=number, to=dtype: (dc.astype(n, to), x), 1.0)


def test_an_integer_sum_that_leaves_int64_wraps_as_it_does_elsewhere():
    for function in (
        lambda n: dc.negative(-(2**63)) + n,
        lambda n: dc.add(2**62, 2**62) + n,
        lambda n: -(n + 2**62 + (2**62 - 1)),
        lambda n: np.sum(np.array([2**62, 2**62])) + n,
    ):
        agrees(function, np.int64(1))
