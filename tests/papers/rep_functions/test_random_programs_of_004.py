"""The figures of 004 and the fast modes give one derivative, exactly, of random programs."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from combinators.morphisms import interpret
from combinators.objects import Product
from interpreters.carriers.fractions import Fractions
from interpreters.modes.reverse import Dependent
from interpreters.sparse_cotangents import dense
from papers.rep_functions.calls import SimplyTyped
from papers.rep_functions.environments import DependentlyTyped
from papers.rep_functions.tangents import erased
from tests.strategies.language import Pair, R, V
from tests.strategies.meanings import function_of, object_of
from tests.strategies.points import arguments, numbers, quarters, values
from tests.strategies.programs import LENGTH, RATIONAL, programs

EXACT = Fractions()
RESULT = Pair(R, V(LENGTH))


def exactly(value: Any, obj: Any) -> Any:
    if isinstance(obj, Product):
        return tuple(exactly(part, below) for part, below in zip(value, obj.parts, strict=True))
    return EXACT.lift(value, obj)


def in_figure_3(arrow: Any, x: Any, w: Any) -> Any:
    value, pullback, _ = SimplyTyped(EXACT).of(arrow)(x)
    return value, pullback(w)


def in_figure_5(arrow: Any, x: Any, w: Any) -> Any:
    value, pullback, _ = DependentlyTyped(EXACT).of(arrow)(x)
    return value, pullback(w)


def with_erased_casts(arrow: Any, x: Any, w: Any) -> Any:
    value, pullback, _ = DependentlyTyped(EXACT, erased).of(arrow)(x)
    return value, pullback(w)


@pytest.mark.parametrize("figure", [in_figure_3, in_figure_5, with_erased_casts])
@given(st.data())
def test_a_figure_and_the_fast_mode_agree_exactly(figure, data):
    program = data.draw(programs(RATIONAL, result=RESULT, depth=4))
    types = Product(*(object_of(kind) for _, kind in program.params))
    x = exactly(data.draw(arguments(program, quarters)), types)
    result = object_of(RESULT)
    w = exactly(data.draw(values(RESULT, quarters)), result)
    arrow = function_of(program).program().combinators

    mode = Dependent(EXACT)
    y, pull = mode.rep(interpret(arrow, mode), x)
    pulled = dense(EXACT, pull({0: w[0], 1: w[1]}), types)
    value, cotangent = figure(arrow, x, w)
    assert list(numbers(value, result)) == list(numbers(y, result))
    assert list(numbers(cotangent, types)) == list(numbers(pulled, types))
