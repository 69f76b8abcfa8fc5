"""The cost is counted: value and pullback do a small constant times what the program does.

An array operation counts its elements; moves and the seed 1 are free.
"""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import diffcurry as dc
from diffcurry import Real
from tests.evidence.measuring import counted

MOST, WITH_DIVISION = 5, 6
UNARY = {
    "sin": np.sin,
    "cos": np.cos,
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
}
BINARY = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
}


def limit(*operators):
    return WITH_DIVISION if "/" in operators else MOST


@pytest.mark.parametrize("name", UNARY)
def test_a_chain_of_functions(name):
    def chain(x):
        for _ in range(1000):
            x = UNARY[name](x)
        return x

    counts = counted(chain, 0.5)
    assert counts.program.total() == 1000
    assert counts.ratio <= MOST


@pytest.mark.parametrize("name", BINARY)
def test_a_chain_of_operators(name):
    def chain(x, y):
        for _ in range(1000):
            x = BINARY[name](x, y)
        return x

    counts = counted(chain, 0.5, 1.001)
    assert counts.program.total() == 1000
    assert counts.ratio <= limit(name)


@pytest.mark.parametrize("name", BINARY)
def test_a_tree(name):
    def tree(*leaves):
        while len(leaves) > 1:
            leaves = [BINARY[name](*pair) for pair in zip(leaves[::2], leaves[1::2], strict=True)]
        return leaves[0]

    counts = counted(tree, *np.linspace(0.9, 1.1, 256))
    assert counts.program.total() == 255
    assert counts.ratio <= limit(name)


@pytest.mark.parametrize("name", UNARY)
def test_one_variable_used_a_thousand_times(name):
    def fan(x):
        total = 0.0
        for i in range(1000):
            total = total + UNARY[name](x * float(i + 1))
        return total

    counts = counted(fan, 0.5)
    assert counts.program.total() == 3000
    assert counts.ratio <= MOST


def test_a_chain_that_shares():
    def doubled(x):
        for _ in range(64):
            x = x + x
        return x

    counts = counted(doubled, 0.5)
    assert counts.value == 2.0**63
    assert counts.cotangents == {0: 2.0**64}
    assert counts.program.total() == 64
    assert counts.ratio <= MOST


def test_a_chain_that_shares_and_multiplies():
    def waves(x):
        for _ in range(64):
            x = np.sin(x) * x
        return x

    assert counted(waves, 0.5).ratio <= MOST


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_a_fold_of_ten_thousand_steps(name):
    def folded(w, xs):
        if name in UNARY:
            return dc.fold(lambda c, x: UNARY[name](c * w + x), 0.5, xs)
        return dc.fold(lambda c, x: BINARY[name](c * 0.5 + w, x), 0.5, xs)

    counts = counted(folded, 0.5, np.linspace(1.0, 2.0, 10_000))
    assert counts.program.total() == 30_000
    assert counts.ratio <= limit(name)


def test_a_closure_called_in_a_fold():
    def folded(w, b, xs):
        cell = dc.fun(lambda c, x: np.tanh(w * x + b * c), Real, Real)
        return dc.fold(cell, 0.0, xs)

    counts = counted(folded, 0.5, 0.25, np.linspace(-1.0, 1.0, 10_000))
    assert counts.program.total() == 40_000
    assert counts.ratio <= MOST


def test_arrays_count_their_elements():
    counts = counted(lambda w, x: np.sum(np.tanh(w @ x)), np.ones((30, 20)), np.ones(20))
    assert counts.ratio <= MOST


@given(st.data())
def test_any_straight_line_program(data):
    operators = data.draw(st.sets(st.sampled_from([*UNARY, *BINARY]), min_size=1))
    choose = st.sampled_from(sorted(operators))
    size = data.draw(st.integers(1, 40))
    plan = [
        (data.draw(choose), data.draw(st.integers(0, i)), data.draw(st.integers(0, i)))
        for i in range(size)
    ]

    def straight(x):
        values = [x]
        for name, i, j in plan:
            args = (values[i],) if name in UNARY else (values[i], values[j])
            values.append((UNARY | BINARY)[name](*args))
        return values[-1]

    assert counted(straight, 0.75).ratio <= limit(*operators)


def test_the_simple_form_pays_for_every_level_of_functions():
    """As 004 says in section 5: its pullback runs the function again at each recorded argument."""

    def level(n, w, x):
        return np.sin(x * w) if n == 0 else dc.fun(lambda z: level(n - 1, w, z), Real)(x)

    def ratio(depth, form):
        return counted(lambda w, x: level(depth, w, x), 0.5, 2.0, form=form).ratio

    dependent = [ratio(depth, "dependent") for depth in range(8)]
    simple = [ratio(depth, "simple") for depth in range(8)]
    assert dependent == dependent[:1] * 8
    assert simple[0] == dependent[0]
    growth = [after / before for before, after in itertools.pairwise(simple)]
    assert all(1.5 < factor <= 2.5 for factor in growth)
