"""The law kit asks the literal systems what it asks the fast modes, exactly, over the rationals."""

import pytest

from laws.checking import check_law
from laws.structures import laws_of
from tests.papers.models import MODELS

each_model = pytest.mark.parametrize("made", MODELS, ids=lambda made: made.short)
MANY = {"P4·Q": 80, "E4·Q": 80, "J1·Q": 50, "N3·Q": 65}
"""So many laws has its fragment at least."""


@each_model
@pytest.mark.parametrize("name", ["C3", "P1a", "P3", "P4", "E1", "E2", "E4", "fix"])
def test_a_law_of_closed_categories_holds(made, name):
    model = made.makes()
    for law in laws_of(model):
        if law.name == name:
            assert check_law(law, model, examples=4).outcome == "passed"


@pytest.mark.slow
@each_model
def test_every_law_of_the_fragment_holds(made):
    model = made.makes()
    verdicts = [check_law(law, model, examples=4) for law in laws_of(model)]
    assert len(verdicts) > MANY[made.short]
    assert [verdict for verdict in verdicts if verdict.outcome != "passed"] == []
