"""Functions as arguments, results and carries of gradient programs."""

import numpy as np
import pytest

import diffcurry as dc
from diffcurry import Fun, Real, Tensor


def test_functions_as_arguments_are_given_later():
    def f(g, x):
        return g(x) * g(2.0 * x)

    df = dc.grad(dc.fun(f, Fun(Real, Real), Real), 1)
    before = str(df)
    assert "⇒" in before
    x = 0.75
    for g, dg in ((np.sin, np.cos), (np.exp, np.exp)):
        true = dg(x) * g(2 * x) + 2 * g(x) * dg(2 * x)
        np.testing.assert_allclose(df(g, x), true, rtol=1e-15)
    assert str(df) == before
    assert len(df.programs()) == 1


def test_a_second_derivative_through_a_function_argument_is_right():
    """A program that is written before the function is known takes its derivatives with it."""
    f = dc.fun(lambda g, x: dc.grad(lambda z: g(z))(x), Fun(Real, Real), Real)
    second = dc.grad(f, 1)
    np.testing.assert_allclose(second(np.sin, 0.5), -np.sin(0.5), rtol=1e-15)
    assert "rep" not in str(second)
    known = dc.grad(lambda x: f(np.sin, x))
    np.testing.assert_allclose(known(0.5), -np.sin(0.5), rtol=1e-15)


def test_a_function_argument_is_captured_forwards():
    f = dc.fun(lambda g, x: dc.jvp(lambda z: g(z), (x,), (1.0,))[1], Fun(Real, Real), Real)
    np.testing.assert_allclose(f(np.sin, 0.5), np.cos(0.5), rtol=1e-15)


def test_functions_as_results():
    def f(x):
        return dc.fun(lambda y: np.sin(x * y), Real)

    def through(x):
        y, pull = dc.vjp(lambda z: f(z)(3.0))(x)
        return pull(y)[0]  # 3 cos 3x sin 3x

    assert dc.fun(through)(0.5) == pytest.approx(3 * np.cos(1.5) * np.sin(1.5), rel=1e-15)
    slope = dc.grad(through)(0.5)
    assert slope == pytest.approx(9 * np.cos(3.0), rel=1e-14)
    value, tangent = dc.jvp(f, (0.5,), (1.0,))
    assert value(3.0) == np.sin(1.5)
    assert tangent(3.0) == 3 * np.cos(1.5)


def test_a_fold_whose_carry_is_a_function():
    def f(w, xs):
        start = dc.fun(lambda t: t * w, Real)
        composed = dc.fold(lambda g, x: dc.fun(lambda t: np.sin(g(t) * x), Real), start, xs)
        return composed(w)

    xs = np.array([0.5, 1.5, -0.75])
    w = 0.8
    c, d = w * w, 2 * w
    for x in xs:
        c, d = np.sin(c * x), np.cos(c * x) * x * d
    for mode in ("dependent", "forward"):
        np.testing.assert_allclose(dc.grad(f, mode=mode)(w, xs), d, rtol=1e-14)
    second = dc.hvp(f, (w, xs), (1.0, None))
    np.testing.assert_allclose(dc.jvp(dc.grad(f), (w, xs), (1.0, 0 * xs))[1], second, rtol=1e-13)


def test_vectors_of_functions_in_a_branch_that_is_not_taken():
    """What one branch keeps of a loop of functions has a placeholder in the other."""

    def f(x, v):
        def chosen(c, i):
            left, right = dc.fun(lambda t: t * c, Real), dc.fun(lambda t: c * t * i, Real)
            return dc.cond(c < i, lambda: left, lambda: right)(x)

        return dc.cond(x < 1.0, lambda: dc.fold(chosen, x, v), lambda: x)

    v = np.array([0.9, 0.5, 0.7])
    for x in (0.6, 1.5):
        found = dc.grad(f)(x, v)
        np.testing.assert_allclose(found, dc.grad(f, mode="forward")(x, v), rtol=1e-14)
    text = [str(dc.grad(dc.fun(f, Real, Tensor((n,))))).count("\n") for n in (3, 300)]
    assert text[0] == text[1]
