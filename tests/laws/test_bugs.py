"""Every seeded bug is caught by its law, with a small counterexample; what has none passes."""

import os

import pytest

from laws.checking import check_law
from laws.structures import LAWS, laws_of
from tests.laws.bugs.forms import Calls, Environments
from tests.laws.bugs.implied import IMPLIED
from tests.laws.bugs.seeded import BUGS
from tests.laws.bugs.table import PAGE, listed, silent_laws, why
from tests.laws.bugs.variants import Everything, EverythingByCalls, Floats, Numbers, Quiet

SMALL = 12
"""Combinators, at most, in a counterexample."""
FEW = 25
"""So many examples of every law are asked of what has no bug."""
BY_CALLS = 5
"""Of what runs a call again for each call round it, and so exponentially many."""

NAMES = [law.name for law in LAWS]
RIGHT = Environments, Calls
OF_ALL = Everything, EverythingByCalls
pytestmark = pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_is_caught(bug):
    verdict = bug.caught()
    assert verdict.outcome == "failed", f"{bug.law} does not see that {bug.what}"
    assert verdict.counterexample.size <= SMALL


@pytest.mark.slow
@pytest.mark.skipif(
    os.environ.get("DIFFCURRY_PROFILE") != "search",
    reason="asks all laws before it, at many examples: for `make search`",
)
@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_its_law_is_the_first(bug):
    assert bug.first().law.name == bug.law


@pytest.mark.slow
@pytest.mark.parametrize(
    "model", [*RIGHT, *OF_ALL, Floats, Numbers, Quiet], ids=lambda m: m.__name__
)
def test_what_has_no_bug_passes(model):
    right = model()
    failed = [law.name for law in laws_of(right) if broken(law, right)]
    assert not failed


@pytest.mark.parametrize("model", RIGHT, ids=lambda m: m.__name__)
def test_the_laws_that_catch_bugs_hold_without_them(model):
    right = model()
    first = {bug.law for bug in BUGS}
    assert not [law.name for law in laws_of(right) if law.name in first and broken(law, right)]


def broken(law, model):
    examples = BY_CALLS if isinstance(model, EverythingByCalls) else FEW
    return check_law(law, model, examples=examples).outcome == "failed"


def test_there_are_bugs_of_every_kind():
    assert len(BUGS) >= 170
    assert sum(bug.is_own for bug in BUGS) >= 110
    assert len({bug.name for bug in BUGS}) == len(BUGS)


def test_implications_are_of_laws_that_there_are():
    said = {**IMPLIED, **{law.name: law.implied_by for law in LAWS}}
    assert set(said) | {name for names in said.values() for name in names} == set(NAMES)


def test_what_is_implied_goes_back_to_laws_that_catch_bugs():
    caught, before = {bug.law for bug in BUGS}, None
    while caught != before:
        before = set(caught)
        caught |= {law.name for law in LAWS if (why := reasons(law)) and caught.issuperset(why)}
    assert caught == set(NAMES)


def reasons(law):
    return law.implied_by or IMPLIED.get(law.name, ())


def test_every_law_catches_a_bug_or_the_page_says_why_not():
    assert not [name for name in silent_laws() if not why(name)]


def test_the_page_lists_the_bugs():
    assert listed(PAGE.read_text(encoding="utf-8")) == [(bug.name, bug.law) for bug in BUGS]
