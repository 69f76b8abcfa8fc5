"""Each literal system of 000 gives the gradients of the fast mode, on random programs."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.papers.unary_form.asking import SYSTEMS, agree
from tests.strategies.points import arguments, quarters
from tests.strategies.programs import RATIONAL, programs


@pytest.mark.parametrize("name", SYSTEMS)
@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(data=st.data())
def test_a_literal_system_agrees_with_the_fast_mode(name, data):
    program = data.draw(programs(RATIONAL, depth=3, forms=frozenset()))
    agree(SYSTEMS[name], program, data.draw(arguments(program, quarters)))
