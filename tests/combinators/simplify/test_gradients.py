"""Simplified gradient programs of random programs have the same values, and cost no more."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

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
