"""Asking a model: what passes, fails, is vacuous, or is not asked; by seed; within other tests."""

import warnings
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import diffcurry.models  # noqa: F401 (what makes models of our own things)
from combinators.errors import DomainError, MissingRule, TypeMismatch
from interpreters.carriers.fractions import Fractions
from laws.checking import EXAMPLES, check, check_law, examples_by_profile
from laws.claims import model_of
from laws.language import Generator, Image, R, Variable
from laws.law import Law
from laws.structures import LAWS
from laws.structures.categories import CATEGORY
from laws.tally import PATIENCE
from laws.verdict import Report
from tests.laws.values import Values

C1, C3 = (next(law for law in LAWS if law.name == name) for name in ("C1", "C3"))
LAW = {law.name: law for law in LAWS}
A, B = Variable("A"), Variable("B")
f = Generator("f", A, B)
SAME = Law("same", "the way changes nothing", Image("way", f), f, CATEGORY, "here")


class Refusing(Values):
    def __init__(self, error, after=0):
        self.error, self.left = error, after

    def compose(self, arrows):
        def run(x):
            self.left -= 1
            if self.left < 0:
                raise self.error
            return Values.compose(self, arrows)(x)

        return run


def test_a_right_model_passes_and_its_verdict_says_how():
    verdict = check_law(C1, Values(), examples=120)
    assert verdict
    assert (verdict.outcome, verdict.examples) == ("passed", 120)
    assert verdict.extensional
    assert sum(verdict.levels.values()) == 120
    assert str(verdict.level) == "exact"
    assert verdict.shares["closure"] > 0.1
    assert verdict.shares["conditional"] > 0.03
    assert verdict.shares["fold"] > 0.03


def test_the_seed_decides_the_examples_whatever_else_is_asked():
    def shares(**more):
        return {v.law.name: dict(v.shares) for v in check(Values(), max_examples=15, **more)}

    alone, among = shares(only=["C3"], seed=3), shares(structures=["cartesian"], seed=3)
    assert list(alone) == ["C3"]
    assert alone["C3"] == among["C3"]
    assert alone != shares(only=["C3"], seed=4)


def test_only_takes_structures_and_refuses_what_it_does_not_know():
    asked = {v.law.structure.name for v in check(Values(), only="category", max_examples=1)}
    assert asked == {"category"}
    with pytest.raises(TypeMismatch, match="no structure and no law 'C99'"):
        check(Values(), only=["C99"])


def test_progress_is_told_before_each_law():
    told = []
    check(Values(), only=["C1", "C3"], max_examples=2, progress=lambda *step: told.append(step))
    assert told == [(0, 2, C1), (1, 2, C3)]


def test_a_law_that_is_always_refused_is_not_asked_and_soon():
    verdict = check_law(C1, Refusing(MissingRule("no compose here")), examples=500)
    assert verdict.outcome == "unasked"
    assert verdict.rejected <= PATIENCE
    assert "MissingRule: no compose here" in verdict.reason


def test_a_law_that_the_model_lacks_something_for_is_no_failure_though_some_examples_need_it_not():
    verdict = check_law(C1, Refusing(MissingRule("no sum here"), after=3), examples=100)
    assert verdict.outcome == "unasked"
    assert verdict
    assert 0 < verdict.examples <= 3
    assert verdict.rejected <= 4 * PATIENCE
    assert "MissingRule: no sum here" in verdict.reason


def test_a_law_whose_examples_fall_outside_is_vacuous_with_the_commonest_reason():
    verdict = check_law(C1, Refusing(DomainError("one over zero"), after=3), examples=100)
    assert verdict.outcome == "vacuous"
    assert not verdict
    assert 0 < verdict.examples <= 10
    assert verdict.rejected <= PATIENCE + 4 * 100
    assert "DomainError: one over zero" in verdict.reason


def test_an_error_of_the_model_is_a_failure_with_its_traceback():
    verdict = check_law(C1, Refusing(RecursionError("round and round")), examples=50)
    assert verdict.outcome == "failed"
    assert isinstance(verdict.counterexample.error, RecursionError)
    assert verdict.counterexample.error.__traceback__ is not None


def test_a_model_without_end_is_a_failure():
    class Endless(Values):
        def identity(self, dom):
            return lambda x: self.identity(dom)(x)

    verdict = check_law(C1, Endless(), examples=5)
    assert isinstance(verdict.counterexample.error, RecursionError)


def test_a_model_that_is_not_deterministic_is_reported():
    class Fickle(Values):
        ticks = count()

        def const(self, dom, value):
            exact = super().const(dom, value)
            return lambda x: exact(x) + next(self.ticks) % 7 if value.type.is_smooth else exact(x)

    verdict = check_law(SAME, _wayward(Fickle()), examples=100)
    assert verdict.outcome == "failed"


def _wayward(model):
    from combinators.morphisms import interpret

    model.ways = {"way": lambda arrow: interpret(arrow, model)}
    return model


def test_sometimes_failing_once_is_said_to_be_fickle():
    class Once(Values):
        done = False

        def identity(self, dom):
            def run(x):
                if not self.done:
                    type(self).done = True
                    raise ValueError("just once")
                return x

            return run

    verdict = check_law(C1, Once(), examples=50)
    assert verdict.outcome == "failed"
    assert "not deterministic" in verdict.reason
    assert isinstance(verdict.counterexample.error, ValueError)


class Flat(Values):
    """It says that it has conditionals, and takes none of them."""

    def cond(self, dom, then, other):
        raise MissingRule("no conditionals")


def test_what_is_never_held_makes_a_law_vacuous():
    verdict = check_law(C1, Flat(), examples=150)
    assert verdict.outcome == "vacuous"
    assert "conditional in 0 of 150" in verdict.reason


def test_zero_covectors_do_not_count():
    class Zeros(Values):
        def R(self, arrow, dom, cod):
            raise MissingRule("no derivative")

    A, B = Variable("A", "vector"), Variable("B", "vector")
    f, w = Generator("f", A, B), Generator("w", B, B, "point")
    law = Law("R", "R", R(f), R(f), CATEGORY, "here", extra=(w,))
    assert check_law(law, Zeros(), examples=100).outcome == "unasked"


@pytest.mark.parametrize("name", ["L5b", "RD5", "RD9b", "RD9c", "L3", "H5"])
def test_covectors_are_counted_wherever_they_are_pulled_back(name):
    verdict = check_law(LAW[name], model_of(Fractions()), examples=30)
    assert verdict.shares["non-zero cotangent"] > 0.3


def test_no_covector_is_counted_where_none_is_pulled_back():
    verdict = check_law(LAW["L5a"], model_of(Fractions()), examples=30)
    assert verdict.shares["non-zero cotangent"] == 0


def test_the_number_of_examples_is_the_profiles():
    assert examples_by_profile() == settings.default.max_examples
    assert EXAMPLES == 50


@settings(max_examples=3)
@given(st.integers(0, 9))
def test_it_works_within_a_hypothesis_test_and_is_quiet(seed):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert check_law(C1, Values(), examples=4, start=seed)
        assert not check_law(C1, Refusing(ValueError("no")), examples=4, start=seed)


class Shared(Values):
    """Its closures of one λ share what the last of them captured."""

    def curry(self, captured, function, body, label):
        cell = []

        def make(env):
            cell[:] = [env]
            return lambda x: body((*cell[0], x))

        return make


class AtOne(Values):
    """Its projections are wrong at some numbers alone."""

    def proj(self, dom, index, cod):
        run = super().proj(dom, index, cod)
        return lambda x: -7.0 if type(run(x)) is float and run(x) in (1.0, -1.0, 2.0) else run(x)


class Blind(Values):
    """It shows nothing."""

    def value(self, outcome):
        return outcome

    def observe(self, cod, outcome, probes):
        return iter(())


def test_what_is_wrong_at_isolated_numbers_is_no_matter_of_rounding():
    class Floats(AtOne):
        def const(self, dom, value):
            return lambda x: value.array[()].item() if value.array.ndim == 0 else value.array

    assert check_law(LAW["P1a"], Floats(), examples=60).outcome == "failed"


def test_closures_of_one_code_keep_apart_what_they_captured():
    assert check_law(LAW["E1-apart"], Values(), examples=60)
    assert check_law(LAW["E1-apart"], Shared(), examples=60).outcome == "failed"


def test_where_nothing_is_compared_a_law_is_vacuous():
    verdict = check_law(C1, Blind(), examples=20)
    assert verdict.outcome == "vacuous"
    assert "nothing was compared" in verdict.reason


def test_to_ask_for_nothing_is_an_error():
    for nothing in ({"only": ["reverse"]}, {"structures": []}, {"only": []}):
        with pytest.raises(TypeMismatch):
            check(Values(), **nothing)
    assert not Report("nobody", ())


@pytest.mark.parametrize("wrong", [{"max_examples": 0}, {"max_examples": 2.5}, {"seed": "x"}])
def test_numbers_that_are_none_are_refused(wrong):
    with pytest.raises(TypeMismatch, match="whole number"):
        check(Values(), only="C1", **wrong)


@pytest.mark.parametrize("asked", [{"structures": ["reverse"]}, {"only": "reverse"}])
def test_what_is_not_claimed_is_not_asked(asked):
    with pytest.raises(TypeMismatch, match=r"Values does not claim reverse, which takes .*, R"):
        check(Values(), **asked)


@pytest.mark.parametrize("wrong", [[3], 3, [C1]])
def test_laws_are_asked_by_name(wrong):
    for asked in ({"only": wrong}, {"structures": wrong}):
        with pytest.raises(
            TypeMismatch, match=r"by name, as 'closed' or \['closed', 'E1'\], not by"
        ):
            check(Values(), **asked)


def test_an_unknown_structure_is_guessed():
    with pytest.raises(TypeMismatch, match="no structure 'closd'; did you mean closed"):
        check(Values(), ["closd"])


def test_one_name_may_stand_for_a_list_of_one():
    assert len(check(Values(), "category", max_examples=2)) == 3
