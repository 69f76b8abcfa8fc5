"""Formulas of programs: what ``f.sympy()`` shows."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st

import diffcurry as dc
from combinators.errors import DomainError, TypeMismatch
from combinators.objects import Bool, Fun, Int, Product, Real, Record, Tensor, Vector
from combinators.terms import Lam, Proj, Tuple, Var
from diffcurry.formula import _Written, arguments, formula
from interpreters.carriers.sympy_shared import Shared
from interpreters.modes.formula import check_effort
from tests.diffcurry.formulas import formula_at
from tests.strategies.meanings import Unclear, evaluated, function_of
from tests.strategies.points import arguments as point_of
from tests.strategies.points import thousandths
from tests.strategies.programs import programs

x, y, s = sympy.symbols("x y s", real=True)
V3 = Tensor((3,))


def shown(function, *types, **options):
    return dc.fun(function, *types).program().formula(**options)


def test_scalars():
    assert shown(lambda x, y: np.sin(x * y) + x**2, Real, Real) == sympy.sin(x * y) + x**2


def test_structures_of_symbols():
    def function(p, w, v, n):
        return {"all": p["a"] * w, "some": (v[1], n + 1, p["b"][0])}

    record = Record(a=Real, b=Product(Real, Real))
    found = shown(function, record, Tensor((2, 2)), V3, Int)
    a, b, v1 = sympy.symbols("p_a p_b_0 v_1", real=True)
    w = sympy.Matrix(2, 2, sympy.symbols("w_0_0 w_0_1 w_1_0 w_1_1", real=True))
    n = sympy.Symbol("n", integer=True)
    assert found == {"all": (a * w).as_immutable(), "some": (v1, n + 1, b)}


class Pair(NamedTuple):
    left: float
    right: float


@dataclass
class Model:
    weight: float


def test_the_containers_of_the_result():
    assert shown(lambda x: [x, None, Pair(x, x**2), Model(-x)], Real) == [
        x,
        None,
        Pair(x, x**2),
        Model(-x),
    ]


def test_tensors():
    column = shown(lambda v: v + 1.0, V3)
    assert column.shape == (3,)
    assert shown(lambda v: np.stack([np.stack([v, v])]), V3).shape == (1, 2, 3)
    assert shown(lambda v: np.stack([v, v]) > 0, V3)[1, 2] == (sympy.Symbol("v_2", real=True) > 0)


def test_assumptions():
    p = sympy.Symbol("x", positive=True, real=True)
    assert shown(lambda x: np.sqrt(x * x), Real) == sympy.Abs(x)
    assert shown(lambda x: np.sqrt(x * x), Real, positive=True) == p
    complex_ = shown(lambda x: np.sqrt(x * x), Real, real=None, complex=True)
    assert complex_ == sympy.sqrt(sympy.Symbol("x", complex=True) ** 2)
    with pytest.raises(TypeMismatch, match="no symbol x of these assumptions"):
        shown(lambda x: x, Real, positive=True, negative=True)


def test_arguments_are_the_symbols():
    lam = dc.fun(lambda w, p: w * p[0], Tensor((2, 1)), Product(Real, Real)).program().lam
    w, p = arguments(lam, positive=True)
    assert formula(lam, positive=True) == (w * p[0]).as_immutable()
    assert w.shape == (2, 1)


def test_components_are_not_called_as_parameters_are():
    pair, number = Var("x", Product(Real, Real)), Var("x_0", Real)
    lam = Lam((pair, number), Tuple((Proj(0, pair), number, Proj(1, pair))))
    assert formula(lam) == sympy.symbols("x_01 x_0 x_1", real=True)


def test_a_conditional_is_a_piecewise():
    def function(x, y):
        return dc.cond(x > 0, lambda: (x * y, x), lambda: (y, -x))

    first, second = shown(function, Real, Real)
    assert first == sympy.Piecewise((x * y, x > 0), (y, True))
    assert second == sympy.Piecewise((x, x > 0), (-x, True))


def test_a_test_that_is_known_chooses():
    def function(x):
        return dc.fold(lambda c, i: dc.cond(i > 1, lambda: c * x, lambda: c + x), 0.0, np.arange(4))

    assert shown(function, Real) == 2 * x**3


def test_a_boolean_parameter():
    b = sympy.Symbol("b")
    found = shown(lambda x, b: dc.cond(b, lambda: x, lambda: 1.0), Real, Bool)
    assert found == sympy.Piecewise((x, b), (1, True))


def test_a_conditional_that_chooses_a_function():
    def function(x, y):
        f = dc.cond(x > 0, lambda: lambda_of(x), lambda: lambda_of(y * y))
        return f(3.0) + f(x)

    def lambda_of(k):
        return dc.fun(lambda t: k * t, Real)

    found = shown(function, Real, Real)
    for at in ({x: 2, y: 5}, {x: -2, y: 5}):
        k = at[x] if at[x] > 0 else 25
        assert found.subs(at) == 3 * k + k * at[x]


def test_short_loops_are_written_out():
    assert (
        shown(lambda x: dc.fold(lambda c, i: c + x**i, 0.0, np.arange(3.0)), Real) == 1 + x + x**2
    )
    carry, rows = shown(lambda x: dc.scan(lambda c, i: (c + i, c * x), 1.0, np.arange(3.0)), Real)
    assert carry == 4
    assert list(rows) == [x, x, 2 * x]
    assert list(shown(lambda v: dc.map(lambda t: t * t, v), V3)) == [
        symbol**2 for symbol in sympy.symbols("v_:3", real=True)
    ]
    assert shown(lambda x: dc.fold(lambda c, i: c * i, x, np.zeros(0)), Real) == x


def test_long_folds_are_sums():
    def function(a, x):
        return dc.fold(lambda c, i: c + x * a[i] * a[999 - i], 2.0, np.arange(1000))

    a, i = sympy.IndexedBase("a", real=True), sympy.Symbol("i", integer=True)
    found = shown(function, Tensor((1000,)), Real)
    assert found == 2 + sympy.Sum(x * a[i] * a[999 - i], (i, 0, 999))
    numbers = np.linspace(-1, 1, 1000)
    value = sympy.lambdify([a, x], found)(numbers, 3.0)
    assert value == pytest.approx(float(dc.fun(function)(numbers, 3.0)))


def test_sums_of_several_and_in_each_other():
    def inner(x, i):
        return dc.fold(lambda c, j: c + x * i * j, 0.0, np.arange(200.0))

    def function(x):
        return dc.fold(lambda c, i: (c[0] + inner(x, i), c[1] - i), (0.0, x), np.arange(100.0))

    first, second = shown(function, Real)
    assert first.doit() == x * sum(range(100)) * sum(range(200))
    assert second.doit() == x - sum(range(100))


A80 = Tensor((80,))


@pytest.mark.parametrize(
    ("rows", "obj", "term"),
    [
        (lambda a: a[::-1], A80, lambda a, i: a[79 - i]),
        (lambda a: a[1::2], Tensor((160,)), lambda a, i: a[1 + 2 * i]),
        (lambda a: np.sin(a) * np.arange(80.0), A80, lambda a, i: i * sympy.sin(a[i])),
        (lambda a: a[:, 1] * 2.0, Tensor((80, 2)), lambda a, i: 2 * a[i, 1]),
    ],
)
def test_rows_that_are_one_expression_in_the_index(rows, obj, term):
    found = shown(lambda a: dc.fold(lambda c, x: c + x, 0.5, rows(a)), obj)
    a, i = sympy.IndexedBase("a", real=True), sympy.Symbol("i", integer=True)
    assert found == sympy.Rational(1, 2) + sympy.Sum(term(a, i), (i, 0, 79))


def test_rows_of_several_elements():
    a, i = sympy.IndexedBase("a", real=True), sympy.Symbol("i", integer=True)

    def total(rows):
        return dc.fold(lambda c, x: c + x[0] * x[1], 0.0, rows)

    stacked = shown(lambda a: total(np.stack([a, a * 2], 1)), A80)
    assert stacked == sympy.Sum(2 * a[i] ** 2, (i, 0, 79))
    reshaped = shown(lambda a: total(np.reshape(a, (70, 2))), Tensor((140,)))
    assert reshaped == sympy.Sum(a[2 * i] * a[2 * i + 1], (i, 0, 69))


def test_rows_that_follow_no_law():
    with pytest.raises(DomainError, match="160 cases for an element at an open index: no law"):
        shown(lambda a: dc.fold(lambda c, x: c + x, 0.5, np.concatenate([a, a])), A80)


def test_the_index_of_a_sum_is_no_parameter():
    def function(i):
        return dc.fold(lambda c, k: c + k * i, 0.0, np.arange(100.0))

    i = sympy.Symbol("i", real=True)
    assert shown(function, Real).doit() == 4950 * i


def test_long_loops_that_are_no_sums():
    with pytest.raises(DomainError, match="a loop of 100 rounds is no formula"):
        shown(lambda x: dc.fold(lambda c, i: c * x, 1.0, np.arange(100.0)), Real)
    with pytest.raises(DomainError, match="a loop of 100 rounds is no formula"):
        shown(lambda x: dc.scan(lambda c, i: (c + i, c), x, np.arange(100.0)), Real)


def test_function_parameters_are_undefined_functions():
    def function(f, x):
        return f(f(x)) + f(1.0)

    f = sympy.Function("f", real=True)
    found = shown(function, Fun(Real, Real), Real)
    assert found == f(f(x)) + f(1)
    assert sympy.diff(found, x) != 0


def test_function_parameters_of_structures():
    def function(f, x):
        p, q = f(x, (x, 2.0))
        return p * q

    found = shown(function, Fun(Product(Real, Product(Real, Real)), Product(Real, Real)), Real)
    first, second = (sympy.Function(name, real=True) for name in ("f_0", "f_1"))
    assert found == first(x, x, 2) * second(x, x, 2)
    curried = shown(lambda f, x: f(x)(2.0), Fun(Real, Fun(Real, Real)), Real)
    assert curried == sympy.Function("f", real=True)(x, 2)
    with pytest.raises(TypeMismatch, match="the unknown function f is given a function"):
        shown(lambda f: f(dc.fun(lambda t: t, Real)), Fun(Fun(Real, Real), Real))


def test_a_function_as_the_result():
    found = shown(lambda x: dc.fun(lambda t: t * x, Real), Real)
    assert isinstance(found, sympy.Lambda)
    assert found(5) == 5 * x


def test_a_function_that_grows_without_end():
    def function(x):
        return dc.fun(lambda t: chained(64)(t * x), Real)

    with pytest.raises(DomainError, match="no definition can stand inside"):
        shown(function, Real)


def test_vectors():
    def function(x):
        fs = dc.map(lambda k: dc.fun(lambda t: k * np.sin(t), Real), np.array([2.0, 3.0]))
        return dc.fold(lambda c, f: f(c), x, fs)

    assert shown(function, Real) == 3 * sympy.sin(2 * sympy.sin(x))
    assert shown(lambda fs: fs[1](x_of(fs)), Vector(Fun(Real, Real), 2)) == sympy.Function(
        "fs_1", real=True
    )(sympy.Function("fs_0", real=True)(1))


def x_of(fs):
    return fs[0](1.0)


# Sharing.


def chained(count):
    def function(x):
        for _ in range(count):
            x = np.sin(x) * x
        return x

    return function


def unfolded(definitions, result):
    known = {}
    for symbol, body in definitions:
        known[symbol] = body.xreplace(known)
    return result.xreplace(known)


def test_definitions_come_when_they_are_needed():
    assert isinstance(shown(chained(3), Real), sympy.Expr)
    definitions, result = shown(chained(64), Real)
    assert [str(symbol) for symbol, _ in definitions] == [
        f"v{k}" for k in range(1, len(definitions) + 1)
    ]
    bound = {x}
    for symbol, body in definitions:
        assert body.free_symbols <= bound
        bound.add(symbol)
    assert result.free_symbols <= bound
    value = {x: sympy.Float(1.25, 30)}
    for symbol, body in definitions:
        value[symbol] = body.xreplace(value)
    expected = 1.25
    for _ in range(64):
        expected = np.sin(expected) * expected
    assert float(result.xreplace(value)) == pytest.approx(expected, rel=1e-9)


def test_definitions_by_choice():
    small = shown(chained(6), Real, definitions=False)
    assert isinstance(small, sympy.Expr)
    definitions, result = shown(chained(6), Real, definitions=True)
    assert definitions
    assert unfolded(definitions, result) == small
    assert shown(chained(1), Real, definitions=True) == ([], sympy.sin(x) * x)
    with pytest.raises(DomainError, match="definitions=True"):
        shown(chained(64), Real, definitions=False)


def test_the_size_of_a_formula_is_linear():
    def nodes(count):
        definitions, result = shown(chained(count), Real)
        bodies = [body for _, body in definitions] + [result]
        return sum(1 for body in bodies for _ in sympy.preorder_traversal(body))

    small, large = nodes(40), nodes(160)
    assert large < 4.5 * small


def test_definitions_avoid_the_names_of_parameters():
    def function(v1):
        return chained(40)(v1)

    definitions, _ = shown(function, Real)
    assert "v1" not in [str(symbol) for symbol, _ in definitions]


@pytest.mark.parametrize("count", [2_000, pytest.param(50_000, marks=pytest.mark.slow)])
def test_deep_programs(count):
    def function(x, y):
        for _ in range(count):
            x = x + y
        return x

    assert shown(function, Real, Real, most_operations=50_000) == x + count * y


def tower(n, below=np.sin):
    for _ in range(n):
        below = dc.fun(lambda t, f=below: f(f(t)), Real)
    return below


def test_formulas_without_end(monkeypatch):
    """They are refused before SymPy writes any of them."""
    lam = dc.fun(tower(40), Real).program().lam
    monkeypatch.setattr(Shared, "named", None)
    with pytest.raises(DomainError, match="more than 1000 operations to write down"):
        formula(lam, most_operations=1000)
    with pytest.raises(DomainError, match="more than 5000 operations to write down"):
        formula(lam)


def test_formulas_without_end_that_choose():
    """What is chosen is not known before; then the operations are counted as they are done."""
    lam = dc.fun(tower(40, lambda x: dc.cond(x > 0, lambda: -x, lambda: x)), Real).program().lam
    with pytest.raises(DomainError, match="more than 100 operations to write down"):
        formula(lam, most_operations=100)


def test_what_is_counted_before_is_what_is_counted_after():
    def function(x, v, w):
        y = tower(3)(x) + np.sum(v * x) + dc.fold(lambda c, r: c * r + x, 0.0, v)
        return np.sum(w @ v) * y, dc.map(lambda r: r * x, v)

    lam = dc.fun(function, Real, V3, Tensor((2, 3))).program().lam
    written = _Written(lam, {}, 10_000)
    check_effort(lam, written.carrier.operations)
    with pytest.raises(DomainError):
        check_effort(lam, written.carrier.operations - 1)


def test_a_long_sum_is_short_to_write():
    def function(x):
        return dc.fold(lambda c, i: c + np.sin(x * i), 0.0, np.arange(20_000.0))

    assert shown(function, Real, most_operations=20) is not None


def test_large_tensors():
    found = shown(lambda a: a[3] * a[-1], Tensor((70,)))
    a = sympy.IndexedBase("a", real=True)
    assert found == a[3] * a[69]
    with pytest.raises(DomainError, match="f gives a tensor of 70 elements"):
        shown(lambda f, x: f(x)[0], Fun(Real, Tensor((70,))), Real)
    with pytest.raises(DomainError, match="at most"):
        shown(lambda a: a[0], Tensor((300, 300)))


@given(st.data())
def test_random_programs(data):
    program = data.draw(programs(depth=4))
    args = data.draw(point_of(program, thousandths))
    try:
        exact = evaluated(program, args)
    except Unclear:
        assume(condition=False)
    lam = function_of(program).program().lam
    result, known = formula_at(lam, args)
    found = sympy.N(result.xreplace(known), 40)
    assert float(found) == pytest.approx(float(exact), rel=1e-9, abs=1e-9)


SHAPE = dc.Sum(circle=dc.Real, box=dc.Product(dc.Real, dc.Real))


def area(s):
    return dc.case(s, circle=lambda r: r * r, box=lambda sides: sides[0] * sides[1])


def test_recursion_that_ends_by_known_numbers_is_a_formula():
    def cubed(x):
        state = dc.while_loop(lambda s: s[0] < 2, lambda s: (s[0] + 1, s[1] * x), (0, x))
        return state[1]

    x = sympy.Symbol("x", real=True)
    assert dc.fun(cubed).sympy(dc.Real) == x**3
    assert dc.grad(cubed).sympy(dc.Real) == 3 * x**2


def test_an_alternative_that_is_known_is_a_formula():
    x = sympy.Symbol("x", real=True)
    f = dc.fun(lambda x: area(dc.inject(SHAPE, "box", (x, x * x))))
    assert f.sympy(dc.Real) == x**3
    assert dc.grad(f).sympy(dc.Real) == 3 * x**2


@pytest.mark.parametrize(
    ("f", "types", "said"),
    [
        (
            lambda x: dc.while_loop(lambda c: c < 10.0, lambda c: c * 2.0, x),
            (dc.Real,),
            "whose end depends on a symbol is no formula",
        ),
        (area, (SHAPE,), "one of several alternatives, which no symbol can stand for"),
        (
            lambda x: area(
                dc.cond(
                    x < 0.0,
                    lambda: dc.inject(SHAPE, "circle", x),
                    lambda: dc.inject(SHAPE, "box", (x, x)),
                )
            ),
            (dc.Real,),
            "which alternative a value is depends on the symbol test x < 0",
        ),
    ],
)
def test_what_a_formula_cannot_show_is_said_by_name(f, types, said):
    with pytest.raises(dc.DiffcurryError, match=said):
        dc.fun(f).sympy(*types)
