"""The carrier of formulas: with numbers for the symbols, a formula gives what NumPy gives."""

import math
import os
import warnings

import numpy as np
import pytest
import sympy

from combinators.errors import ConcreteValueNeeded, DomainError, MissingRule
from combinators.kit.tree import distinct_nodes
from combinators.morphisms import interpret
from combinators.objects import Bool, Real, Tensor
from combinators.operation import Operation, declare, named
from combinators.primitives import arithmetic, building, checks, logsumexp, shapes, stop_gradient
from combinators.primitives import indexing as g
from combinators.primitives.elementary import erf, relu, sigmoid, softplus
from combinators.primitives.reductions import recurrence
from combinators.terms import Prim
from combinators.tracing.cases import cond
from combinators.tracing.functions import Draft
from combinators.translate import translate
from interpreters.carriers.duals import Dual
from interpreters.carriers.numpy import NumPy
from interpreters.carriers.numpy_values import VALUES
from interpreters.carriers.pointwise_values import ROWS
from interpreters.carriers.sympy import SymPy
from interpreters.carriers.sympy_places import Index, element, expression, expressions
from interpreters.modes.primal import Primal
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Dependent, Pullback
from interpreters.modes.symbols import Symbols

SEEN = set()


class Both:
    """A program on symbols, and on numbers."""

    def __init__(self, function, *likes):
        self.types = tuple(Tensor(np.shape(x), np.asarray(x).dtype) for x in likes)
        self.lam = Draft(function, self.types, (None,) * len(likes)).finish().lam
        self.arrow = translate(self.lam.params, self.lam.body)
        self.symbols = tuple(Symbols().of(f"x{i}", obj) for i, obj in enumerate(self.types))
        self.point = {
            symbol: expression(number)
            for symbols, number in zip(self.symbols, likes, strict=True)
            for symbol, number in zip(np.ravel(symbols), np.ravel(number), strict=True)
        }
        self.numbers = tuple(NumPy().lift(x, o) for x, o in zip(likes, self.types, strict=True))

    def formula(self):
        return interpret(self.arrow, Primal(SymPy())).run(self.symbols)

    def value(self):
        with np.errstate(all="ignore"):
            return interpret(self.arrow, Primal(NumPy())).run(self.numbers)

    def at(self, formula):
        def number(entry):
            found = entry.subs(self.point)
            if found in (sympy.true, sympy.false):
                return bool(found)
            return float(sympy.N(found))

        return np.vectorize(number, otypes=[object])(formula)


@pytest.fixture(autouse=True, scope="module")
def _every_primitive_is_met():
    yield
    if len(SEEN) > 50 and "PYTEST_XDIST_WORKER" not in os.environ:  # where all tests are run
        assert {*VALUES, *ROWS} <= SEEN


def operations(term):
    return {node.operation.name for node in distinct_nodes(term) if isinstance(node, Prim)}


X, Y, S = 0.375, -1.75, 2.5
A = np.array([[0.5, -1.25, 2.0], [0.125, 3.0, -0.75]])
B = np.array([[1.5, 0.25, -2.0], [0.75, -1.0, 0.5]])
V = np.array([0.5, -2.0, 1.25])
P, Q = np.array([True, False, True]), np.array([True, True, False])
N, M = np.array([2, 0, -1]), np.array([3, -5, 7])

UNARY = """
negative absolute sign square reciprocal sqrt cbrt exp expm1 exp2 log log1p log2 log10 sin cos
tan arcsin arccos arctan sinh cosh tanh arcsinh arctanh floor ceil trunc round
"""
BINARY = """
add subtract multiply divide floor_divide remainder hypot logaddexp arctan2 maximum minimum
less less_equal greater greater_equal equal not_equal
"""
SIGNED = "absolute sign cbrt floor ceil trunc round"
POINTWISE = [
    *((getattr(np, name), (X,)) for name in UNARY.split()),
    *((getattr(np, name), (Y,)) for name in SIGNED.split()),
    *((np.round, (h,)) for h in (0.5, 1.5, 2.5, -0.5, -1.5)),
    (np.arccosh, (S,)),
    (sigmoid, (X,)),
    (softplus, (X,)),
    (erf, (X,)),
    (relu, (X,)),
    (relu, (Y,)),
    *((getattr(np, name), (X, Y)) for name in BINARY.split()),
    (np.power, (S, Y)),
    (arithmetic.scale, (X, Y)),
    (arithmetic.unscale, (X, Y)),
    (lambda x, y: np.clip(x, y, 0.25), (X, Y)),
    (lambda x, y: np.where(x < y, x, y), (X, Y)),
    (lambda x, y: np.where(x > A, y, B), (X, Y)),
    (lambda x: x.astype(int) + (x > 0).astype(int), (S,)),
    (lambda n: n / 2 + n // 4 - n % 4, (7,)),
    (lambda n: n.astype(bool), (7,)),
]
ARRAYS = [
    (lambda a, v: a * v - a, (A, V)),
    (lambda p, q: (p & q) | (p ^ ~q), (P, Q)),
    (lambda p, q: (p == q, p != q, p < q, p <= q, p > q, p >= q)[0] & (p < q) | (p != q), (P, Q)),
    (lambda p, q: (p <= q) ^ (p > q) ^ (p >= q), (P, Q)),
    (lambda p, q: np.where(p, q, p), (P, Q)),
    (lambda a: np.sum(a), (A,)),
    (lambda a: np.sum(a, axis=0, keepdims=True), (A,)),
    (lambda a: np.prod(a, axis=1), (A,)),
    (lambda a: np.max(a, axis=1) - np.min(a), (A,)),
    (lambda a: np.argmax(a, axis=1) + np.argmin(a), (A,)),
    (lambda a: np.sum(a[:0]), (A,)),
    (lambda a: np.cumsum(a, axis=1), (A,)),
    (lambda a: np.cumsum(a, axis=0), (A,)),
    (lambda a: np.cumprod(a, axis=1), (A,)),
    (lambda a: recurrence(a, a + 1.0, axis=1), (A,)),
    (lambda a: recurrence(a, a + 1.0, axis=0, reverse=True), (A,)),
    (lambda a: logsumexp(a, axis=0), (A,)),
    (lambda a, b: a @ b.T, (A, B)),
    (lambda a, v: a @ v, (A, V)),
    (lambda v, w: v @ w, (V, V)),
    (lambda a: a[:, :0] @ a[:0].T[:0], (A,)),
    (lambda a: np.reshape(a, (3, 2)).T[::-1, 1:], (A,)),
    (lambda a, v: np.concatenate([a, np.broadcast_to(v, (2, 3))], axis=1), (A, V)),
    (lambda a: shapes.embed(a, (1, 0), (1, 2), (4, 6)), (A,)),
    (lambda a, n: a[:, n], (A, N)),
    (lambda v, n: g.apply(g.PUT, v, n % 4, axis=0, extents=(4,)), (V, N)),
    (lambda v: building.iota(3) * v, (V,)),
    (lambda n: g.apply(checks.WITHIN, n % 4, axis=0, extent=4, place=None), (N,)),
    (lambda m: g.apply(checks.NONZERO, m, place=None), (M,)),
    (lambda m: g.apply(checks.NONNEGATIVE, m % 4, place=None), (M,)),
    (stop_gradient, (A,)),
    (lambda v: shapes.stack([v[0], v[-1]]), (V,)),
    (lambda n, m: n // 3 + m % 4 + n**2 * m, (N, M)),
    (lambda n: np.where(n == 0, 1.5, n.astype("float32").astype(float)), (N,)),
]


@pytest.mark.parametrize(("function", "numbers"), POINTWISE + ARRAYS)
def test_formula_and_number(function, numbers):
    both = Both(lambda *xs: function(*xs), *numbers)
    SEEN.update(operations(both.lam))
    expected = both.value()
    found = both.at(both.formula())
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found.astype(float), np.asarray(expected, float), rtol=1e-13)


def test_literals():
    assert expression(0.5) == sympy.Rational(1, 2)
    assert expression(math.pi) is sympy.pi
    assert expression(-0.1) == sympy.Float(-0.1)
    assert expression(-math.inf) is -sympy.oo
    assert expression(math.nan) is sympy.nan
    assert expression(np.int8(-3)) == -3
    assert expression(np.True_) is sympy.true
    assert expression(2.0**60) == sympy.Float(2.0**60)


def test_a_nan_is_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert expressions(np.float64("nan")) is sympy.nan
        assert list(expressions(np.array([1.0, math.nan]))) == [1, sympy.nan]


def test_a_zero_absorbs():
    scale, unscale = (
        SymPy().operation(Operation(named(name)), (Real, Real), Real)
        for name in ("scale", "unscale")
    )
    zero, x = sympy.S.Zero, sympy.Symbol("x", real=True)
    assert scale(zero, sympy.oo) == scale(sympy.oo, zero) == 0
    assert scale(sympy.Float(0), sympy.oo) == 0
    assert unscale(zero, zero) == unscale(x, sympy.oo) == 0
    assert unscale(x, zero) == x * sympy.zoo


def test_an_open_index_has_a_case_for_each_place():
    def function(a, i):
        return a[i]

    both = Both(function, A, 0)
    symbols, i = both.symbols
    found = both.formula()
    assert found.shape == (3,)
    for k, row in ((-1, [0, 0, 0]), (0, symbols[0]), (1, symbols[1]), (2, [0, 0, 0])):
        assert list(np.vectorize(lambda e, k=k: e.subs(i, k))(found)) == list(row)


def test_an_open_index_puts():
    both = Both(lambda x, i: g.apply(g.PUT, x, i, axis=0, extents=(3,)), 1.0, 0)
    (x, i), found = both.symbols, both.formula()
    for k in (-3, -1, 0, 1, 2, 3):
        expected = [x if k == place else 0 for place in range(3)]
        assert [entry.subs(i, k) for entry in found] == expected


def test_a_known_index_outside_reads_zero():
    both = Both(lambda v: v[np.int64(5) + 0 * v[:0].astype(int).sum()], V)
    assert both.formula() == 0
    truth = Both(lambda v: (v > 0)[np.int64(5) + 0 * v[:0].astype(int).sum()], V)
    assert truth.formula() == sympy.false


def test_integers_are_divided_by_zero():
    for divide, expected in ((np.floor_divide, -4), (np.remainder, 1)):
        both = Both(lambda n, m, divide=divide: divide(n, m), 7, 2)
        (n, m), found = both.symbols, both.formula()
        assert found.subs({n: 7, m: 0}) == 0
        assert found.subs({n: -7, m: 2}) == expected


def test_powers_of_integers_are_total():
    both = Both(lambda n, m: n**m, 7, 2)
    (n, m), found = both.symbols, both.formula()
    for base, power, value in ((7, -2, 0), (7, 2, 49), (-1, -3, -1), (1, -3, 1), (0, -1, 0)):
        assert found.subs({n: base, m: power}) == value
    assert Both(lambda n: 2 ** (n * n), 3).formula().has(sympy.Piecewise) is False


def test_elements_by_law():
    i = Index.below(10)
    a = sympy.IndexedBase("a", real=True)
    elements = np.array([a[k] for k in range(10)], dtype=object)
    numbers = np.array([sympy.Integer(3 - 2 * k) for k in range(10)], dtype=object)
    assert element(numbers, i) == 3 - 2 * i
    assert element(elements, 9 - i) == a[9 - i]
    assert element(elements, i - 9) == sympy.Piecewise((a[i - 9], i >= 9), (0, True))
    shuffled = elements[[1, 0, *range(2, 10)]]
    assert isinstance(element(shuffled, i), sympy.Piecewise)
    assert element(elements[::-2], i) == sympy.Piecewise((a[9 - 2 * i], i < 5), (0, True))
    powers = np.array([sympy.Rational(k, 2) * a[k, 1] ** 2 for k in range(10)], dtype=object)
    assert element(powers, i) == i * a[i, 1] ** 2 / 2
    with pytest.raises(DomainError, match="65 cases for an element at an open index"):
        element(np.array(sympy.symbols("x:65"), dtype=object), i)


def test_an_open_test_has_no_truth():
    both = Both(lambda x: cond(x > 0, lambda: x, lambda: -x), X)
    with pytest.raises(ConcreteValueNeeded, match="a conditional tests"):
        both.formula()
    assert interpret(both.arrow, Primal(SymPy())).run((sympy.Integer(-2),)) == 2


def test_a_primitive_without_a_formula():
    mystery = Operation(declare("mystery_of_formulas", lambda x: x, None))
    with pytest.raises(MissingRule, match="formulas have no mystery_of_formulas"):
        SymPy().operation(mystery, (Real,), Real)


def test_lift_and_lower():
    x = sympy.Symbol("x")
    assert SymPy().lift(x, Real) is x
    assert SymPy().lift(0.25, Real) == sympy.Rational(1, 4)
    array = SymPy().lift([x, 1.0], Tensor((2,)))
    lowered = SymPy().lower(array)
    lowered[0] = None
    assert list(array) == [x, 1]
    assert SymPy().lift(True, Bool) is sympy.true


FIRST_ORDER = [
    lambda x, y: np.sin(x * y) + x**2,
    lambda x, y: np.exp(x) / (1 + y * y) - np.tanh(x - y),
    lambda x, y: np.sqrt(x * x + y * y) * np.log(x + 3.0),
    lambda x, y: x**y + np.arctan2(x, y) + np.hypot(x, y),
    lambda x, y: sigmoid(x) * softplus(y) + erf(x * y),
    lambda x, y: np.sum(np.stack([x, y, x * y]) * np.stack([y, x, x])),
    lambda x, y: np.prod(np.stack([x, y, x + y])) + np.logaddexp(x, y),
]


@pytest.mark.parametrize("function", FIRST_ORDER)
@pytest.mark.parametrize("mode", [Dependent, Pullback])
def test_reverse_mode_over_formulas_is_the_derivative(function, mode):
    both = Both(function, S, X)
    made = mode(over=SymPy())
    value, pullback = made.rep(interpret(both.arrow, made), both.symbols)
    assert value == both.formula()
    cotangents = pullback(sympy.S.One)
    check_derivatives(both, value, [cotangents[0], cotangents[1]])


@pytest.mark.parametrize("function", FIRST_ORDER)
def test_forward_mode_over_formulas_is_the_derivative(function):
    both = Both(function, S, X)
    mode = Pushforward(over=SymPy())
    arrow = interpret(both.arrow, mode)
    one = sympy.S.One
    pushed = [mode.push(arrow, both.symbols, tangent) for tangent in ((one, None), (None, one))]
    check_derivatives(both, pushed[0][0], [tangent for _, tangent in pushed])


def check_derivatives(both, value, found):
    for symbol, derivative in zip(both.symbols, found, strict=True):
        difference = derivative - sympy.diff(value, symbol)
        assert abs(sympy.N(difference.subs(both.point), 30)) < 1e-14


def test_second_derivatives_by_reverse_over_forward():
    both = Both(lambda x, y: np.sin(x * y) * x, S, X)
    mode = Dependent(over=Pushforward(over=SymPy()))
    x, y = both.symbols
    arrow = interpret(both.arrow, mode)
    value, pullback = mode.rep(arrow, (Dual(x, sympy.S.One), Dual(y)))
    cotangents = pullback(Dual(sympy.S.One))
    expected = sympy.sin(x * y) * x
    assert sympy.simplify(value.primal - expected) == 0
    assert sympy.simplify(cotangents[1].tangent - sympy.diff(expected, y, x)) == 0
