"""Each literal system gives the gradients of the fast mode, exactly, on random programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, seed, settings
from hypothesis import strategies as st

from papers.comparison import linear_negation
from tests.papers.asking import Question, agree
from tests.papers.systems import SOURCE, STRAIGHT, WHOLE
from tests.strategies.language import Pair, Program, R, Type, V, nodes
from tests.strategies.points import arguments, quarters, values
from tests.strategies.programs import LENGTH, RATIONAL, programs

A_PART = max(1000, settings.default.max_examples)
PARTS = 10 if A_PART > 1000 else 1
"""A thousand programs a system in ``make deep``, in three minutes; fifty thousand in a search."""
SMALL = 15
"""So many nodes has one of them at most."""
CALLS = 3000
"""Of backpropagators, before linear negation says that there are too many."""
LOOPS = {"forms": frozenset()}
FRAGMENT = {"straight": True, **LOOPS}


@pytest.fixture(autouse=True)
def _patience(monkeypatch):
    monkeypatch.setattr(linear_negation, "MOST", CALLS)


@st.composite
def questions(
    draw: Callable[..., Any], result: Type = R, depth: int = 4, **fragment: Any
) -> Question:
    program = draw(programs(RATIONAL, result=result, depth=depth, **fragment))
    x = draw(arguments(program, quarters))
    return Question(program, result, x, draw(values(result, quarters)))


unhurried = settings(suppress_health_check=list(HealthCheck))


@unhurried
@given(questions())
def test_the_systems_that_have_every_form_agree_with_the_fast_mode(question):
    agree(WHOLE, question)


@unhurried
@given(questions(Pair(R, V(LENGTH))))
def test_those_with_results_of_many_numbers_agree_on_them(question):
    agree({name: system for name, system in WHOLE.items() if "002" not in name}, question)


@unhurried
@given(questions(**FRAGMENT))
def test_the_systems_without_choice_and_loops_agree_with_the_fast_mode(question):
    agree(STRAIGHT, question)


@unhurried
@given(questions(depth=3, **LOOPS))
def test_the_systems_of_source_agree_with_the_fast_mode(question):
    agree(SOURCE, question)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize(
    ("systems", "fragment"),
    [(WHOLE, {}), (SOURCE, LOOPS), (STRAIGHT, FRAGMENT)],
    ids=["whole", "source", "straight"],
)
def test_they_agree_on_many_programs(systems, fragment, part):
    asked = set[Program]()

    @seed(part)
    @settings(unhurried, max_examples=A_PART, database=None)
    @given(questions(depth=3, **fragment))
    def each(question):
        program = question.program
        assume(program not in asked and sum(1 for _ in nodes(program.body)) <= SMALL)
        agree(systems, question)
        asked.add(program)

    each()
    assert len(asked) == A_PART
