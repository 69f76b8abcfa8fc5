"""Derivatives of random higher-order programs, as programs, are the derivatives."""

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.evidence.programs import agreeing
from tests.strategies.language import Program
from tests.strategies.points import arguments, quarters, thousandths, values
from tests.strategies.programs import RATIONAL, programs

few = settings(max_examples=max(8, settings().max_examples // 2))


@given(st.data())
def test_pullbacks_and_pushforwards_are_exact_over_the_rationals(data):
    program = data.draw(programs(RATIONAL, result=agreeing.RESULT, depth=4))
    x, v = (data.draw(arguments(program, quarters)) for _ in range(2))
    agreeing.agree_exactly(program, x, v, data.draw(values(agreeing.RESULT, quarters)))


@few
@given(st.data())
def test_gradients_agree_in_floats_in_every_way_of_running_them(data):
    program = data.draw(programs(depth=4))
    agreeing.agree_in_floats(program, data.draw(arguments(program, thousandths)))


@few
@given(st.data())
def test_four_ways_to_a_second_derivative_agree_exactly_over_the_rationals(data):
    program = data.draw(programs(RATIONAL, depth=3))
    x, w = (data.draw(arguments(program, quarters)) for _ in range(2))
    agreeing.agree_in_second_order(program, x, w)


@few
@given(st.data())
def test_second_derivatives_are_those_that_high_precision_differences_give(data):
    program = data.draw(programs(depth=4))
    x, w = (data.draw(arguments(program, thousandths)) for _ in range(2))
    assume(agreeing.agree_with_high_precision(program, x, w))


@few
@given(st.data())
def test_jacobians_and_hessians_by_lists_and_sums_are_the_derivatives_in_every_mode(data):
    program = data.draw(programs(depth=3))
    x, w = (data.draw(arguments(program, thousandths)) for _ in range(2))
    assume(agreeing.agree_by_data(program, x, w))


@few
@given(st.data())
def test_third_derivatives_are_those_that_high_precision_differences_give(data):
    program = data.draw(programs(params=agreeing.OF_ONE_NUMBER, depth=3))
    assume(agreeing.agree_in_third_order(program, data.draw(thousandths)))


@few
@given(st.data())
def test_a_gradient_is_written_before_its_function_argument_is_known(data):
    program = data.draw(programs(params=agreeing.WITH_FUNCTION, depth=4))
    x = data.draw(arguments(Program(program.params[1:], program.body), thousandths))
    agreeing.agree_with_a_function(program, x, data.draw(thousandths))


@few
@given(st.data())
def test_a_program_is_written_in_one_way(data):
    program = data.draw(programs(depth=4))
    assert agreeing.written(program) == agreeing.written(program)
