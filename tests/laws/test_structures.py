"""The laws of the textbooks: who owes them, and that they are named. The matrix asks them."""

from __future__ import annotations

import pytest

from combinators.simplify import FAST, RULES, STEPS
from diffcurry.models.programs import Programs
from interpreters.carriers.fractions import Fractions
from interpreters.modes.primal import Primal
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Dependent, Pullback
from laws.claims import model_of
from laws.structures import laws_of
from tests.laws.structures import NAMED

MODELS = {
    "primal": lambda: Primal(Fractions()),
    "pullback": lambda: Pullback(Fractions()),
    "dependent": lambda: Dependent(Fractions()),
    "pushforward": lambda: Pushforward(Fractions()),
    "programs": lambda: Programs(Fractions()),
}


def owed(which):
    return {law.name for law in laws_of(model_of(MODELS[which]())) if NAMED.get(law.name) is law}


OWED = {
    "primal": ("C1", "P1a", "E1", "S5a", "fold-join", "A1a"),
    "pushforward": ("CD5", "T-compose", "D-curry", "D-ev"),
    "pullback": ("RD5", "L1a", "L2", "L3", "L6-β"),
    "dependent": ("RD5", "L1a", "L2", "L3", "L6-β"),
    "programs": ("C4a", "CD6", "CD7", "RD6", "RD7", "RD8", "RD8-CD6", "RD9a"),
}


@pytest.mark.parametrize("which", OWED)
def test_models_claim_what_they_have(which):
    assert owed(which) >= set(OWED[which])


def test_only_what_iterates_owes_the_laws_of_second_derivatives():
    for which in ("primal", "pullback", "dependent", "pushforward"):
        assert not {"CD6", "CD7", "RD6", "RD7"} & owed(which)


def test_rules_that_laws_justify_are_rules_of_the_simplifier():
    known = {rule.name for rule in (*RULES, *FAST, *STEPS)}
    assert {law.rule for law in NAMED.values() if law.rule} <= known


def test_laws_follow_from_laws_that_there_are():
    assert {name for law in NAMED.values() for name in law.implied_by} <= set(NAMED)


def test_laws_have_sources_and_names_of_their_own():
    assert all(law.source and law.statement for law in NAMED.values())
    assert all(
        len({q.name for q in law.generators}) == len(law.generators) for law in NAMED.values()
    )
