"""The law kit asks the figures of 004 what it asks the fast modes, exactly, over the rationals."""

import pytest

from interpreters.carriers.fractions import Fractions
from laws.checking import check_law
from laws.structures import laws_of
from tests.papers.rep_functions.model import models

MODELS = models(Fractions())
each_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)


@each_model
@pytest.mark.parametrize("name", ["C3", "P1a", "P3", "P4", "E1", "E2", "E4", "fix"])
def test_a_law_of_closed_categories_holds(model, name):
    (law,) = (law for law in laws_of(model) if law.name == name)
    assert check_law(law, model, examples=4).outcome == "passed"


@pytest.mark.slow
@each_model
def test_every_law_of_the_fragment_holds(model):
    verdicts = [check_law(law, model, examples=4) for law in laws_of(model)]
    assert len(verdicts) > 80
    assert [verdict for verdict in verdicts if verdict.outcome != "passed"] == []
