"""On random well-typed higher-order programs every mode gives one derivative, and the true one."""

from typing import Any

import mpmath
import numpy as np
from hypothesis import Phase, assume, event, given, seed, settings
from hypothesis import strategies as st

import diffcurry as dc
from combinators.morphisms import interpret
from combinators.objects import Product
from interpreters.carriers.fractions import Fractions
from interpreters.modes.primal import Primal
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Dependent, Pullback
from interpreters.sparse_cotangents import dense
from tests.strategies.language import Pair, Program, R, V, features
from tests.strategies.meanings import Unclear, evaluated, function_of, object_of
from tests.strategies.points import arguments, inner, numbers, quarters, thousandths, values
from tests.strategies.programs import LENGTH, RATIONAL, programs

EXACT = Fractions()
RESULT = Pair(R, V(LENGTH))


def note(program: Program) -> None:
    """For ``--hypothesis-show-statistics``: the share of programs that hold each form."""
    for feature in sorted(features(program)):
        event(feature)


def exactly(value: Any, obj: Any) -> Any:
    """A drawn value as one of the rationals."""
    if isinstance(obj, Product):
        return tuple(exactly(part, below) for part, below in zip(value, obj.parts, strict=True))
    return EXACT.lift(value, obj)


FORMS = ({"a case"}, {"recursion"}, {"a list"}, {"a reduce", "an associative scan"})


def test_a_third_of_the_programs_hold_each_form():
    drawn = []
    for_each = settings(max_examples=200, phases=[Phase.generate], database=None)

    @seed(1)
    @for_each
    @given(programs(depth=4))
    def look(program):
        drawn.append(features(program))

    look()
    for form in FORMS:
        assert sum(not form.isdisjoint(held) for held in drawn) >= 0.3 * len(drawn)


@given(st.data())
def test_all_modes_agree_exactly_over_the_rationals(data):
    program = data.draw(programs(RATIONAL, result=RESULT, depth=4))
    note(program)
    function = function_of(program)
    types = Product(*(object_of(kind) for _, kind in program.params))
    x, v = (exactly(data.draw(arguments(program, quarters)), types) for _ in range(2))
    result = object_of(RESULT)
    w = exactly(data.draw(values(RESULT, quarters)), result)
    arrow = function.program().combinators
    value = Primal(EXACT).value(interpret(arrow, Primal(EXACT)), x)

    pulled = []
    for mode in (Dependent(EXACT), Pullback(EXACT)):
        y, pull = mode.rep(interpret(arrow, mode), x)
        assert list(numbers(y, result)) == list(numbers(value, result))
        cotangent = {0: w[0], 1: w[1]}
        pulled.append(dense(EXACT, pull(cotangent), types))
        again = dense(EXACT, pull(cotangent), types)
        assert list(numbers(again, types)) == list(numbers(pulled[-1], types))
    dependent, simple = pulled
    assert list(numbers(dependent, types)) == list(numbers(simple, types))

    forward = Pushforward(EXACT)
    y, moved = forward.push(interpret(arrow, forward), x, v)
    assert list(numbers(y, result)) == list(numbers(value, result))
    moved = tuple(
        dense(EXACT, part, below) for part, below in zip(moved or (None, None), result, strict=True)
    )
    assert inner(moved, w, result) == inner(v, dependent, types)  # law L3


@given(st.data())
def test_every_mode_gives_the_derivative_that_high_precision_differences_give(data):
    program = data.draw(programs())
    note(program)
    args = data.draw(arguments(program, thousandths))
    value, gradient = true_gradient(program, args)
    assume(all(abs(part) < 1e4 for part in gradient))
    function = function_of(program)
    given_args = tuple(np.asarray(arg, dtype=float)[()] for arg in args)
    for mode in ("dependent", "simple", "forward"):
        found, slopes = dc.value_and_grad(function, argnums=(0, 1, 2), mode=mode)(*given_args)
        close(found, value)
        close(np.hstack(slopes), gradient)


def true_gradient(program: Program, args: Any) -> tuple[float, list[float]]:
    """Value and gradient to fifty digits, rounded; programs near a kink are not looked at."""
    flat = [mpmath.mpf(x) for x in np.hstack(args)]

    def along(index: int) -> Any:
        def line(t: Any) -> Any:
            x, y, *v = (t if i == index else number for i, number in enumerate(flat))
            return evaluated(program, (x, y, v))

        return line

    with mpmath.workdps(50):
        try:
            value = along(-1)(None)
            slopes = [mpmath.diff(along(i), flat[i]) for i in range(len(flat))]
        except Unclear:
            assume(False)
    return float(value), [float(slope) for slope in slopes]


def close(found: Any, true: Any) -> None:
    np.testing.assert_allclose(found, true, rtol=1e-8, atol=1e-8)
