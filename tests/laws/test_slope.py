"""L5: derivatives are slopes of the values; kinks and jumps are not asked."""

import pytest

from interpreters.carriers.fractions import Fractions
from interpreters.carriers.numpy import NumPy
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Dependent, Pullback
from laws.checking import check_law
from laws.structures import LAWS, laws_of
from tests.laws.asking import holds
from tests.laws.bugs.seeded.transposes import BothWrong
from tests.laws.bugs.variants import QuietReals

LAW = {law.name: law for law in LAWS if law.name in ("L5a", "L5b")}


def named(mode):
    return f"{type(mode).__name__} over {type(mode.over).__name__}"


MODELS = [mode(carrier()) for mode in (Dependent, Pullback) for carrier in (Fractions, NumPy)]


@pytest.mark.parametrize("name", LAW)
@pytest.mark.parametrize("model", MODELS, ids=named)
def test_it_holds(name, model):
    holds(LAW[name], model, examples=40)


def test_forward_mode_is_asked_forwards():
    holds(LAW["L5a"], Pushforward(Fractions()), examples=40)


@pytest.mark.parametrize("name", LAW)
def test_derivatives_that_are_wrong_both_ways_are_seen(name):
    assert check_law(LAW[name], QuietReals(), examples=60)
    assert check_law(LAW[name], BothWrong(), examples=60).outcome == "failed"


def test_no_other_law_but_the_linear_rule_sees_them():
    seeing = (*LAW, "D-linear")
    others = [law for law in laws_of(BothWrong()) if law.name not in seeing and law.tame]
    assert all(check_law(law, BothWrong(), examples=15).outcome != "failed" for law in others)
