"""Closed under J: derivatives of derivatives of functions whose code is known only when they run.

A conditional chooses the function, a loop makes it, or a caller gives it; an inner derivative is
taken of it in one way, and outer ones, to the third order, in every other.
"""

import numpy as np
import pytest

import diffcurry as dc
from diffcurry import Fun, Real, cond, fold, fun

STEPS = np.array([0.5, -0.3, 0.8])


def chosen(x):
    return cond(x > 0, lambda: fun(lambda z: np.sin(z) * x, Real), lambda: fun(lambda z: z, Real))


def chosen_twice(x):
    g = chosen(x)
    return cond(x > 0.5, lambda: fun(lambda z: g(z * z), Real), lambda: g)


def constant_in_a_loop(x):
    return fold(lambda g, a: fun(lambda z: np.sin(z) * a * x, Real), chosen(x), STEPS)


def made_by_a_loop(x):
    def storey(below, a):
        return fun(lambda z: below(z) * np.sin(z) + a * x, Real)

    return fold(storey, fun(lambda z: z * x, Real), STEPS)


def given(x):
    take = fun(lambda g: fun(lambda z: g(z) * z, Real), Fun(Real, Real))
    return take(chosen(x))


def vector(x):
    return dc.map(lambda a: fun(lambda z: np.sin(z) * a * x, Real), STEPS)


def one_of_a_vector(x):
    return vector(x)[-1]


MADE = [chosen, chosen_twice, constant_in_a_loop, made_by_a_loop, given, one_of_a_vector]


def plain(make, x):
    """The function that ``make`` makes at ``x > 0.5``, in plain Python on complex numbers."""
    if make is chosen:
        return lambda z: np.sin(z) * x
    if make is chosen_twice:
        return lambda z: np.sin(z * z) * x
    if make is given:
        return lambda z: np.sin(z) * x * z
    if make in (constant_in_a_loop, one_of_a_vector):
        return lambda z: np.sin(z) * STEPS[-1] * x
    g = lambda z: z * x
    for a in STEPS:
        g = lambda z, below=g, a=a: below(z) * np.sin(z) + a * x
    return g


def slope(mode, g, x):
    """The derivative of a function value, taken inside a program."""
    if mode == "jvp":
        return dc.jvp(g, (x,), (1.0,))[1]
    if mode == "vjp":
        return dc.vjp(g, x)[1](1.0)[0]
    return dc.grad(g, mode=mode)(x)


def by_circle(f, x, order):
    """The derivative by Cauchy's formula on a small circle."""
    angles = np.exp(2j * np.pi * np.arange(64) / 64)
    values = np.array([f(x + 0.1 * angle) for angle in angles])
    factor = np.prod(np.arange(1, order + 1)) / 0.1**order
    return float(np.mean(values * angles**-order).real * factor)


@pytest.mark.parametrize("make", MADE, ids=lambda make: make.__name__)
@pytest.mark.parametrize("inner", ["dependent", "simple", "jvp", "vjp"])
def test_the_derivative_of_a_derivative_of_an_unknown_function(make, inner):
    def program(x):
        return slope(inner, make(x), x)

    def known(x):
        return by_complex_step(make, x)

    at = 0.9
    for order, outer in enumerate([program, dc.grad(program), dc.grad(dc.grad(program))]):
        assert np.isclose(outer(at), by_circle(known, at, order)), (order, outer)
    assert np.isclose(dc.hessian(program)(at), by_circle(known, at, 2))
    assert np.isclose(dc.jvp(program, (at,), (1.0,))[1], by_circle(known, at, 1))
    assert np.isclose(dc.jvp(dc.grad(program), (at,), (1.0,))[1], by_circle(known, at, 2))
    for mode in ("simple", "forward"):
        assert np.isclose(dc.grad(program, mode=mode)(at), by_circle(known, at, 1))


def by_complex_step(make, x):
    """``g'(x)`` of the function that is made at ``x``, both complex."""
    angles = np.exp(2j * np.pi * np.arange(32) / 32)
    g = plain(make, x)
    return np.mean([g(x + 0.1 * angle) / angle for angle in angles]) / 0.1


@pytest.mark.parametrize("make", MADE, ids=lambda make: make.__name__)
def test_derivatives_of_unknown_functions_are_taken_again_and_again(make):
    def second(x):
        return dc.grad(dc.grad(make(x)))(x)

    def known(x):
        angles = np.exp(2j * np.pi * np.arange(32) / 32)
        g = plain(make, x)
        return np.mean([g(x + 0.1 * angle) / angle**2 for angle in angles]) / 0.01 * 2

    at = 0.9
    assert np.isclose(fun(second, Real)(at), by_circle(known, at, 0))
    assert np.isclose(dc.grad(second)(at), by_circle(known, at, 1))
    assert np.isclose(dc.hessian(second)(at), by_circle(known, at, 2))


def test_a_derivative_of_a_function_that_a_caller_gives_is_differentiated():
    along = fun(lambda g, x: dc.grad(lambda z: g(z) * x)(x), Fun(Real, Real), Real)
    slope = dc.grad(along, argnums=1)
    assert "rep" not in str(slope.program())
    expected = np.cos(1.0) - np.sin(1.0)
    assert np.isclose(slope(np.sin, 1.0), expected)
    assert np.isclose(dc.grad(slope, argnums=1)(np.exp, 0.0), 2.0)


def test_the_second_derivative_of_a_chosen_function_is_computed_inside_a_program():
    def g(p):
        return cond(p > 0, lambda: fun(np.sin, Real), lambda: fun(lambda t: t**3, Real))

    second = fun(lambda p, x: dc.grad(dc.grad(g(p)))(x), Real, Real)
    assert np.isclose(second(1.0, 0.5), -np.sin(0.5))
    assert np.isclose(second(-1.0, 0.5), 3.0)
    assert np.isclose(dc.grad(second, argnums=1)(1.0, 0.5), -np.cos(0.5))


def test_a_transform_of_a_function_parameter_can_be_returned():
    cube = lambda z: z * z * z
    for of in (lambda f: dc.grad(f), lambda f: dc.grad(fun(f, Real))):
        make = fun(of, Fun(Real, Real))
        assert fun(lambda x, make=make: make(cube)(x), Real)(2.0) == 12.0
        assert dc.grad(fun(lambda x, make=make: make(cube)(x), Real))(2.0) == 12.0


def test_second_derivatives_of_folds_whose_carry_is_a_function():
    """A branch that opens a Tangent is not computed where it is not chosen."""

    def f(x):
        first = fold(lambda b, r: fun(lambda z: r, Real), fun(lambda z: 1.0, Real), x[1] + 1.0)
        v = first(0.0)
        total = np.sum(dc.map(lambda r: v, np.array([1.54, 0.67])))
        still = fun(lambda z: v * v, dc.Tensor((3,)))
        passed = fold(lambda b, r: fun(lambda z: b(z), dc.Tensor((3,))), still, x)
        return total + cond(v < 1.0, lambda: passed, lambda: still)(np.ravel(x))

    for v in (-0.7, 0.7):
        at = np.array([[0.3], [v], [1.1]])
        expected = np.zeros((3, 1, 3, 1))
        expected[1, 0, 1, 0] = 2.0
        assert np.allclose(dc.hessian(f)(at), expected)
        assert np.allclose(dc.jacrev(dc.grad(f))(at), expected)


@pytest.mark.parametrize(
    "over",
    [lambda f, fs: fold(lambda c, g: c + f(g), 0.0, fs), lambda f, fs: np.sum(dc.map(f, fs))],
)
def test_derivatives_of_a_vector_of_functions_are_differentiated_in_loops(over):
    slopes = lambda x: over(lambda g: dc.grad(g)(x), vector(x))  # Σa · x cos x
    total = np.sum(STEPS)
    assert np.isclose(dc.grad(slopes)(0.7), total * (np.cos(0.7) - 0.7 * np.sin(0.7)))
    assert np.isclose(dc.hessian(slopes)(0.7), -total * (2.0 * np.sin(0.7) + 0.7 * np.cos(0.7)))
