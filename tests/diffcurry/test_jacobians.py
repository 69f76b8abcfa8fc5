"""Jacobians in the containers of the result, and in each leaf those of the argument."""

from __future__ import annotations

import functools
from typing import Optional

import numpy as np
import pytest

import diffcurry as dc
from combinators.errors import NotDifferentiable, ShapeMismatch
from diffcurry import Int, List, Maybe, Product, Real, Tensor, Vector
from tests.diffcurry.trees import Leaf, Node, Tree

both = pytest.mark.parametrize("jac", [dc.jacfwd, dc.jacrev])


@dc.rec
def product(tree: Tree) -> float:
    return dc.case(
        tree, lambda leaf: leaf.value, lambda node: product(node.left) * product(node.right)
    )


squares = dc.fun(lambda xs: dc.map(lambda x: x * x, xs), List(Real))
chained = dc.fun(lambda xs: dc.fold(lambda s, x: s * x + np.sin(x), 1.0, xs), List(Real))


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


# ---- by sums, lists and data of one's own --------------------------------------------------------


@both
def test_a_jacobian_of_a_list_by_a_list_is_a_list_of_lists(jac):
    assert jac(squares)([1.0, 2.0, 3.0]) == [[2, 0, 0], [0, 4, 0], [0, 0, 6]]
    assert jac(squares)([]) == []


@pytest.mark.parametrize(
    "slopes", [dc.jacfwd, dc.jacrev, functools.partial(dc.grad, mode="forward")]
)
def test_a_derivative_by_a_tree_mirrors_the_tree_in_every_mode(slopes):
    tree = Node(Leaf(2.0), Node(Leaf(3.0), Leaf(5.0)))
    assert slopes(product)(tree) == Node(Leaf(15.0), Node(Leaf(10.0), Leaf(6.0)))


def test_the_hessian_by_a_tree_is_a_tree_of_trees():
    tree = Node(Leaf(2.0), Leaf(3.0))
    assert dc.hessian(product)(tree) == Node(
        Leaf(Node(Leaf(0), Leaf(1))), Leaf(Node(Leaf(1), Leaf(0)))
    )


@both
def test_a_jacobian_by_nothing_is_nothing(jac):
    @dc.fun
    def square(x: Optional[float]):  # noqa: UP045 (it is one of the ways to write it)
        return dc.case(x, lambda: 1.0, lambda v: v * v)

    assert (jac(square)(3.0), jac(square)(None), dc.hessian(square)(3.0)) == (6.0, None, 2.0)


@both
def test_only_alternatives_that_a_result_is_of_have_rows(jac):
    keep = lambda x: dc.cond(
        x > 0, lambda: dc.inject(Maybe(Real), x * x), lambda: dc.inject(Maybe(Real), None)
    )
    found = jac(dc.fun(lambda xs: dc.map(keep, xs), List(Real)))([1.0, -2.0, 3.0])
    assert found == [[2, 0, 0], None, [0, 0, 6]]


@both
def test_integers_in_a_list_have_no_columns_and_matrices_have_axes(jac):
    counted = lambda s, pair: s + pair[0] * pair[1]
    total = dc.fun(lambda xs: dc.fold(counted, 0.0, xs), List(Product(Real, Int)))
    assert jac(total)([(1.0, 2), (3.0, 4)]) == [(2, None), (4, None)]
    chain = dc.fun(lambda ms: dc.fold(lambda a, m: a @ m, np.eye(2), ms), List(Tensor((2, 2))))
    assert [block.shape for block in jac(chain)([np.eye(2)] * 3)] == [(2, 2, 2, 2)] * 3


def test_a_vector_has_tangents_that_are_given_as_tuples():
    f = dc.fun(lambda v: v[0] * v[1], Vector(Real, 2))
    assert dc.jvp(f, ((2.0, 3.0),), ((1.0, 0.5),)) == (6.0, 4.0)
    assert dc.jacfwd(f)((2.0, 3.0)) == dc.jacrev(f)((2.0, 3.0)) == (3.0, 2.0)
    assert dc.hvp(f, ((2.0, 3.0),), ((1.0, 0.5),)) == (0.5, 1.0)
    assert dc.hessian(f)((2.0, 3.0)) == ((0.0, 1.0), (1.0, 0.0))


def test_a_number_of_pythons_that_is_given_as_a_float_moves_in_forward_mode():
    square = dc.fun(lambda x: x * x, Real)
    assert dc.grad(square, mode="forward")(3) == 6.0


@both
def test_the_jacobian_of_a_gradient_by_a_list_is_the_hessian(jac):
    first = dc.fun(lambda xs: dc.case(xs, lambda: 0.0, lambda x, rest: x**3), List(Real))
    assert jac(dc.grad(first))([2.0, 5.0]) == dc.hessian(first)([2.0, 5.0]) == [[12, 0], [0, 0]]


def test_where_lengths_are_known_a_program_holds_jacobians_by_lists():
    slope = dc.fun(lambda x: dc.jacrev(chained)([x, 2.0 * x])[1])
    assert slope(1.0) == pytest.approx(1.0 + np.sin(1.0) + np.cos(2.0))
    curve = dc.grad(lambda x: dc.jacfwd(chained)([x, 2.0 * x])[1])
    mixed, last = dc.hessian(chained)([1.0, 2.0])[1]
    assert curve(1.0) == pytest.approx(mixed + 2.0 * last)
    assert dc.fun(lambda x: dc.hessian(chained)([x, 2.0 * x]))(1.0)[1] == pytest.approx(
        [mixed, last]
    )
    by_tree = dc.fun(lambda x: dc.hessian(product)(Node(Leaf(x), Leaf(x))).left.value.right.value)
    assert by_tree(3.0) == 1.0


def test_where_a_length_is_not_known_a_jacobian_says_so():
    for whole in (dc.jacfwd(chained), dc.jacrev(chained), dc.hessian(chained)):
        with pytest.raises(NotDifferentiable, match=r"how many xs.* is known when it runs"):
            whole.program()


def test_a_jacobian_by_a_list_that_is_beyond_memory_is_refused_before_it_is_made():
    arrays = dc.fun(lambda xs: dc.map(lambda x: x * x, xs), List(Tensor((10**6,))))
    with pytest.raises(ShapeMismatch, match=r"a Jacobian would make .* \(2000000, 2000000\)"):
        dc.jacrev(arrays)([np.ones(10**6)] * 2)
