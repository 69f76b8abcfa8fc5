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
    assert dc.J_inverse(dc.J_inverse(dc.J(dc.J(cube)))) is cube
    typed = dc.fun(cube, dc.Real)
    assert dc.J_inverse(dc.J(typed)) is typed
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


def test_a_pullback_is_additive_in_a_program_too():
    def added(x, y):
        _, pullback = dc.J(lambda x, y: (x * y, {"x": x, "y": y}))(x, y)
        v, w = (1.0, {"x": 2.0, "y": 3.0}), (x, {"x": 0.0, "y": y})
        return pullback(dc.plus(v, w)), dc.plus(pullback(v), pullback(w))

    for found in (added(2.0, 3.0), dc.fun(added, dc.Real, dc.Real)(2.0, 3.0)):
        assert found == ((11.0, 12.0), (11.0, 12.0))


@pytest.mark.parametrize("mode", ["dependent", "simple", "delta", "forward"])
def test_what_two_calls_of_a_closure_give_is_added_and_pulled_back_once(mode):
    def slope(w):
        f, pullback = dc.J(lambda w: dc.fun(lambda z: w * z * z, dc.Real))(w)
        called = lambda x: dc.J(lambda g: g(x))(f)[1](1.0)[0]
        return pullback(dc.plus(called(2.0), called(3.0)))[0]

    assert slope(5.0) == dc.fun(slope, dc.Real)(5.0) == 13.0
    assert dc.grad(lambda w: slope(w) * w, mode=mode)(5.0) == 13.0


def test_cotangents_by_a_sum_are_added_where_they_are_of_one_alternative():
    left, right = dc.inl(3.0), dc.inr(4.0)
    assert dc.plus(left, left) == dc.inl(6.0)
    with pytest.raises(dc.TypeMismatch, match="do not conform"):
        dc.plus(left, right)


@pytest.mark.parametrize(
    ("v", "w"),
    [
        ((1.0, 2.0), (1.0,)),
        (1.0, np.ones(2)),
        ((1.0, 2.0), np.ones(2)),
        (np.ones(3), np.ones(2)),
        ({"a": 1.0}, {"b": 1.0}),
    ],
    ids=repr,
)
def test_what_does_not_conform_has_no_sum(v, w):
    with pytest.raises(dc.TypeMismatch, match="do not conform"):
        dc.plus(v, w)


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
