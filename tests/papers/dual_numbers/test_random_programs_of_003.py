"""The systems of 003 give the gradients of the fast mode, on random programs."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.papers.dual_numbers.asking import agree
from tests.strategies.points import arguments, quarters
from tests.strategies.programs import POLYNOMIAL, programs

MANY = 10 * settings.default.max_examples


def asked(data):
    program = data.draw(programs(POLYNOMIAL, depth=4))
    agree(program, data.draw(arguments(program, quarters)))


@given(st.data())
def test_dual_numbers_agree_with_the_fast_mode(data):
    asked(data)


@pytest.mark.slow
@settings(max_examples=MANY)
@given(st.data())
def test_dual_numbers_agree_with_the_fast_mode_many_times(data):
    asked(data)
