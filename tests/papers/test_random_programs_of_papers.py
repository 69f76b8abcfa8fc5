"""Each literal system gives the gradients of the fast mode, exactly, on random programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import count, islice
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from papers.comparison import linear_negation
from tests.papers.asking import Question, System, agree
from tests.papers.systems import SOURCE, STRAIGHT, WHOLE
from tests.strategies.language import Pair, Program, R, Type, V, nodes
from tests.strategies.points import arguments, quarters, values
from tests.strategies.programs import LENGTH, RATIONAL, program, programs

PARTS = 5
A_PART = 2 * max(1000, settings.default.max_examples)
"""So many programs every system answers in each: 10,000 in ``make deep``, 50,000 in a search."""
SMALL = 10
"""So many nodes has one of those at most."""
CALLS = 300
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


# --- ten thousand

SWEPT: dict[str, tuple[dict[str, System], dict[str, Any]]] = {
    "every form": (WHOLE, {}),
    "no sums and no recursion": (SOURCE, LOOPS),
    "no choice and no loop": (STRAIGHT, FRAGMENT),
}


class Pool:
    """Random programs, the same ones always, all different and none larger than ``SMALL``."""

    def __init__(self, seed: str) -> None:
        self.chance, self.fragment = Random(seed), SWEPT[seed][1]
        self.met, self.drawn = set[Program](), list[tuple[Program, Any, Fraction]]()

    def quarter(self) -> Fraction:
        return Fraction(self.chance.randint(-8, 8), 4)

    def draw(self) -> None:
        made = program(self.chance, RATIONAL, depth=3, **self.fragment)
        if made not in self.met and sum(1 for _ in nodes(made.body)) <= SMALL:
            self.met.add(made)
            v = [self.quarter() for _ in range(LENGTH)]
            self.drawn.append((made, (self.quarter(), self.quarter(), v), self.quarter()))

    def part(self, first: int) -> Iterator[Question]:
        """Each fifth of them, say."""
        for index in count(first, PARTS):
            while len(self.drawn) <= index:
                self.draw()
            made, x, w = self.drawn[index]
            yield Question(made, R, x, w)


pool = cache(Pool)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("forms", SWEPT)
def test_each_system_agrees_with_the_fast_mode_on_ten_thousand_programs(forms, part):
    systems, answered = SWEPT[forms][0], Counter[str]()
    left = dict(systems)
    for question in islice(pool(forms).part(part), 3 * A_PART):
        answered.update(agree(left, question))
        left = {name: left[name] for name in left if answered[name] < A_PART}
        if not left:
            break
    assert answered == dict.fromkeys(systems, A_PART)
