"""Each literal system of 002 gives the gradients of the fast mode, on random programs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.papers.comparison.asking import STRAIGHT, WHOLE, agree
from tests.strategies.points import arguments, quarters
from tests.strategies.programs import RATIONAL, programs

MANY = 10 * settings.default.max_examples
"""A thousand in ``make deep``, and fifty thousand in ``make search``."""


def asked(name: str, data: Any) -> None:
    straight = name in STRAIGHT
    program = data.draw(programs(RATIONAL, depth=4, straight=straight, **plain(straight)))
    agree((STRAIGHT | WHOLE)[name], program, data.draw(arguments(program, quarters)))


def plain(straight: bool) -> dict[str, Any]:
    return {"forms": frozenset()} if straight else {}


@pytest.mark.parametrize("name", [*WHOLE, *STRAIGHT])
@given(data=st.data())
def test_a_literal_system_agrees_with_the_fast_mode(name, data):
    asked(name, data)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*WHOLE, *STRAIGHT])
@settings(max_examples=MANY)
@given(data=st.data())
def test_a_literal_system_agrees_with_the_fast_mode_many_times(name, data):
    asked(name, data)
