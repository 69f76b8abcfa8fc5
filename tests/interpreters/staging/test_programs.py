"""The three derivatives of a closed λ, as terms."""

import numpy as np
import pytest

from combinators.kit.tree import distinct_nodes
from combinators.objects import Fun, Int, Product, Real, Tangent, Tensor, Unit
from combinators.terms import Prim, Term
from diffcurry import cond, fun, grad
from interpreters.staging.programs import gradient, pullback, pushforward
from tests.evidence.programs.ways import outcome


def lam(function, *types):
    return fun(function, *types).program().lam


PRODUCT = lam(lambda x, y: x * y, Real, Real)


def test_the_types_of_the_derivatives():
    pair = Product(Real, Real)
    assert gradient(PRODUCT, (0, 1)).type is Fun(pair, Product(Real, pair))
    assert gradient(PRODUCT, (1,)).type is Fun(pair, Product(Real, Product(Real)))
    assert pullback(PRODUCT, (0, 1)).type is Fun(pair, Product(Real, Fun(Real, pair)))
    assert pushforward(PRODUCT).type is Fun(Product(*[Real] * 4), pair)
    assert pushforward(PRODUCT, 1).type is Fun(Product(*[Real] * 3), pair)


def test_names_of_parameters_are_kept():
    assert [p.name for p in gradient(PRODUCT, (0,)).params] == ["x", "y"]
    assert [p.name for p in pushforward(PRODUCT).params] == ["x", "y", "dx", "dy"]


def test_a_function_argument_is_a_rep_function():
    """T (A ⇒ B) is Tangent, and A ⇒ B stands as A ⇒ B × (T B ⇒ Tangent × T A)."""
    made = pullback(lam(lambda f, x: f(x), Fun(Real, Real), Real), (0, 1))
    rep = Fun(Real, Product(Real, Fun(Real, Product(Tangent, Real))))
    assert made.params[0].type is rep
    assert made.body.type is Product(Real, Fun(Real, Product(Tangent, Real)))


def test_with_aux_the_seed_is_of_the_first_component():
    two = lam(lambda x: (x * x, np.sin(x)), Real)
    value = outcome(gradient(two, (0,), has_aux=True), (3.0,))
    assert value == [9.0, np.sin(3.0), 6.0]
    assert pullback(two, (0,), has_aux=True).body.type.parts[1] is Fun(Real, Product(Real))


def test_what_does_not_move_has_no_tangent():
    made = pushforward(lam(lambda x, n: cond(x > 0.0, lambda: n, lambda: n + 1), Real, Int))
    assert made.body.type is Product(Int, Unit)
    constant = gradient(lam(lambda x, v: 2.0, Real, Tensor((2,))), (0, 1))
    assert outcome(constant, (1.0, np.ones(2))) == [2.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("n", [2_000])
def test_a_closure_is_written_once_for_all_its_calls(n):
    def many(x):
        f = fun(lambda y: np.sin(y * x), Real)
        for _ in range(n):
            x = f(x)
        return x

    text = str(gradient(lam(many, Real), (0,)))
    assert text.count("sin") == 1
    assert text.count("cos") == 1


def test_calls_of_functions_that_functions_return_cross_borders_in_the_simple_form():
    def curried(x):
        triple = fun(lambda a: fun(lambda b: fun(lambda c: (a * b * c * x,), Real), Real), Real)
        partial = triple(x)(x * x)
        return partial(x)[0] + partial(2.0)[0]

    for form in ("simple", "dependent"):
        assert grad(curried, mode=form)(1.5) == 5 * 1.5**4 + 8 * 1.5**3


def test_rows_side_by_side_are_put_as_one_window():
    """Their cotangents are joined, and no index table is made."""

    def apart(x):
        return np.sum(x[1] * x[2]) + np.sum(np.sin(x[3:5])) + np.sum(x[1])

    x = np.arange(18.0).reshape(6, 3) / 7
    slopes = np.zeros((6, 3))
    slopes[1], slopes[2], slopes[3:5] = x[2] + 1.0, x[1], np.cos(x[3:5])
    np.testing.assert_allclose(grad(apart)(x), slopes)
    nodes = distinct_nodes(grad(apart).program(x).lam, kind=Term)
    names = [node.operation.name for node in nodes if isinstance(node, Prim)]
    assert "put" not in names
    assert names.count("embed") == 1
