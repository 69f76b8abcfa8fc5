"""No derivative confuses its perturbation with another's, at any nesting, in any mode."""

import itertools

import numpy as np
import pytest

import diffcurry as dc
from diffcurry import Fun, Real

MODES = {
    "grad": lambda f: dc.grad(f),
    "value_and_grad": lambda f: lambda x: dc.value_and_grad(f)(x)[1],
    "vjp": lambda f: lambda x: dc.vjp(f)(x)[1](1.0)[0],
    "jvp": lambda f: lambda x: dc.jvp(f, (x,), (1.0,))[1],
    "jacrev": lambda f: dc.jacrev(f),
    "jacfwd": lambda f: dc.jacfwd(f),
}
FEW = {name: MODES[name] for name in ("grad", "vjp", "jvp")}
one = pytest.mark.parametrize("d", MODES.values(), ids=MODES)


def pairs(modes):
    found = list(itertools.product(modes, repeat=2))
    values = [tuple(map(MODES.get, pair)) for pair in found]
    return pytest.mark.parametrize(("outer", "inner"), values, ids=map("-".join, found))


two, every_two = pairs(FEW), pairs(MODES)
three = pytest.mark.parametrize(
    ("d", "e", "f"),
    [tuple(map(FEW.get, modes)) for modes in itertools.product(FEW, repeat=3)],
    ids=["-".join(modes) for modes in itertools.product(FEW, repeat=3)],
)


@every_two
def test_the_inner_derivative_is_one_and_so_is_the_outer(outer, inner):
    """Siskind and Pearlmutter (2005): d/dx (x · d/dy (x + y)) = 1."""
    f = outer(lambda x: x * inner(lambda y: x + y)(1.0))
    assert [f(x) for x in (1.0, 0.0, -2.5)] == [1.0, 1.0, 1.0]


@two
def test_the_inner_derivative_depends_on_the_outer_variable(outer, inner):
    """d/dx (x · d/dy (x · y)) = 2x, where confusion gives another multiple."""
    f = outer(lambda x: x * inner(lambda y: x * y)(2.0))
    assert f(3.0) == 6.0
    g = outer(lambda x: x * inner(lambda y: x * y * y)(x))
    assert g(2.0) == 24.0  # 2 x³


@two
def test_the_derivative_at_the_outer_point(outer, inner):
    """d/dx (d/dy sin(x y) at y = x) = d/dx (x cos x²)."""
    f = outer(lambda x: inner(lambda y: np.sin(x * y))(x))
    x = 0.75
    np.testing.assert_allclose(f(x), np.cos(x * x) - 2 * x * x * np.sin(x * x), rtol=1e-14)


@three
def test_three_levels(d, e, f):
    """x · d/dy (y · d/dz (x y z² at z = y) at y = x) = x · d/dy (2 x y³) = 6 x⁴."""
    g = d(lambda x: x * e(lambda y: y * f(lambda z: x * y * z * z)(y))(x))
    assert g(2.0) == 24 * 2.0**3
    h = d(lambda x: x * e(lambda y: y * f(lambda z: x + y + z)(y))(x))
    assert h(5.0) == 1.0


def shifted(u):
    """Manzyuk et al. (2019): s u f y = f (y + u)."""
    return lambda f: dc.fun(lambda y: f(y + u), Real)


@two
def test_the_amazing_bug(outer, inner):
    """D (s) 0 = D: applied twice to h it is h″, and not 0 or h′."""

    def slope(d):
        return lambda h: dc.fun(lambda y: d(lambda u: shifted(u)(h)(y))(0.0), Real)

    h = dc.fun(lambda t: np.sin(t) * t, Real)
    y = 0.7
    true = 2 * np.cos(y) - y * np.sin(y)
    np.testing.assert_allclose(slope(outer)(slope(inner)(h))(y), true, rtol=1e-14)
    cubic = dc.fun(lambda t: t * t * t, Real)
    assert slope(outer)(slope(inner)(slope(outer)(cubic)))(y) == pytest.approx(6.0, rel=1e-14)


@one
def test_a_derivative_that_is_kept_in_a_function(d):
    """The function that a derivative gives still knows the outer variable."""

    def outer(x):
        slope = dc.fun(lambda y: d(lambda z: x * z * z)(y), Real)  # 2 x y
        return slope(x) * slope(1.0)

    assert dc.grad(outer)(3.0) == 12 * 9.0  # 4 x³


def test_functions_returned_by_derivatives():
    """The pullback of one derivative is called under another, at another point."""

    def f(x):
        _, pull = dc.vjp(lambda y: x * y * y)(x)  # dy ↦ 2 x² dy
        return dc.grad(lambda z: pull(z * x)[0] * z)(x)  # d/dz (2 x³ z²) at x = 4 x⁴

    assert dc.fun(f)(2.0) == 64.0
    assert dc.grad(f)(2.0) == 16 * 8.0
    assert dc.jvp(f, (2.0,), (1.0,))[1] == 16 * 8.0


ON_VECTORS = {
    "grad": lambda f: dc.grad(f),
    "vjp": lambda f: lambda x: dc.vjp(f)(x)[1](1.0)[0],
    "jacrev": lambda f: dc.jacrev(f),
    "jacfwd": lambda f: dc.jacfwd(f),
}
gradients = pytest.mark.parametrize("d", ON_VECTORS.values(), ids=ON_VECTORS)


def quadratic(p):
    return 2.0 * p[0] * p[0] + 3.0 * p[0] * p[1] + 4.0 * p[1] * p[1]


X, V = np.array([3.0, 4.0]), np.array([7.0, 8.0])


@gradients
@pytest.mark.parametrize("e", ON_VECTORS.values(), ids=ON_VECTORS)
def test_the_hessian_vector_product_of_ltub(d, e):
    """Section 5 of 001: J of a λ that calls J and has a free reference to v."""
    times = dc.fun(lambda x, v: d(lambda z: np.sum(e(quadratic)(z) * v))(x))
    np.testing.assert_array_equal(times(X, V), [52.0, 85.0])


@gradients
def test_the_hessian_vector_product_of_ltub_forwards(d):
    times = dc.fun(lambda x, v: dc.jvp(d(quadratic), (x,), (v,))[1])
    np.testing.assert_array_equal(times(X, V), [52.0, 85.0])
    back = dc.grad(lambda x, v: dc.jvp(quadratic, (x,), (v,))[1])
    np.testing.assert_array_equal(back(X, V), [52.0, 85.0])
    np.testing.assert_array_equal(dc.hvp(quadratic, (X,), (V,)), [52.0, 85.0])
    np.testing.assert_array_equal(dc.hessian(quadratic)(X), [[4.0, 3.0], [3.0, 8.0]])


@gradients
@pytest.mark.parametrize("e", [ON_VECTORS["grad"], ON_VECTORS["vjp"]], ids=["grad", "vjp"])
def test_the_saddle_point_of_ltub(d, e):
    """min over (s, t) of max over (u, v) of s² + t² - u² - v², each a fold of fixed steps."""
    steps, rate = np.arange(30), 0.25

    def height(p, q):
        return p[0] * p[0] + p[1] * p[1] - q[0] * q[0] - q[1] * q[1]

    def highest(p):
        def climbed(q, i):
            return q + rate * e(lambda r: height(p, r))(q)

        return dc.fold(climbed, np.array([1.0, 1.0]), steps)

    def descended(p, i):
        return p - rate * d(lambda r: height(r, highest(r)))(p)

    found = dc.fun(lambda p: dc.fold(descended, p, steps))
    p = found(np.array([1.0, 1.0]))
    np.testing.assert_allclose(p, [0.0, 0.0], atol=1e-8)
    np.testing.assert_allclose(dc.fun(highest)(p), [0.0, 0.0], atol=1e-8)
    assert str(found.program(p)).count("fold") <= 8  # nothing is unrolled


def test_the_saddle_point_is_differentiated_through_both_folds():
    """d/ds of what n steps leave of s is (1 - 2 rate)ⁿ."""
    steps, rate = np.arange(5), 0.25

    def lowest(s, target):
        def inner(p):
            q = dc.fold(lambda q, i: q + rate * dc.grad(lambda r: -r * r)(q), 1.0, steps)
            return (p - target) * (p - target) - q * q

        return dc.fold(lambda p, i: p - rate * dc.grad(inner)(p), s, steps)

    assert dc.grad(lowest, (0, 1))(3.0, 0.5) == (0.5**5, 1 - 0.5**5)


def test_a_known_function_as_an_argument_of_a_gradient_is_differentiated_again():
    apply = dc.fun(lambda f, x: f(x) * x, Fun(Real, Real), Real)

    def f(x):
        return dc.grad(lambda z: apply(dc.fun(lambda t: t * t * x, Real), z))(x)

    assert dc.fun(f)(2.0) == 3 * 8.0  # d/dz (x z³) at z = x
    assert dc.grad(f)(2.0) == 9 * 4.0
