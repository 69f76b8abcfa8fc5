"""Tangents of functions, and second derivatives along tangents of containers."""

import pytest

import diffcurry as dc
from combinators.errors import TypeMismatch
from diffcurry import Real


def test_the_tangent_of_a_function_is_shown_by_its_type():
    _, tangent = dc.jvp(lambda a: dc.fun(lambda z: z * a * a, Real), (3.0,), (1.0,))
    assert repr(tangent) == "<tangent of Real ⇒ Real>"
    assert tangent(2.0) == 12.0


def test_a_tangent_of_a_function_that_stands_still_is_zero():
    _, tangent = dc.jvp(lambda a: dc.fun(lambda z: z * 2.0, Real), (3.0,), (None,))
    assert tangent(2.0) == 0.0


def test_the_tangent_of_a_function_is_a_tangent_again():
    value, tangent = dc.jvp(lambda a: dc.fun(lambda z: z * a, Real), (3.0,), (1.0,))
    assert dc.jvp(lambda f: f(5.0) * f(1.0), (value,), (tangent,)) == (45.0, 30.0)


def test_the_tangent_of_a_function_of_another_type_is_refused():
    value, _ = dc.jvp(lambda a: dc.fun(lambda z: z * a, Real), (3.0,), (1.0,))
    _, other = dc.jvp(lambda a: dc.fun(lambda x, y: x * y * a, Real, Real), (3.0,), (1.0,))
    with pytest.raises(TypeMismatch, match=r"the argument of <tangent of Real × Real ⇒ Real>"):
        other(5.0)
    with pytest.raises(TypeMismatch, match=r"Real ⇒ Real is <tangent of Real × Real ⇒ Real>"):
        dc.jvp(lambda f: f(5.0), (value,), (other,))


def test_hvp_moves_some_of_a_containers_numbers():
    moved = dc.hvp(
        lambda p: p["x"] * p["x"] * p["y"], ({"x": 2.0, "y": 3.0},), ({"x": 1.0, "y": None},)
    )
    assert moved == {"x": 6.0, "y": 4.0}


def test_hessian_beside_an_integer():
    assert dc.hessian(lambda p: p["n"] * p["x"] ** 2)({"n": 3, "x": 2.0}) == {
        "n": {"n": None, "x": None},
        "x": {"n": None, "x": 6.0},
    }
