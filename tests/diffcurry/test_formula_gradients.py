"""Formulas of gradient programs, and of the algebra of cotangents in them."""

import numpy as np
import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st

import diffcurry as dc
from combinators.errors import TypeMismatch
from combinators.objects import Bool, Fun, Int, Product, Real, Tangent, Tensor
from combinators.operation import Operation
from combinators.primitives.structural import PACK, PLUS, UNPACK, ZEROS
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Tuple, Var, const
from diffcurry.formula import formula
from interpreters.staging.programs import gradient
from tests.diffcurry.formulas import formula_at
from tests.strategies.meanings import Unclear, evaluated, function_of
from tests.strategies.points import arguments as point_of
from tests.strategies.points import thousandths
from tests.strategies.programs import programs

x, y = sympy.symbols("x y", real=True)
V3 = Tensor((3,))


def gradient_of(function, *types, which=None):
    lam = dc.fun(function, *types).program().lam
    given_ = range(len(types)) if which is None else which
    return formula(gradient(lam, tuple(given_)))


def chosen_function(x, y):
    f = dc.cond(
        x > 0, lambda: dc.fun(lambda t: t * x, Real), lambda: dc.fun(lambda t: t * y + x, Real)
    )
    return f(y)


def nested(x, y):
    return dc.cond(
        x > 0,
        lambda: dc.cond(y > x, lambda: np.sin(x * y), lambda: x * y * y),
        lambda: np.exp(x) * y,
    )


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: np.sin(x * y) + x**2,
        lambda x, y: dc.cond(x > 0, lambda: np.sin(x * y) * y, lambda: -x * y),
        lambda x, y: dc.fold(lambda c, i: c * x + np.sin(i * y), 1.0, np.arange(4.0)),
        lambda x, y: np.sum(dc.scan(lambda c, i: (c * y, c + i * x), x, np.arange(3.0))[1]),
        lambda x, y: np.sum(dc.map(lambda t: np.tanh(t * x) * y, np.arange(3.0))),
        chosen_function,
        nested,
    ],
)
def test_the_formula_of_the_gradient_is_the_derivative_of_the_formula(function):
    value, derivatives = gradient_of(function, Real, Real)
    plain = formula(dc.fun(function, Real, Real).program().lam)
    for at in ({x: 0.7, y: 1.3}, {x: 1.3, y: 0.7}, {x: -0.7, y: 1.3}):
        assert float((value - plain).subs(at)) == pytest.approx(0, abs=1e-14)
        for symbol, derivative in zip((x, y), derivatives, strict=True):
            expected = sympy.diff(plain, symbol).subs(at)
            assert float(derivative.subs(at)) == pytest.approx(float(expected), rel=1e-12)


def test_a_gradient_reads_as_in_a_book():
    assert gradient_of(lambda x, y: np.sin(x * y) + x**2, Real, Real)[1] == (
        2 * x + y * sympy.cos(x * y),
        x * sympy.cos(x * y),
    )
    a = sympy.symbols("a_:3", real=True)
    assert list(gradient_of(lambda a: np.sum(a * a), V3)[1][0]) == [2 * entry for entry in a]


def test_a_choice_is_made_once():
    _, (dx, dy) = gradient_of(
        lambda x, y: dc.cond(x > 0, lambda: np.sin(x * y) * y, lambda: -x), Real, Real
    )
    assert dx == sympy.Piecewise((y**2 * sympy.cos(x * y), x > 0), (-1, True))
    expected = x * y * sympy.cos(x * y) + sympy.sin(x * y)
    assert dy == sympy.Piecewise((expected, x > 0), (0, True))


def test_an_index_that_is_a_parameter():
    _, (found, _) = gradient_of(lambda a, i: a[i] * 2.0, V3, Int)
    i = sympy.Symbol("i", integer=True)
    for at in (-1, 0, 1, 2, 3):
        expected = [2 if at == place else 0 for place in range(3)]
        assert [entry.subs(i, at) for entry in found] == expected


def test_gradients_share():
    def chained(x):
        for _ in range(64):
            x = np.sin(x) * x
        return x

    definitions, _ = gradient_of(chained, Real)
    assert len(definitions) < 200


def test_an_unknown_function_has_an_unknown_pullback():
    value, (derivative,) = gradient_of(lambda f, x: f(f(x)), Fun(Real, Real), Real, which=(1,))
    f, pullback = (sympy.Function(name, real=True) for name in ("f_0", "f_1_1"))
    assert value == f(f(x))
    assert derivative == pullback(x, pullback(f(x), 1))


@given(st.data())
def test_random_gradients(data):
    program = data.draw(programs(depth=3))
    args = data.draw(point_of(program, thousandths))
    try:
        evaluated(program, args)
    except Unclear:
        assume(condition=False)
    function = function_of(program)
    lam = gradient(function.program().lam, (0, 1, 2))
    expected = dc.grad(function, argnums=(0, 1, 2))(*map(np.asarray, args))
    result, known = formula_at(lam, args)
    for found, true in zip(result[1], expected, strict=True):
        numbers = [float(entry.xreplace(known)) for entry in np.ravel(np.array(found))]
        np.testing.assert_allclose(numbers, np.ravel(true), rtol=1e-8, atol=1e-9)


# The algebra of cotangents, as gradient programs have it.


def prim(primitive, *args, **parameters):
    return Prim(Operation(primitive, tuple(parameters.items())), args)


def test_zeros_and_sums_of_structures():
    obj = Product(Real, V3, Product(Real))
    p = Var("p", obj)
    lam = Lam((p,), prim(PLUS, prim(PLUS, p, prim(ZEROS, of=obj)), p))
    number, tensor, (inner,) = formula(lam)
    p0, p20 = sympy.symbols("p_0 p_2_0", real=True)
    assert (number, inner) == (2 * p0, 2 * p20)
    assert tensor[1] == 2 * sympy.Symbol("p_1_1", real=True)


def test_packed_cotangents():
    obj = Product(Real, V3)
    p = Var("p", obj)
    packed = prim(PLUS, prim(PACK, p), prim(ZEROS, of=Tangent))
    assert formula(Lam((p,), prim(UNPACK, packed, of=obj)))[0] == sympy.Symbol("p_0", real=True)
    zero = formula(Lam((p,), prim(UNPACK, prim(ZEROS, of=Tangent), of=obj)))
    assert zero[0] == 0
    assert list(zero[1]) == [0, 0, 0]


def test_packed_cotangents_of_an_open_conditional():
    t, b = Var("t", Real), Var("b", Bool)
    chosen = Cond(b, prim(PACK, t), prim(ZEROS, of=Tangent))
    found = formula(Lam((t, b), prim(UNPACK, chosen, of=Real)))
    b_, t_ = sympy.Symbol("b"), sympy.Symbol("t", real=True)
    assert found == sympy.Piecewise((t_, b_), (0, True))


def test_packed_cotangents_of_several_types():
    t, b = Var("t", Real), Var("b", Bool)
    pair = Product(Real, Real)
    two = Cond(b, prim(PACK, t), prim(PACK, Tuple((t, t))))
    both = Var("both", Tangent)
    results = Tuple((prim(UNPACK, both, of=Real), prim(UNPACK, both, of=pair)))
    number, (first, _) = formula(Lam((t, b), Let(((both, prim(PLUS, two, two)),), results)))
    b_, t_ = sympy.Symbol("b"), sympy.Symbol("t", real=True)
    assert number == sympy.Piecewise((t_, b_), (0, True)) * 2
    assert first == sympy.Piecewise((0, b_), (t_, True)) * 2


def test_a_type_that_is_a_graph():
    obj = Real
    for _ in range(100):
        obj = Product(obj, obj)
    t, b = Var("t", Real), Var("b", Bool)
    bindings, last = [], t
    for depth in range(100):
        var = Var(f"p{depth}", Product(last.type, last.type))
        bindings.append((var, Tuple((last, last))))
        last = var
    q = Var("q", obj)
    bindings.append((q, Cond(b, last, prim(ZEROS, of=obj))))
    leaf = q
    for _ in range(100):
        leaf = Proj(0, leaf)
    found = formula(Lam((t, b), Let(tuple(bindings), leaf)))
    assert found.subs(sympy.Symbol("b"), sympy.true) == sympy.Symbol("t", real=True)


def test_a_known_function_is_applied_where_it_is_called():
    t = Var("t", Real)
    square = dc.fun(lambda t: t * t, Real).program().lam
    lam = Lam((t,), App(square, App(square, t)))
    assert formula(lam) == sympy.Symbol("t", real=True) ** 4
    assert formula(Lam((), const(2.0))) == 2


def test_a_tangent_is_no_formula():
    t = Var("t", Real)
    with pytest.raises(TypeMismatch, match="a Tangent is no formula"):
        formula(Lam((t,), prim(PACK, t)))
    with pytest.raises(TypeMismatch, match="which no symbol can stand for"):
        formula(Lam((Var("t", Tangent),), const(1.0)))
