"""One engine: every verb at numbers is a compiled program, of function arguments too."""

import functools
import math

import numpy as np
import pytest

import diffcurry as dc
from diffcurry import interpretation
from diffcurry.rep_function import LinearMap
from tests.house.calls import entered

XS = np.linspace(0.1, 1.0, 7)


def loss(cell, c):
    return dc.fold(cell, c, XS)


def cell(a, c, x):
    return np.sin(c) * x * a + 0.1


def partial(a=1.5):
    return functools.partial(cell, a)


@pytest.fixture
def runs(monkeypatch):
    """The sines that compiled Python computes."""
    seen, sine = [], math.sin
    monkeypatch.setattr(math, "sin", lambda x: (seen.append(x), sine(x))[1])
    with dc.backend("python"):
        yield seen


def test_a_pullback_does_not_run_the_value_again(runs):
    value, pullback = dc.vjp(lambda x: np.sin(x) * x, 2.0)
    first = len(runs)
    assert first
    assert isinstance(pullback, LinearMap)
    assert pullback(1.0) == pullback(1.0) == (np.sin(2.0) + 2.0 * np.cos(2.0),)
    assert pullback(0.5)[0] == pytest.approx(0.5 * pullback(1.0)[0])
    assert len(runs) == first
    assert value == 2.0 * np.sin(2.0)


def test_a_linearisation_runs_the_linear_part_alone(runs):
    f = lambda c: dc.fold(lambda c, x: np.sin(c) * x, c, XS)
    value, derivative = dc.linearize(f, 2.0)
    expected = dc.jvp(f, (2.0,), (1.0,))
    assert runs
    runs.clear()
    np.testing.assert_allclose(
        [value, derivative(1.0), derivative(2.0)], [*expected, 2 * expected[1]]
    )
    assert not runs


def test_the_transpose_of_a_linearisation_is_the_pullback_and_is_differentiated():
    _, derivative = dc.linearize(lambda x: x * x * x, 2.0)
    assert dc.linear_transpose(derivative, 0.0)(1.0) == (12.0,)
    transpose = dc.linear_transpose(lambda x: 3.0 * x, 0.0)
    assert dc.jvp(transpose, (1.0,), (2.0,)) == ((3.0,), (6.0,))


def along(function, args, tangents):
    return interpretation.pushing(dc.fun(function), args)(tangents)


def test_what_a_function_captured_is_passed_and_its_gradient_is_the_record_of_it():
    f_bar, c_bar = dc.grad(loss, argnums=(0, 1))(partial(), 0.3)
    ran = interpretation.vjp(dc.fun(loss), (partial(), 0.3), has_aux=False, mode="dependent")
    expected = ran[1](1.0)
    np.testing.assert_allclose([f_bar["a"], c_bar], [expected[0]["a"], expected[1]])
    value, pullback = dc.vjp(loss, partial(), 0.3)
    assert value == ran[0]
    np.testing.assert_allclose([pullback(1.0)[0]["a"], pullback(1.0)[1]], [f_bar["a"], c_bar])


def test_forward_mode_and_second_derivatives_move_what_was_captured():
    args, tangents = (partial(), 0.3), ({"a": 2.0}, 0.5)
    np.testing.assert_allclose(dc.jvp(loss, args, tangents), along(loss, args, tangents))
    np.testing.assert_allclose(
        dc.linearize(loss, *args)[1](*tangents), along(loss, args, tangents)[1]
    )
    moved = dc.hvp(loss, args, tangents, argnums=(0, 1))
    inlined = lambda a, c: loss(partial(a), c)
    expected = dc.hvp(inlined, (1.5, 0.3), (2.0, 0.5), argnums=(0, 1))
    np.testing.assert_allclose([moved[0]["a"], moved[1]], expected)


def test_one_program_serves_every_value_that_is_captured():
    traced = []

    def step(a, c, x):
        traced.append(a)
        return c * x * a

    slope = dc.grad(dc.fun(loss), 1)
    found = [slope(functools.partial(step, 1.0), 0.5)]
    first = len(traced)
    found += [slope(functools.partial(step, a), 0.5) for a in (2.0, 3.0)]
    assert len(traced) == first
    np.testing.assert_allclose(found, np.prod(XS) * np.array([1.0, 2.0**7, 3.0**7]))


def test_other_code_and_other_constants_have_programs_of_their_own():
    def scaled(k):
        return lambda c, x: c * x * k

    slope = dc.grad(dc.fun(loss), 1)
    for k in (1.0, 2.0, 3.0, 1.0, 2.0):
        np.testing.assert_allclose(slope(scaled(k), 0.5), np.prod(XS) * k**7)
    assert slope(lambda c, x: c + x, 0.5) == 1.0


def test_what_a_function_argument_reads_is_seen_when_it_changes():
    weights = np.array([2.0])
    held = {"k": 3.0}
    f = lambda z: z * weights[0] * held["k"]
    slope = dc.grad(dc.fun(lambda g, x: g(x)), 1)
    assert [slope(f, 1.0), slope(f, 1.0)] == [6.0, 6.0]
    held["k"] = 5.0
    assert slope(f, 1.0) == 10.0
    weights *= 2.0
    assert slope(f, 1.0) == 20.0
    assert dc.vjp(f, 1.0)[1](1.0) == (20.0,)
    weights *= 2.0
    assert dc.vjp(f, 1.0)[1](1.0) == (40.0,)


def test_functions_in_containers_are_known_too():
    def f(layers, x):
        for layer in layers:
            x = layer["act"](x) * layer["w"]
        return x

    act = dc.fun(functools.partial(lambda k, z: np.tanh(k * z), 0.7), dc.Real)
    layers = [{"act": act, "w": 2.0}, {"act": dc.fun(lambda z: z * z, dc.Real), "w": 3.0}]
    found = dc.grad(f)(layers, 0.4)
    inner = np.tanh(0.28) * 2.0
    assert found[1]["w"] == pytest.approx(inner**2)
    slope = 3.0 * 2.0 * inner * 2.0 * (1.0 - np.tanh(0.28) ** 2) * 0.4
    assert found[0]["act"]["k"] == pytest.approx(slope)
    assert dict(found[1]["act"]) == {}


def test_what_a_pullback_gives_belongs_to_the_caller():
    cotangent = np.ones(3)
    value, pullback = dc.vjp(lambda x, y: np.exp(x) + y, np.zeros(3), np.zeros(3))
    first = pullback(cotangent)
    value *= 100.0
    for found in first:
        np.multiply(found, 7.0, out=found)
    np.testing.assert_array_equal(cotangent, np.ones(3))
    np.testing.assert_array_equal(pullback(cotangent), np.ones((2, 3)))
    argument = np.ones(3)
    _, pullback = dc.vjp(lambda x: np.sum(x * x), argument)
    argument *= 5.0
    np.testing.assert_array_equal(pullback(1.0)[0], np.full(3, 2.0))


def test_the_derivative_of_a_partial_that_is_an_argument_is_its_derivative():
    def step(a, x):
        return a * x * x * x

    slope = dc.grad(functools.partial(step, 2.0))
    assert dc.grad(lambda f, x: f(x), 1)(slope, 3.0) == 36.0
    assert dc.vjp(lambda f, x: f(x), slope, 3.0)[1](1.0)[1] == 36.0
    assert dc.fun(lambda f, x: f(x))(slope, 3.0) == 54.0
    assert dc.grad(lambda x: dc.grad(lambda f, y: f(y), 1)(slope, x))(3.0) == 12.0


def test_a_function_that_is_given_again_with_other_defaults_or_code_is_another():
    def given(z, a=2.0):
        return a * z

    applied = dc.fun(lambda g, x: g(x))
    assert [applied(given, 1.0) for _ in range(3)] == [2.0] * 3
    given.__defaults__ = (3.0,)
    assert [applied(given, 1.0) for _ in range(3)] == [3.0] * 3
    given.__code__ = (lambda z, a: a - z).__code__
    assert [applied(given, 1.0) for _ in range(3)] == [2.0] * 3
    assert [dc.vjp(applied, given, 1.0)[0] for _ in range(3)] == [2.0] * 3
    given.__defaults__ = (5.0,)
    assert [dc.vjp(applied, given, 1.0)[0] for _ in range(3)] == [4.0] * 3


APPLIED = dc.fun(lambda cell, c: dc.fold(cell, c, XS))


@pytest.mark.parametrize("make", [partial, lambda: functools.partial(cell, a=2.5)])
def test_a_function_that_is_given_again_costs_a_look(make):
    assert entered(lambda: APPLIED(make(), 0.3)) < 30
    assert entered(lambda: dc.grad(APPLIED, (0, 1))(make(), 0.3)) > 60  # grad is made anew
    slope = dc.grad(APPLIED, (0, 1))
    assert entered(lambda: slope(make(), 0.3)) < 70


def test_what_a_partial_captures_may_change_at_every_call_and_in_place():
    scale = np.array([1.0, 2.0])
    step = lambda a, c, x: np.sin(c) * x * a[1]
    slope = dc.grad(lambda cell, c: dc.fold(cell, c, XS), (0, 1))
    by_hand = dc.grad(lambda a, c: dc.fold(lambda c, x: step(a, c, x), c, XS), (0, 1))
    made = functools.partial(step, scale)
    for number in (2.0, 3.0, 4.0, 5.0):
        scale[1] = number
        assert entered(lambda: slope(made, 0.3), calls=2) < 80
        for given in (made, functools.partial(step, scale)):
            found, expected = slope(given, 0.3), by_hand(scale, 0.3)
            np.testing.assert_array_equal(found[0]["a"], expected[0])
            assert found[1] == expected[1]


def test_another_partial_of_the_same_function_is_not_taken_for_the_first():
    power = lambda x, of, times=1.0, name=None: of(x) * times if name else of(x)
    applied = dc.fun(lambda f, x: f(x))
    square, cube = (lambda x: x * x), (lambda x: x * x * x)
    for of, times, name in [(square, 2.0, None), (cube, 2.0, None), (square, 3.0, "y")] * 2:
        given = functools.partial(power, of=of, times=times, name=name)
        assert applied(given, 2.0) == of(2.0) * (times if name else 1.0)
        assert applied(functools.partial(power, name=name, of=of), 2.0) == of(2.0)
        assert applied([given, of][0], 2.0) == of(2.0) * (times if name else 1.0)


def test_an_array_that_a_function_argument_reads_is_seen_to_change():
    rows = np.array([1.0, 2.0])
    applied, given = dc.fun(lambda f, x: f(x)), lambda x: x * rows[1]
    for number in (2.0, 2.0, 3.0, 3.0, 3.0, 2.0, 4.0, 4.0, 4.0, 4.0, 5.0):
        rows[1] = number
        assert applied(given, 1.0) == dc.grad(applied, 1)(given, 1.0) == number


def test_an_argument_that_is_converted_is_not_compiled_for_again():
    slope = dc.grad(dc.fun(lambda x: x * x, dc.Real))
    assert slope(3.0) == slope(3) == 6.0
    assert entered(lambda: slope(3)) < 200
