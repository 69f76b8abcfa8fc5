"""Running products and linear recurrences; what the derivatives of products are made of."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import diffcurry as dc
from combinators.errors import ShapeMismatch, TypeMismatch
from combinators.kit.tree import distinct_nodes
from combinators.morphisms import interpret
from combinators.objects import Tensor
from combinators.operation import Operation, named
from combinators.primitives.reductions import exclusive_cumprod, recurrence
from combinators.terms import Prim
from combinators.translate import translate
from interpreters.backends.llvm.choice import chosen
from interpreters.carriers.counting import Counting
from interpreters.carriers.fractions import Fractions
from interpreters.carriers.numpy import NumPy
from interpreters.modes.primal import Primal

INF = np.inf
CUBE = np.random.default_rng(3).normal(size=(2, 3, 4))
CUBE[0, 1, 2] = CUBE[1, 1, 2] = CUBE[1, 0, 0] = 0.0
WAYS = list(itertools.product((0, 1, 2), (False, True)))


def solved(a, b):
    """Step by step, along the first axis, with products in which 0 absorbs."""
    y = np.zeros_like(b)
    for j in range(len(b) - 1):
        moved = np.where((a[j] == 0) | (y[j] == 0), 0, a[j] * y[j])
        y[j + 1] = moved + b[j]
    return y


def turned(x, axis, reverse):
    return np.swapaxes(x, 0, axis)[:: -1 if reverse else 1]


def run(function, *xs):
    """The value of the compiled code, which is that of the term; of machine code, to rounding."""
    given = dc.fun(function)
    found = given(*xs)
    with np.errstate(all="ignore"):
        rtol = 0 if chosen(None) == "python" else 1e-12
        np.testing.assert_allclose(found, given.evaluate(xs), rtol, rtol)
    return found


@pytest.mark.parametrize("n", [*range(10), 31, 32, 33, 100])
@pytest.mark.parametrize("reverse", [False, True])
def test_a_recurrence_of_each_length(n, reverse):
    a, b = np.random.default_rng(n).normal(size=(2, n))
    found = run(lambda a, b: recurrence(a, b, 0, reverse), a, b)
    wanted = turned(solved(turned(a, 0, reverse), turned(b, 0, reverse)), 0, reverse)
    np.testing.assert_allclose(found, wanted, 1e-12, 1e-12)


@pytest.mark.parametrize(("axis", "reverse"), WAYS)
def test_along_each_axis(axis, reverse):
    found = run(lambda a, b: recurrence(a, b, axis, reverse), CUBE, CUBE + 1.0)
    a, b = (turned(x, axis, reverse) for x in (CUBE, CUBE + 1.0))
    np.testing.assert_allclose(turned(found, axis, reverse), solved(a, b), 1e-12, 1e-12)
    products = run(lambda a: exclusive_cumprod(a, axis, reverse=reverse), CUBE)
    before = np.concatenate([np.ones_like(a[:1]), np.cumprod(a, 0)[:-1]])
    np.testing.assert_array_equal(turned(products, axis, reverse), before)


@pytest.mark.parametrize(
    ("shape", "axis"), [((0,), 0), ((1,), 0), ((2, 0), 0), ((2, 0), 1), ((0, 3), 0), ((0, 3), 1)]
)
def test_of_no_elements_and_of_one(shape, axis):
    x = np.full(shape, 7.0)
    assert np.array_equal(run(lambda x: np.cumprod(x, axis), x), np.cumprod(x, axis))
    if shape[axis] < 2:
        assert np.array_equal(run(lambda x: exclusive_cumprod(x, axis), x), np.ones(shape))
        assert np.array_equal(run(lambda x: recurrence(x, x, axis), x), np.zeros(shape))
    assert np.array_equal(dc.grad(np.prod)(x), np.ones(shape))


def test_a_product_over_no_axes_is_the_number():
    assert dc.grad(np.prod)(3.0) == 1.0
    assert (
        dc.grad(lambda x: np.sum(np.prod(x, axis=())))(CUBE).tolist()
        == np.ones(CUBE.shape).tolist()
    )


def test_integers_and_narrow_floats_keep_their_type():
    n = np.array([2, 3, 0, 5])
    assert run(lambda n: exclusive_cumprod(n, 0), n).tolist() == [1, 2, 6, 0]
    assert run(lambda n: recurrence(n, n, 0, reverse=True), n).tolist() == [3, 0, 5, 0]
    half = np.array([2.0, 3.0, 4.0], np.float32)
    for function in (np.cumprod, lambda x: recurrence(x, x, 0)):
        assert run(function, half).dtype == np.float32
    assert dc.grad(np.prod)(half).dtype == np.float32


def test_a_recurrence_stays_zero_before_its_first_term():
    a = np.array([INF, np.nan, 2.0, INF, 0.0, 3.0])
    b = np.array([0.0, 0.0, 5.0, 0.0, 1.0, 0.0])
    assert run(lambda a, b: recurrence(a, b, 0), a, b).tolist() == [0, 0, 0, 5, INF, 1]
    assert run(lambda a, b: recurrence(a, b, 0), a, 0.0 * b).tolist() == [0.0] * 6


def test_types_that_do_not_fit():
    with pytest.raises(ShapeMismatch, match="as many coefficients"):
        dc.fun(lambda a: recurrence(a, a[:2], 0))(np.ones(3))
    with pytest.raises(ShapeMismatch, match="axis 1"):
        dc.fun(lambda a: np.cumprod(a, 1))(np.ones(3))
    operation = Operation(named("recurrence"), (("axis", 0), ("reverse", False)))
    with pytest.raises(TypeMismatch, match="int64"):
        operation.type(Tensor((3,)), Tensor((3,), "int64"))


def test_the_gradient_of_a_product_is_one_line():
    program = dc.grad(dc.fun(np.prod, Tensor((1000,)))).program()
    assert str(program.lam).splitlines()[1:] == [
        "  exclusive_cumprod[axis=0] a * exclusive_cumprod[axis=0, reverse=True] a"
    ]


FIRST = dc.grad(np.prod)
SECOND = dc.grad(lambda a, u: np.sum(FIRST(a) * u))
THIRD = dc.grad(lambda a, u, v: np.sum(SECOND(a, u) * v))
HOLED = [
    [Fraction(2), Fraction(-3, 7), Fraction(5), Fraction(1, 3), Fraction(11)],
    [Fraction(2), Fraction(0), Fraction(5), Fraction(1, 3), Fraction(11)],
    [Fraction(0), Fraction(-3, 7), Fraction(5), Fraction(0), Fraction(11)],
    [Fraction(0), Fraction(0), Fraction(5), Fraction(1, 3), Fraction(0)],
]


def others(point, *indices):
    """The derivative of the product by these elements."""
    if len(set(indices)) < len(indices):
        return 0
    return math.prod(x for i, x in enumerate(point) if i not in indices)


@pytest.mark.parametrize("point", HOLED, ids=lambda point: f"{point.count(0)} zeros")
@pytest.mark.parametrize(("derivative", "order"), [(FIRST, 1), (SECOND, 2), (THIRD, 3)])
def test_derivatives_of_a_product_are_exact(derivative, order, point):
    n = len(point)
    floats = np.array(point, float)
    lam = derivative.program(*[floats] * order).lam
    mode = Primal(Fractions())
    arrow = interpret(translate(lam.params, lam.body), mode)
    units = np.array([[Fraction(i == j) for j in range(n)] for i in range(n)])
    for directions in itertools.combinations_with_replacement(range(n), order - 1):
        wanted = [others(point, i, *directions) for i in range(n)]
        along = [units[i] for i in directions]
        assert list(mode.value(arrow, (np.array(point), *along))) == wanted
        found = derivative(floats, *(x.astype(float) for x in along))
        np.testing.assert_allclose(found, np.array(wanted, float), 1e-14, 0)


@pytest.mark.parametrize("mode", ["dependent", "simple", "forward"])
@pytest.mark.parametrize("axis", [None, 0, 1, 2, (0, 2), (1, 2), (2, 0), ()])
def test_along_axes_of_what_holds_zeros(axis, mode):
    def total(x):
        return np.sum(np.prod(x, axis=axis) * 3.0)

    axes = tuple(range(3)) if axis is None else (axis,) if isinstance(axis, int) else axis
    wanted = np.empty_like(CUBE)
    for at in np.ndindex(CUBE.shape):
        one = CUBE.copy()
        one[at] = 1.0
        line = tuple(slice(None) if i in axes else k for i, k in enumerate(at))
        wanted[at] = 3.0 * np.prod(one[line])
    np.testing.assert_allclose(dc.grad(total, mode=mode)(CUBE), wanted, 1e-13, 1e-13)


@pytest.mark.parametrize("holes", range(4))
def test_hessians_of_products_by_each_way(holes):
    point = np.array([2.0, 3.0, -1.0, 5.0, 7.0])
    point[:holes] = 0.0
    wanted = [[others(point, i, j) for j in range(5)] for i in range(5)]
    np.testing.assert_array_equal(dc.hessian(np.prod)(point), wanted)
    np.testing.assert_array_equal(dc.jacfwd(dc.grad(np.prod))(point), wanted)
    np.testing.assert_array_equal(dc.jacrev(dc.jacfwd(np.prod))(point), wanted)
    for unit, row in zip(np.eye(5), wanted, strict=True):
        np.testing.assert_array_equal(dc.hvp(np.prod, (point,), (unit,)), row)


def test_the_gradient_of_running_products_is_right_at_zeros():
    found = dc.jacobian(np.cumprod)(np.array([2.0, 0.0, 3.0]))
    assert found.tolist() == [[1, 0, 0], [0, 2, 0], [0, 6, 0]]


@pytest.mark.parametrize(("derivative", "order", "most"), [(FIRST, 1, 3), (SECOND, 2, 11)])
def test_the_operations_are_linear_in_the_elements(derivative, order, most):
    for n in (1_000, 10_000):
        point = np.full(n, 0.5)
        lam = derivative.program(*[point] * order).lam
        carrier = Counting(NumPy())
        mode = Primal(carrier)
        mode.value(interpret(translate(lam.params, lam.body), mode), (point,) * order)
        assert carrier.total <= most * n
        assert sum(isinstance(node, Prim) for node in distinct_nodes(lam)) <= most


def test_the_code_of_the_gradient_is_what_one_writes_by_hand():
    gradient, point = dc.grad(np.prod), np.linspace(0.5, 1.5, 500)
    lines = gradient.source(point).splitlines()
    assert [line.strip() for line in lines[-6:]] == [
        "t = np.ones_like(a)",
        "np.multiply.accumulate(a[:-1], out=t[1:])",
        "t1 = np.ones_like(a)",
        "np.multiply.accumulate(a[:0:-1], out=t1[-2::-1])",
        "result = t * t1",
        "return result",
    ]
    before = point.copy()
    assert not np.shares_memory(gradient(point), point)
    assert np.array_equal(point, before)
