"""Simplified random programs mean what they meant, cost no more, and are stable."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from combinators.errors import DiffcurryError
from combinators.kit.tree import distinct_nodes
from combinators.literal import Literal
from combinators.morphisms import interpret
from combinators.simplify import normal, simplify
from combinators.terms import Lam, Prim
from combinators.translate import translate
from interpreters.carriers.counting import Counting
from interpreters.carriers.fractions import Fractions
from interpreters.carriers.numpy import NumPy
from interpreters.modes.primal import Primal
from tests.strategies.language import Num, Pair, Program, R, V
from tests.strategies.meanings import function_of, object_of
from tests.strategies.points import arguments, numbers, quarters, thousandths
from tests.strategies.programs import LENGTH, RATIONAL, programs

RESULT = Pair(R, V(LENGTH))
EXAMPLES = 25
EXACT, FLOATS = Fractions(), NumPy()


def size(lam: Lam) -> int:
    return sum(1 for _ in distinct_nodes(lam))


def value(lam: Lam, args: Any, carrier: Any) -> Any:
    mode = Primal(carrier)
    with np.errstate(all="ignore"):
        return mode.value(interpret(translate(lam.params, lam.body), mode), args)


def folded(term: Prim) -> Literal:
    """Constants computed by NumPy."""
    types = [arg.type for arg in term.args]
    compute = FLOATS.operation(term.operation, types, term.type)
    return Literal(compute(*(FLOATS.const(arg.literal) for arg in term.args)), term.type.dtype)


def lifted(args: Any, lam: Lam, carrier: Any) -> Any:
    kinds = [param.type for param in lam.params]
    return tuple(carrier.lift(arg, obj) for arg, obj in zip(args, kinds, strict=True))


def outcome(lam: Lam, args: Any, carrier: Any) -> list[Any]:
    result = value(lam, lifted(args, lam, carrier), carrier)
    return list(numbers(result, object_of(RESULT)))


@settings(max_examples=EXAMPLES)
@given(st.data())
def test_every_value_is_the_same_exactly(data):
    program = data.draw(programs(RATIONAL, result=RESULT, depth=4))
    lam = function_of(program).program().lam
    args = data.draw(arguments(program, quarters))
    for made in (normal(lam), simplify(lam), simplify(lam, fast_math=True)):
        assert made.type is lam.type
        assert outcome(made, args, EXACT) == outcome(lam, args, EXACT)


@settings(max_examples=EXAMPLES)
@given(st.data())
def test_in_floats_every_bit_is_the_same_and_no_operation_is_added(data):
    program = data.draw(programs(result=RESULT, depth=4))
    lam = function_of(program).program().lam
    args = data.draw(arguments(program, thousandths))
    counting = Counting(FLOATS)
    before = outcome(lam, args, counting)
    cost = counting.total
    for fold in (None, folded):
        counting.reset()
        after = outcome(simplify(lam, fold=fold), args, counting)
        np.testing.assert_array_equal(np.array(after, float), np.array(before, float))
        assert [np.signbit(x) for x in after] == [np.signbit(x) for x in before]
        assert counting.total <= cost


@settings(max_examples=EXAMPLES)
@given(programs(result=RESULT, depth=4))
def test_it_is_deterministic_and_ends(program):
    lam = function_of(program).program().lam
    once = simplify(lam)
    assert str(simplify(lam)) == str(once)
    assert size(simplify(once)) <= size(once)


@pytest.mark.parametrize(
    "group", ["inlining", "tuples", "conditionals", "loops", "sharing", "algebra", "arrays"]
)
@settings(max_examples=EXAMPLES)
@given(st.data())
def test_any_group_can_be_left_out(group, data):
    program = data.draw(programs(RATIONAL, result=RESULT, depth=3))
    lam = function_of(program).program().lam
    args = data.draw(arguments(program, quarters))
    assert outcome(simplify(lam, without=[group]), args, EXACT) == outcome(lam, args, EXACT)


def test_a_name_that_is_no_rule_is_an_error():
    lam = function_of(Program((("x", R),), Num(1.0))).program().lam
    with pytest.raises(DiffcurryError, match="there is no rule or group alegbra"):
        simplify(lam, without=["alegbra"])
