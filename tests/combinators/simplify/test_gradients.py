"""Simplified gradient programs of random programs have the same values, and cost no more."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import diffcurry as dc
from combinators.simplify import simplify
from interpreters.staging.programs import gradient
from tests.combinators.simplify.test_random_programs import (
    EXACT,
    FLOATS,
    Counting,
    lifted,
    value,
)
from tests.strategies.meanings import function_of
from tests.strategies.points import arguments, numbers, quarters
from tests.strategies.programs import RATIONAL, programs


@settings(max_examples=25)
@given(st.data())
def test_a_simplified_gradient_is_the_gradient(data):
    program = data.draw(programs(RATIONAL, depth=4))
    raw = gradient(function_of(program).program().lam, (0, 1, 2))
    args = data.draw(arguments(program, quarters))

    def outcome(lam, carrier):
        return list(numbers(value(lam, lifted(args, lam, carrier), carrier), raw.body.type))

    made = simplify(raw)
    assert made.type is raw.type
    assert outcome(made, EXACT) == outcome(raw, EXACT)
    assert outcome(simplify(raw, fast_math=True), EXACT) == outcome(raw, EXACT)
    counting = Counting(FLOATS)
    before = np.array(outcome(raw, counting), float)
    cost = counting.total
    counting.reset()
    np.testing.assert_array_equal(np.array(outcome(made, counting), float), before)
    assert counting.total <= cost


@pytest.mark.parametrize(
    "inner", [lambda x, y: x * y, lambda x, y: dc.cond(x < 0.0, lambda: x, lambda: np.exp(y))]
)
def test_nothing_fires_on_a_simplified_gradient(inner):
    def f(x, y, v):
        def step(c, i):
            return dc.cond(c < i, lambda: inner(c, i) + y, lambda: np.sin(c * x))

        return np.sin(dc.fold(step, x, v)) * dc.cond(x < y, lambda: inner(x, y), lambda: y)

    raw = gradient(dc.fun(f, dc.Real, dc.Real, dc.Tensor((3,))).program().lam, (0, 1, 2))
    fired = []
    simplify(simplify(raw), trace=fired.append)
    assert fired == []
