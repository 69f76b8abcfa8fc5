"""Jacobians in the containers of the result, and in each leaf those of the argument."""

import functools

import numpy as np
import pytest

import diffcurry as dc
from combinators.errors import NotDifferentiable

both = pytest.mark.parametrize("jac", [dc.jacfwd, dc.jacrev])


@both
def test_results_in_containers(jac):
    assert jac(lambda x: {"s": x * x})(3.0) == {"s": 6.0}
    first, second = jac(lambda x: (x, {"s": (x, np.stack([x, x * x]))}))(2.0)
    assert first == 1.0
    assert second["s"][0] == 1.0
    np.testing.assert_array_equal(second["s"][1], [1.0, 4.0])


@both
def test_results_and_arguments_in_containers(jac):
    found = jac(lambda p: {"sum": p["a"] + 2.0 * p["b"], "count": 3})({"a": 1.0, "b": 2.0})
    assert found == {"sum": {"a": 1.0, "b": 2.0}, "count": {"a": None, "b": None}}


@both
def test_the_shape_is_that_of_the_result_then_that_of_the_argument(jac):
    x = np.arange(6.0).reshape(2, 3)
    found = jac(lambda x: np.sum(x * x, axis=1))(x)
    assert found.shape == (2, 2, 3)
    np.testing.assert_array_equal(found[0], [[0.0, 2.0, 4.0], [0.0, 0.0, 0.0]])


@both
def test_integers_among_the_leaves_have_no_columns(jac):
    found = jac(lambda p: p["x"] * p["x"] * p["n"])({"n": 2, "x": 3.0})
    assert found == {"n": None, "x": 12.0}


@both
def test_functions_that_stand_still_are_arguments(jac):
    three = functools.partial(lambda a, z: a * z, 3.0)
    assert jac(lambda g, x: g(x), argnums=1)(three, 2.0) == 3.0


def test_a_long_program_is_written_out_when_it_is_asked_for_again():
    def chain(x):
        for _ in range(400):
            x = x * 1.0 + 0.001 * x
        return x * x

    hessian = dc.hessian(lambda v: np.sum(chain(v)))
    x = np.array([0.5, 1.5])
    first, second = hessian(x), hessian(x)
    np.testing.assert_allclose(first, second, rtol=1e-12)
    assert [hessian._asked, len(hessian._quick)] == [2, 1]


@both
def test_a_jacobian_runs_as_a_program_without_a_loop(jac):
    a = np.random.default_rng(1).standard_normal((4, 3))
    jacobian = jac(lambda x: np.tanh(a @ x))
    x = np.array([0.1, -0.2, 0.3])
    np.testing.assert_allclose(jacobian(x), (1 - np.tanh(a @ x) ** 2)[:, None] * a, rtol=1e-12)
    assert "map" not in str(jacobian.program(x).bulk)


def test_the_columns_of_a_jacobian_are_put_into_one_array():
    x = np.arange(1.0, 21.0).reshape(2, 10)
    columns = lambda x: sum(x[:, i] ** (i + 1) for i in range(10))
    jacobian = dc.jacrev(columns)
    found = jacobian(x)
    powers = np.arange(10)
    np.testing.assert_allclose(found[0, 0], (powers + 1) * x[0] ** powers)
    np.testing.assert_array_equal(found[0, 1], 0)
    source = jacobian.program(x).compiled("jacobian").source
    assert source.count("np.zeros(") + source.count("np.empty(") <= 2


@pytest.mark.parametrize("argnums", [1, (0, 1)])
def test_arguments_in_containers_may_stand_beside(argnums):
    def f(x, y):
        return x["a"][0] ** 2 * y**3

    args = ({"a": (2.0,)}, 3.0)
    assert dc.jacfwd(f, argnums)(*args) == dc.jacrev(f, argnums)(*args)
    assert dc.hessian(f, 1)(*args) == 72.0
    assert dc.hessian(f, (0, 1))(*args)[0] == {"a": (({"a": (54.0,)}, 108.0),)}


def test_a_function_among_the_arguments_that_gives_a_wider_number_than_it_takes():
    g = functools.partial(lambda a, z: np.sin(a * z) * z, 0.7)
    x = np.float32(0.5)
    slope = np.sin(0.35) + 0.35 * np.cos(0.35)
    curve = 1.4 * np.cos(0.35) - 0.245 * np.sin(0.35)
    assert dc.jacobian(lambda x, g: g(x))(x, g) == pytest.approx(slope, rel=1e-6)
    assert dc.jacfwd(lambda x, g: g(x))(x, g) == pytest.approx(slope, rel=1e-6)
    assert dc.hessian(lambda x, g: g(x))(x, g) == pytest.approx(curve, rel=1e-6)


@pytest.mark.parametrize("transform", [dc.jacfwd, dc.hessian])
@pytest.mark.parametrize("argnums", [0, (0, 1)])
def test_a_program_by_a_function_says_that_a_jacobian_is_between_numbers(transform, argnums):
    f = dc.fun(lambda g, x: g(g(x)), dc.Fun(dc.Real, dc.Real), dc.Real)
    with pytest.raises(NotDifferentiable, match="between numbers, and Real ⇒ Real holds functions"):
        transform(f, argnums).program()
