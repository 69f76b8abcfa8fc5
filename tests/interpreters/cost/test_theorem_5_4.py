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
    assert (bound.left, bound.right) == (15, 4 * 7 + 1)


@pytest.mark.parametrize("length", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_it_holds_of_every_composition_of_unary_operations(length):
    chains = itertools.product(UNARY, repeat=length)
    assert not [names for names in chains if not theorem(composed(names), Real).holds]


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
