"""Second derivatives against SymPy's."""

import numpy as np
import pytest
import sympy

import diffcurry as dc
from diffcurry import Real

X, Y = sympy.symbols("x y")
POINT = (0.7, -1.2)


def closure(x, y):
    f = dc.fun(lambda z: np.sin(z * x) * y, Real)
    return f(y) * f(x)


def folded(x, y):
    return dc.fold(lambda c, w: np.tanh(c * x + w * y), x, np.array([0.5, -1.0]))


PROGRAMS = [
    (lambda x, y: x * x * y + np.exp(x * y), X**2 * Y + sympy.exp(X * Y)),
    (lambda x, y: x / (1.0 + y * y), X / (1 + Y**2)),
    (closure, sympy.sin(Y * X) * Y * sympy.sin(X * X) * Y),
    (folded, sympy.tanh(sympy.tanh(X * X + Y / 2) * X - Y)),
]
each = pytest.mark.parametrize(("f", "formula"), PROGRAMS)


def true(formula):
    there = dict(zip((X, Y), POINT, strict=True))
    return np.array(sympy.hessian(formula, (X, Y)).subs(there), dtype=float)


@each
def test_the_hessian(f, formula):
    found = dc.hessian(f, argnums=(0, 1))(*POINT)
    np.testing.assert_allclose(found, true(formula), rtol=1e-12)


@each
def test_a_hessian_times_a_vector(f, formula):
    found = dc.hvp(f, POINT, (2.0, -3.0), argnums=(0, 1))
    np.testing.assert_allclose(found, true(formula) @ [2.0, -3.0], rtol=1e-12)


def test_the_hessian_of_an_array_and_of_containers():
    point = np.array([2.0, 3.0])
    found = dc.hessian(lambda x: x[0] * x[1] * x[1])(point)
    np.testing.assert_array_equal(found, [[0.0, 6.0], [6.0, 4.0]])
    nested = dc.hessian(lambda p: p["a"] * p["b"])({"a": 1.0, "b": 2.0})
    assert nested == {"a": {"a": 0.0, "b": 1.0}, "b": {"a": 1.0, "b": 0.0}}
