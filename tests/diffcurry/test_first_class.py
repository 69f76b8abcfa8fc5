"""J, J⁻¹, 0 and ⊕ as words of the typed language, with the laws that 001 has for them."""

import functools

import numpy as np
import pytest

import diffcurry as dc

ARGUMENTS = [3.0, (1.0, 2), np.array([1.0, 2.0]), {"a": 1.0, "b": (2.0, 3.0)}]


def cube(x):
    return x * x * x


def test_j_inverse_is_the_inverse_of_j():
    assert dc.J_inverse(dc.J(cube)) is cube
    with pytest.raises(dc.TypeMismatch, match="J_inverse takes what J gave"):
        dc.J_inverse(cube)


def test_j_keeps_the_value_and_pulls_back():
    value, pullback = dc.J(cube)(2.0)
    assert (value, pullback(1.0)) == (8.0, (12.0,))


@pytest.mark.parametrize("x", ARGUMENTS, ids=repr)
def test_zero_is_the_unit_of_plus(x):
    nothing = dc.zero(x)
    assert repr(dc.plus(nothing, nothing)) == repr(nothing)


def test_a_pullback_is_additive():
    _, pullback = dc.J(lambda x, y: (x * y, x + y))(2.0, 3.0)
    v, w = (1.0, 2.0), (-3.0, 0.5)
    assert pullback(dc.plus(v, w)) == dc.plus(pullback(v), pullback(w))
    assert pullback(dc.zero((6.0, 5.0))) == (0.0, 0.0)


def test_the_zero_of_a_function_is_of_what_it_captured():
    line = dc.fun(functools.partial(lambda a, x: a * x, 2.0), dc.Real)
    assert dict(dc.zero(line)) == {"a": 0.0}
    assert dict(dc.plus(dc.zero(line), {"a": 3.0})) == {"a": 3.0}


def test_j_goes_over_j():
    slope = lambda f: lambda x: dc.J(f)(x)[1](1.0)[0]
    assert slope(slope(slope(cube)))(2.0) == 6.0
    value, inner = dc.J(dc.J(cube))(3.0)[0]
    assert (value, inner(1.0)) == (27.0, (27.0,))


def test_the_words_stand_inside_programs():
    def moved(x):
        value, pullback = dc.J(cube)(x)
        return dc.plus(pullback(1.0)[0], dc.zero(value)) + dc.plus(x, x)

    assert dc.fun(moved, dc.Real)(2.0) == 16.0
    assert dc.grad(moved)(2.0) == 14.0


def test_no_perturbation_is_confused():
    outer = lambda x: x * dc.J(lambda y: x + y)(1.0)[1](1.0)[0]
    assert dc.J(outer)(1.0)[1](1.0) == (1.0,)
