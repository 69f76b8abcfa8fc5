"""The laws of the textbooks hold in every mode over the rationals, exactly."""

from __future__ import annotations

import pytest

from combinators.simplify import FAST, RULES, STEPS
from diffcurry.models.programs import Programs
from interpreters.carriers.fractions import Fractions
from interpreters.modes.primal import Primal
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Dependent, Pullback
from laws.checking import check_law
from laws.claims import model_of
from laws.equality import Level
from laws.structures import laws_of
from tests.laws.structures import NAMED

MODELS = {
    "primal": lambda: Primal(Fractions()),
    "pullback": lambda: Pullback(Fractions()),
    "dependent": lambda: Dependent(Fractions()),
    "pushforward": lambda: Pushforward(Fractions()),
    "programs": lambda: Programs(Fractions()),
    "programs, simple": lambda: Programs(Fractions(), Pullback),
}


def owed(which):
    model = model_of(MODELS[which]())
    return model, [law for law in laws_of(model) if NAMED.get(law.name) is law]


def broken(which, examples, start=0):
    """The laws that do not hold, and how."""
    model, laws = owed(which)
    verdicts = [check_law(law, model, examples=examples, start=start) for law in laws]
    assert all(v.level <= Level.EXACT for v in verdicts)
    return {v.law.name: v.counterexample for v in verdicts if v.outcome == "failed"}


@pytest.mark.parametrize("which", MODELS)
def test_laws_hold(which):
    assert broken(which, 2) == {}


@pytest.mark.slow
@pytest.mark.parametrize("which", MODELS)
def test_laws_hold_of_many_programs(which):
    assert broken(which, 15, start=7) == {}


OWED = {
    "primal": ("C1", "P1a", "E1", "S5a", "fold-join", "A1a"),
    "pushforward": ("CD5", "T-compose", "D-curry", "D-ev"),
    "pullback": ("RD5", "L1a", "L2", "L3", "L6-β"),
    "dependent": ("RD5", "L1a", "L2", "L3", "L6-β"),
    "programs": ("C4a", "CD6", "CD7", "RD6", "RD7", "RD8", "RD8-CD6", "RD9a"),
}


@pytest.mark.parametrize("which", OWED)
def test_models_claim_what_they_have(which):
    names = {law.name for law in owed(which)[1]}
    assert names >= set(OWED[which])


def test_only_what_iterates_owes_the_laws_of_second_derivatives():
    for which in ("primal", "pullback", "dependent", "pushforward"):
        assert not {"CD6", "CD7", "RD6", "RD7"} & {law.name for law in owed(which)[1]}


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
