"""Values of primitives: no other law compares what a primitive gives with what it is."""

import numpy as np
import pytest

from interpreters.carriers.fractions import Fractions
from interpreters.carriers.numpy import NumPy
from interpreters.modes.primal import Primal
from interpreters.modes.reverse import Dependent
from laws.checking import check
from laws.structures.numbers import VALUES
from tests.laws.asking import by_name, claimed, fails, holds, names
from tests.laws.bugs.seeded.primitives import AddsForMultiplies
from tests.laws.outsiders import Functions

MODELS = [Primal(Fractions()), Dependent(Fractions()), Primal(NumPy())]
PAIRS = claimed(VALUES, MODELS)
LAW = by_name(VALUES)


@pytest.mark.parametrize(("law", "model"), PAIRS, ids=names(PAIRS))
def test_it_holds(law, model):
    holds(law, model)


class Sums(Functions):
    """Whatever the primitive, it adds."""

    def primitive(self, operation, dom, cod):
        return lambda x: np.add(*x) if isinstance(x, tuple) else x


def test_a_category_that_adds_where_it_should_multiply_breaks_a_law():
    found = fails(LAW["V1"], Sums(), 25)
    assert "multiply" in found.difference.place or "subtract" in found.difference.place


@pytest.mark.slow
def test_only_laws_that_ask_for_numbers_see_it():
    """Those of values, and those of reduces, which know the operator that they reduce by."""
    report = check(AddsForMultiplies(), max_examples=5)
    failed = [verdict.law.name for verdict in report if verdict.outcome == "failed"]
    assert [name for name in failed if not name.startswith("reduce")] == ["V1", "V2"]


def test_what_has_no_primitives_is_not_asked():
    assert not claimed(VALUES, [Functions()])
