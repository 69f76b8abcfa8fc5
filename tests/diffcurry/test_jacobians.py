"""Jacobians in the containers of the result, and in each leaf those of the argument."""

import functools

import numpy as np
import pytest

import diffcurry as dc

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
