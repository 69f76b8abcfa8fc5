"""The figures and definitions of 004, each by its name."""

import numpy as np
import pytest

import diffcurry as dc
from combinators.errors import MissingRule, TypeMismatch
from combinators.value_folds import Injected
from diffcurry import Bool, Fun, Int, Product, Real, Tensor
from interpreters.carriers.counting import Counting
from interpreters.carriers.numpy import NumPy
from papers.rep_functions.closures import DependentlyTyped, SimplyTyped, comp
from papers.rep_functions.library import RepFunctions, vjp
from papers.rep_functions.tangents import T, erased, exT, plus, zero

SIMPLE, DEPENDENT = SimplyTyped(NumPy()), DependentlyTyped(NumPy())
ERASED = DependentlyTyped(NumPy(), erased)
ONE = Fun(Real, Real)


def combinators(f, *types):
    return dc.fun(f, *types).program().combinators


def in_simple(arrow, x, g=1.0):
    return SIMPLE.of(arrow)(x).pullback(g)


def in_dependent(arrow, x, g=1.0):
    return DEPENDENT.of(arrow)(x).pullback(g)


each = pytest.mark.parametrize("pulled", [in_simple, in_dependent])
scaled = combinators(lambda w: dc.fun(lambda z: z * z * w, Real), Real)
shifted = combinators(lambda k: dc.fun(lambda z: z + k, Real), Real)
twice = combinators(lambda f, x: f(f(x)), ONE, Real)


def test_figure_2_mult_and_proj_left():
    library = RepFunctions(NumPy())
    mult = library.of(combinators(lambda a, b: a * b, Real, Real))
    assert vjp(mult, (3.0, 4.0), 1.0) == (4.0, 3.0)
    proj_left = library.proj(Product(Real, Real), 0, Real)
    assert vjp(proj_left, (3.0, 4.0), 5.0) == (5.0, 0.0)


def test_figure_3_eval_records_the_call():
    f = SIMPLE.of(scaled)((2.0,)).value
    value, pullback, _ = SIMPLE.eval(ONE)((f, 3.0))
    assert (value, pullback(1.0)) == (18.0, ([(3.0, 1.0)], 12.0))


def test_figure_3_curry_runs_each_call_again():
    pullback = SIMPLE.of(scaled)((2.0,)).pullback
    assert pullback([(3.0, 1.0), (4.0, 10.0)]) == (169.0,)
    assert pullback([]) == (0.0,)


def test_figure_4_calls_that_differ_pull_back_alike():
    pullback = SIMPLE.of(scaled)((2.0,)).pullback
    assert pullback([(3.0, 0.0)]) == pullback([])
    assert pullback([(3.0, 1.0), (3.0, 1.0)]) == pullback([(3.0, 2.0)])


TWO = Fun(Product(Real, Real), Real)


def doubled(y):
    return y + y


FIGURE_4 = [
    (
        (TWO, Real, Real),
        lambda f, a, b: dc.fun(lambda xb: f(a, xb), Real)(b),
        lambda f, a, b: f(a, b),
    ),
    ((Product(ONE, ONE), Real), lambda fg, x: (fg[0](x), fg[1](x))[0], lambda fg, x: fg[0](x)),
    ((ONE, Real), lambda f, x: f(x) + f(x), lambda f, x: doubled(f(x))),
]
CLOSURES = {
    TWO: combinators(lambda w: dc.fun(lambda z: z[0] * z[1] * w, Product(Real, Real)), Real),
    ONE: scaled,
    Product(ONE, ONE): combinators(
        lambda w: (dc.fun(lambda z: z * w, Real), dc.fun(lambda z: z * w * w, Real)), Real
    ),
}

EXPECTED_4 = {TWO: [15.0, 10.0, 6.0], ONE: [18.0, 24.0], Product(ONE, ONE): [3.0, 2.0]}


@pytest.mark.parametrize("form", [SIMPLE, DEPENDENT], ids=lambda form: type(form).__name__)
@pytest.mark.parametrize("row", FIGURE_4, ids=["partial application", "forgetting", "summing"])
def test_figure_4_foo1_and_foo2_pull_back_alike(row, form):
    types, *foos = row
    made = form.of(CLOSURES[types[0]])((2.0,))
    args = made.value, *(3.0, 5.0)[: len(types) - 1]
    for foo in foos:
        of_f, *rest = form.of(combinators(foo, *types))(args).pullback(1.0)
        assert [*made.pullback(of_f), *rest] == EXPECTED_4[types[0]]


def test_figure_5_eval_has_the_part_of_the_environment():
    closure = DEPENDENT.of(scaled)((2.0,))
    of_f, of_x = DEPENDENT.of(twice)((closure.value, 3.0)).pullback(1.0)
    assert of_x == 864.0
    assert closure.pullback(of_f) == (972.0,)


def test_figure_5_comp_collects_environments():
    f = exT("E", lambda x: (2 * x, lambda g: (("of E", g), 2 * g)))
    g = exT("F", lambda x: (x + 1, lambda g: (("of F", g), g)))
    both = comp(f, g)
    assert both.environment == ("E", "F")
    value, pullback, _ = both(3)
    assert (value, pullback(1)) == (7, ((("of E", 1), ("of F", 1)), 2))


def test_figure_6_tangents_zeros_and_sums():
    types = Product(Real, Tensor((2,)), Int, Bool, Tensor((2,), "int"), ONE)
    tangents = T(types, (1.0, np.ones(2), 3, True, np.array([1, 2]), None))
    assert repr(tangents) == "(Real, Tensor[2], (), (), (), [(Real, Real)])"
    nothing = zero(tangents, NumPy())
    assert nothing[0] == 0.0
    assert nothing[2:] == ((), (), (), [])
    x = (1.0, np.ones(2), (), (), (), [(3.0, 1.0)])
    total = plus(x, x, NumPy())
    assert (total[0], list(total[1]), total[5]) == (2.0, [2.0, 2.0], [(3.0, 1.0)] * 2)


def test_definition_5_1_a_function_says_its_environment_and_pulls_back_to_it():
    closure = DEPENDENT.of(scaled)((2.0,)).value
    rep = closure(3.0)
    assert rep.environment is closure.environment
    assert rep.pullback(1.0)[1] == 12.0


def test_definition_5_2_the_tangents_of_a_closure_are_of_what_it_captured():
    inner = DEPENDENT.of(scaled)((2.0,)).value
    outer = combinators(lambda f, k: dc.fun(lambda z: f(z) + k, Real), ONE, Real)
    value = DEPENDENT.of(outer)((inner, 1.0)).value
    assert repr(T(ONE, value)) == "{f: {w: Real}, k: Real}"


def test_section_5_only_the_checked_cast_refuses_another_environment_of_one_shape():
    def of_scaled_to_shifted(form):
        closure = form.of(scaled)((1.0,))
        of_f, _ = form.of(twice)((closure.value, 3.0)).pullback(1.0)
        return form.of(shifted)((1.0,)).pullback(of_f)

    with pytest.raises(TypeMismatch, match=r"\{w: Real\} is no tangent of .* \{k: Real\}"):
        of_scaled_to_shifted(DEPENDENT)
    assert of_scaled_to_shifted(ERASED) == (243.0,)


@pytest.mark.parametrize(("form", "again"), [(SimplyTyped, 5), (DependentlyTyped, 0)])
def test_section_5_only_the_list_of_calls_runs_a_function_again(form, again):
    numbers = Counting(NumPy())
    category = form(numbers)
    wave = combinators(lambda w: dc.fun(lambda z: np.tanh(z) * w, Real), Real)
    fold = combinators(
        lambda f, x: dc.fold(lambda c, _: f(c), x, np.zeros(5)), Fun(Real, Real), Real
    )
    closure = category.of(wave)((0.5,))
    of_f, _ = category.of(fold)((closure.value, 1.0)).pullback(1.0)
    assert numbers.counts["tanh"] == 5 + again
    closure.pullback(of_f)
    assert numbers.counts["tanh"] == 5 + 2 * again


@each
def test_section_6_2_control_flow(pulled):
    arrow = combinators(lambda x: dc.cond(x > 0, lambda: x * x, lambda: -x), Real)
    assert (pulled(arrow, (3.0,)), pulled(arrow, (-3.0,))) == ((6.0,), (-1.0,))


@each
def test_section_6_2_recursion(pulled):
    def power(x, n):
        return dc.rec(lambda self, k: dc.cond(k <= 0, lambda: 1.0, lambda: x * self(k - 1)))(n)

    assert pulled(combinators(power, Real, Int), (2.0, 5)) == (80.0, ())


@each
def test_section_6_2_sums_and_recursive_types(pulled):
    numbers = dc.List(Real)
    product = combinators(
        lambda xs: dc.rec(
            lambda self, xs: dc.case(xs, lambda: 1.0, lambda head, tail: head * self(tail))
        )(xs),
        numbers,
    )
    nil = Injected(0, ())
    two = Injected(1, (3.0, Injected(1, (4.0, nil))))
    (of_list,) = pulled(product, (two,))
    assert of_list == Injected(1, (4.0, Injected(1, (3.0, nil))))


@each
def test_section_2_the_network_whose_cell_is_an_argument(pulled):
    def cell(params, h, x):
        return np.tanh(params[0] * h + params[1] * x)

    def run(w, params, init, xs):
        f = dc.fun(lambda p, h, x: cell(p, h, x) * w, Product(Real, Real), Real, Real)
        return dc.fold(lambda hid, inp: f(params, hid, inp), init, xs)

    types = Real, Product(Real, Real), Real, Tensor((3,))
    args = 1.5, (0.5, 0.1), 0.2, np.array([1.0, 2.0, 3.0])
    expected = dc.grad(run, argnums=(0, 1, 2, 3))(*args)
    for found, true in zip(pulled(combinators(run, *types), args), expected, strict=True):
        np.testing.assert_allclose(found, true, rtol=1e-12)


def test_what_is_no_word_of_the_paper_is_refused_by_name():
    custom = dc.with_derivative(lambda x: x * x, lambda x, g: g)
    with pytest.raises(MissingRule, match="do not know override"):
        SIMPLE.of(combinators(custom, Real))
