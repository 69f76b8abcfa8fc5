"""Theorem 5.4 of 000 on random Source programs, transcendental operations among them."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import diffcurry as dc
from combinators.objects import Real, Tensor
from interpreters.cost import measured
from interpreters.cost.certificate import THEOREM
from interpreters.cost.theorem import priced

UNARY = {
    "negative": np.negative,
    "square": np.square,
    "sin": np.sin,
    "cos": np.cos,
    "arctan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "arcsinh": np.arcsinh,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "sigmoid": dc.sigmoid,
    "softplus": dc.softplus,
    "erf": dc.erf,
}
BINARY = [np.add, np.subtract, np.multiply]
V = Tensor((5,))


def theorem(function, *types):
    bounds = dc.fun(function, *types).cost().certificate.bounds
    return next(bound for bound in bounds if bound.law == THEOREM)


def composed(names):
    def function(x):
        for name in names:
            x = UNARY[name](x)
        return x

    return function


def test_the_certificate_of_tanh_of_tanh_holds():
    bound = theorem(composed(["tanh", "tanh"]), Real)
    assert (bound.left, bound.right) == (15, 4 * 9 + 1)


@pytest.mark.parametrize("length", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_it_holds_of_every_composition_of_unary_operations(length):
    chains = itertools.product(UNARY, repeat=length)
    assert not [names for names in chains if not theorem(composed(names), Real).holds]


@pytest.mark.parametrize("step", [lambda y, x: y * x, lambda y, x: np.tanh(y) * x + y * y])
def test_it_holds_of_long_programs_that_name_nothing(step):
    def function(x):
        y = x
        for _ in range(20):
            y = step(y, x)
        return y

    assert theorem(function, Real).holds


def numbers(depth):
    """Functions of two numbers, written with operations of Source."""
    leaves = st.sampled_from([lambda x, y: x, lambda x, y: y])
    if not depth:
        return leaves
    below = numbers(depth - 1)
    unary = st.builds(
        lambda name, e: lambda x, y: UNARY[name](e(x, y)), st.sampled_from([*UNARY]), below
    )
    binary = st.builds(
        lambda op, a, b: lambda x, y: op(a(x, y), b(x, y)), st.sampled_from(BINARY), below, below
    )
    shared = st.builds(lambda e, outer: lambda x, y: outer(e(x, y), y), below, below)
    return st.one_of(leaves, unary, binary, shared)


@given(numbers(4))
def test_it_holds_of_random_programs_of_numbers(function):
    assert theorem(function, Real, Real).holds


def arrays(depth):
    """Functions of two arrays, mapped and reduced inside maps."""
    mapped = st.builds(
        lambda e: lambda a, b: dc.map(lambda r: e(r[0], r[1]), (a, b)), numbers(depth)
    )
    whole = st.builds(lambda e: lambda a, b: e(a, b), numbers(depth))
    return st.one_of(mapped, whole)


@given(arrays(2), arrays(2), st.sampled_from([np.sum, np.prod]), numbers(2))
def test_it_holds_of_random_programs_of_arrays(one, two, reduce, last):
    def function(a, b):
        return last(reduce(one(a, b)), np.sum(two(b, a)))

    assert theorem(function, V, V).holds


@given(numbers(2), arrays(1), numbers(2))
def test_it_holds_where_a_reduce_has_an_operator_of_its_own(operator, one, last):
    def function(a, b):
        return last(dc.reduce(operator, 0.5, one(a, b), check=False), np.sum(b))

    assert theorem(function, V, V).holds


def combined(x, y):
    return x * y + x


COMBINED = np.array([9, 1, 1, 0])
"""Of ``x * y + x``: + and * are (3, 1, 0, 0) and (3, 0, 1, 0), and so are three variables."""
OPERAND = np.array([1, 0, 0, 0])
"""Of a variable, of a number, and of a let."""
FIGURE_11 = {
    "c": (lambda a, b: 2.0, OPERAND),
    "x": (lambda a, b: a, OPERAND),
    "op1 e": (lambda a, b: np.sin(b), np.array([2, 0, 0, 1]) + OPERAND),
    "e1 op2 e2": (lambda a, b: combined(b, b), COMBINED),
    "(e1, e2)": (lambda a, b: (b, b), 2 * OPERAND),
    "map2": (lambda a, b: dc.map2(combined, a, a), 5 * (COMBINED + 2 * OPERAND) + 2 * OPERAND),
    "reduce": (
        lambda a, b: dc.reduce(combined, b, a, check=False),
        5 * (COMBINED + 2 * OPERAND) + 2 * OPERAND,
    ),
    "reduce (*) 1": (
        lambda a, b: dc.reduce(np.multiply, 1.0, a),
        5 * (np.array([3, 0, 1, 0]) + 2 * OPERAND + 2 * OPERAND) + 2 * OPERAND,
    ),
    "let s = scanl in s": (
        lambda a, b: dc.scanl(combined, b, a, check=False),
        5 * (COMBINED + 3 * OPERAND) + 2 * OPERAND + 2 * OPERAND,
    ),
    "let s = scanr in s": (
        lambda a, b: dc.scanr(combined, b, a, check=False),
        5 * (COMBINED + 3 * OPERAND) + 2 * OPERAND + 2 * OPERAND,
    ),
    "shift1L": (lambda a, b: dc.shift_left(a), 4 * OPERAND + OPERAND),
    "shift1R": (lambda a, b: dc.shift_right(a), 4 * OPERAND + OPERAND),
}


@pytest.mark.parametrize("line", FIGURE_11)
def test_a_line_of_figure_11_is_priced_as_it_is_written(line):
    """``let`` is asked with the scans; a shift of n + 1 numbers moves n."""
    function, price = FIGURE_11[line]
    assert measured(dc.fun(function, V, Real).program().lam)[:4] == tuple(price)


@given(arrays(1), numbers(2))
def test_it_holds_where_reductions_stand_in_maps(inner, outer):
    def function(a, b):
        return np.sum(dc.map(lambda x: outer(x, np.sum(inner(a * x, b))), a))

    assert theorem(function, V, V).holds


def test_a_running_product_moves_three_numbers_a_round():
    gradient = dc.grad(dc.fun(np.prod, Tensor((7,)))).program().lam
    # two scans of 7 rounds: the operation 3 + 1, two variables, 3 moves; the unit and the array
    scans = 2 * (7 * (4 + 2 + 3) + 2)
    product = 7 * (4 + 2 + 2)
    assert measured(gradient).total == scans + product == 186


def test_what_is_priced_keeps_its_sharing_and_is_no_public_primitive():
    lam = dc.fun(lambda x: np.tanh(np.tanh(x)) * 2.0, Real).program().lam
    again = priced(lam)
    assert measured(again) == measured(lam)
    assert str(again) == str(lam)
