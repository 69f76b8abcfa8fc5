"""Every law of the structures can fail: a model that is wrong in one place breaks it."""

from __future__ import annotations

import hypothesis
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis.errors import Unsatisfiable

from combinators.errors import DomainError, MissingRule, NotDifferentiable
from interpreters.carriers.fractions import Fractions
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Pullback
from laws.strategies.instances import scenes
from tests.laws import wrong
from tests.laws import wrong_operators as operators
from tests.laws.structures import NAMED

EXAMPLES = 500
OUTSIDE = (DomainError, MissingRule, NotDifferentiable)


class Broken(Exception):
    """A law does not hold."""


def fails(law, model):
    """Whether some scene of so many breaks the law."""

    @hypothesis.seed(1)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(scenes(law, model))
    def ask(scene):
        try:
            difference, _ = scene.verdict()
        except OUTSIDE:
            assume(condition=False)
        except Exception as error:
            raise Broken from error
        if difference is not None:
            raise Broken

    try:
        ask()
    except Unsatisfiable:
        return False
    except Broken:
        return True
    return False


def category(which):
    return lambda: operators.Wrong(which)


def derived(which, change):
    return lambda: operators.Derived(which, change)


def over(model, mode):
    return lambda: model(mode(Fractions()))


RD8 = ["RD8-CD1a", "RD8-CD1b", "RD8-CD2a", "RD8-CD2b", "RD8-CD3a", "RD8-CD3b", "RD8-CD3c"]

BROKEN = {
    "an identity that doubles": (category(wrong.ScaledIdentity()), "C1 C2 P4"),
    "composites that see brackets": (category(wrong.Bracketed()), "C3 L6-C L6-long"),
    "types of the domain twice": (operators.WrongTypes, "C4a"),
    "composites of what does not fit": (category(wrong.Untyped()), "C4b"),
    "pairs of another sign": (
        category(wrong.FlippedPairs()),
        "P1b P3 P6 copy-natural copy-swap copy-discard",
    ),
    "projections of another sign": (
        category(wrong.FlippedProjections()),
        "P7 swap-swap swap-natural copy-associative",
    ),
    "projections swapped": (
        category(wrong.SwappedProjections()),
        "P1a P2 P4 E1-two",
    ),
    "constants that see": (category(wrong.SeenConstant()), "P8"),
    "several values of the unit": (operators.ManyUnits, "P5a P5b CD4b RD8-CD4b"),
    "captured numbers forgotten": (category(wrong.Forgetful()), "E1 E4 E7 E1-two E1-apart E4-two"),
    "calls that double": (category(wrong.ScaledCalls()), "E1 E2 E3 E6 E8 E8-id"),
    "a branch of another sign": (category(wrong.ScaledBranch()), "S5a S5c S5d S3 S5e"),
    "branches swapped": (category(wrong.SwappedBranches()), "S5a S5b S2 S4"),
    "one branch only": (category(wrong.OneBranch()), "S5b S2 S5d"),
    "folds from the right": (category(wrong.Loops(wrong.from_the_right)), "fold-cons fold-join"),
    "folds never from the right": (category(wrong.Loops(wrong.never_backwards)), "fold-reverse"),
    "folds and one more": (
        category(wrong.Loops(wrong.one_more)),
        "fold-empty fold-one fold-steady fold-fusion scan-fold fold-part",
    ),
    "maps and one more": (
        category(wrong.Loops(wrong.shifted_map)),
        "map-id map-map map-join scan-map",
    ),
    "the first summand": (operators.FirstSummand, "A1b"),
    "differences": (operators.Differences, "A1a A1b"),
    "the first summand somewhere": (operators.FirstSummandSomewhere, "A2a"),
    "the first summand of pairs": (operators.FirstSummandOfPairs, "A3a A3b A3c A3d"),
    "ones for zero": (operators.Ones, "A1c"),
    "ones for zero somewhere": (operators.OnesSomewhere, "A2b"),
    "ones for zero of pairs": (operators.OnesOfPairs, "A3e"),
    "D twice as much": (
        derived("D", operators.twice),
        "CD3a CD3b CD3c CD5 CD6 T-compose T-id L3 RD8 D-linear",
    ),
    "D and one": (derived("D", operators.and_one), "CD1a CD1b CD2a CD2b"),
    "D of pairs": (derived("D", operators.into_pairs), "CD4a D-cross"),
    "D crossed": (derived("D", operators.crossed_vectors), "CD7"),
    "R twice as much": (
        derived("R", operators.twice),
        "RD3a RD3b RD3c RD5 RD9a RD9b RD6 RD8 RD8-CD5 RD8-CD6 L3",
    ),
    "R and one": (
        derived("R", operators.and_one),
        f"RD1a RD1b RD2a RD2b RD4a RD4b RD9c L1a L1b L2 {' '.join(RD8)}",
    ),
    "R of pairs": (derived("R", operators.into_pairs), "RD8-CD4a RD4a"),
    "R crossed": (derived("R", operators.crossed_results), "RD7"),
    "R by size": (
        derived("R", operators.by_size),
        "L6-P L6-wide L6-S L6-true L6-β L6-η L6-captured L6-given L6-returned L6-several L6-let",
    ),
    "D by size": (
        derived("D", operators.by_size),
        "D-β D-η D-captured D-given D-returned D-several D-let",
    ),
    "tangents of functions, and one": (
        over(operators.OneMore, Pushforward),
        "D-curry D-pointwise D-along",
    ),
    "functions for tangents, and one": (over(operators.Late, Pushforward), "D-ev"),
    "other values": (over(operators.OtherValues, Pullback), "L4"),
    "the first vector": (over(operators.FirstVector, Pullback), "A4a"),
    "sums and one": (over(operators.Remainder, Pullback), "A4b"),
}

SLOW = {"RD5", "RD6", "RD7", "RD8", "CD5", "CD6", "CD7", "E8", "E6", "L6-C"} | {
    *RD8,
    "RD8-CD5",
    "RD8-CD6",
}
CASES = [
    pytest.param(how, name, marks=pytest.mark.slow if name in SLOW else ())
    for how, (_, names) in BROKEN.items()
    for name in names.split()
]


@pytest.mark.parametrize(("how", "name"), CASES)
def test_a_wrong_model_breaks_the_law(how, name):
    assert fails(NAMED[name], BROKEN[how][0]())


def test_every_law_can_fail():
    assert {name for _, names in BROKEN.values() for name in names.split()} == set(NAMED)
