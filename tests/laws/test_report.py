"""Reports: what they say of laws that hold and that do not, and how failures are replayed."""

import json
import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from combinators.errors import DomainError, TypeMismatch
from combinators.literal import Literal
from combinators.morphisms import Constant, Curry, Extend, Id, Primitive, Relabel, interpret, prod
from combinators.objects import Bool, Fun, Int, Product, Real, Record, Tensor, Unit, Vector
from combinators.operation import Operation, named
from diffcurry import laws
from laws.failure import shown
from laws.free import FREE
from laws.law import Computed, Law, Structure
from laws.scene import ones, simplest
from laws.snippet import UNKNOWN, Source, origin, snippet
from tests.laws.outsiders import WRONG, FirstAlways, Forgetful, Functions, Raising, functions

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = 100


@pytest.fixture(scope="module")
def good():
    return laws.check(Functions, only=["C1", "E1"], max_examples=EXAMPLES)


@pytest.fixture(scope="module")
def bad():
    return laws.check(Forgetful, only=["C1", "E4"], max_examples=EXAMPLES)


def test_a_report_of_laws_that_hold(good):
    assert good
    assert len(good) == 2
    assert [verdict.law.name for verdict in good] == ["C1", "E1"]
    assert good["E1"].outcome == "passed"
    assert str(good).splitlines()[0].split() == [
        *("law", "equation", "found", "examples", "seconds", "compared", "closure"),
    ]
    assert "C1   id >> f = f" in str(good)
    assert "Functions: 2 laws hold (200 examples, " in str(good)
    assert repr(good).startswith("<Functions: 2 laws hold (200 examples, ")
    with pytest.raises(KeyError):
        good["P1"]


def test_a_report_of_a_law_that_fails(bad):
    assert not bad
    assert [verdict.law.name for verdict in bad.failures] == ["E4"]
    text = str(bad)
    assert "1 law holds, 1 fails" in text
    for line in (
        "E4 fails in Forgetful",
        "g >> curry(f) = curry((g × id) >> f)",
        "for all g : X → A; f : A × B → C",
        "f = π0 : Real × Real → Real",
        "value is applied to",
        "left, step by step",
        "g >> curry(f)  ↦  (…) = ",
        "at value(…): ",
        "(compared: floating point)",
    ):
        assert line in text
    assert str(bad["C1"]) == "C1 holds in Forgetful: id >> f = f (100 examples)"


def test_the_steps_end_where_something_is_raised():
    found = laws.check(Raising, only=["E7"], max_examples=EXAMPLES)["E7"]
    steps = {section.title: section.lines for section in found.finding.sections}
    assert [line.split("  ↦  ")[1] for line in steps["left, step by step"]][-1] == (
        "raises ZeroDivisionError: no functions today"
    )
    assert steps["where they differ"] == ("it raises ZeroDivisionError: no functions today",)
    assert found.counterexample.size <= 2


def test_a_law_asked_in_vain_says_why():
    class Refusing(Functions):
        def run(self, arrow, point):
            raise DomainError("not mine")

    found = laws.check(Refusing(), only=["C1"], max_examples=3)
    assert not found
    assert found["C1"].outcome == "vacuous"
    assert "C1 was asked in vain" in str(found)
    assert "why:" in str(found)
    assert "1 was asked in vain" in repr(found)


@pytest.mark.parametrize(
    ("relation", "says"),
    [
        ("≤", "2 > 1 (compared: exact)"),
        ("raises", "it gives 2, where an error is due"),
        ("=", "2 ≠ 1 (compared: exact)"),
    ],
)
def test_other_relations(relation, says):
    sides = [Computed(text, lambda _, n=n: n) for text, n in (("two", 2), ("one", 1))]
    law = Law("X1", "words", *sides, Structure("s", "S"), "somebody", relation=relation)
    found = laws.replay(Functions, law)
    assert not found
    steps = {section.title: section.lines for section in found.finding.sections}
    assert steps["where they differ"] == (says,)
    assert steps["left, step by step"] == ("two  ↦  2",)
    assert ("right, step by step" in steps) == (relation != "raises")


def test_json(good, bad):
    made = json.loads(bad.to_json())
    assert made["schema"] == 1
    assert made["passed"] is False
    held, failed = made["verdicts"]
    assert held["outcome"] == "passed"
    assert held["counterexample"] is None
    assert held["examples"] == EXAMPLES
    assert 0 <= held["shares"]["closure"] <= 1
    assert failed["equation"] == "g >> curry(f) = curry((g × id) >> f)"
    assert failed["latex"].startswith(r"g \gg \mathrm{curry}(f)")
    example = failed["counterexample"]
    assert set(example["objects"]) == {"A", "B", "C", "X"}
    assert example["left"][-1]["arrow"] == "g >> curry(f)"
    assert example["difference"]["place"] == "value(…)"
    assert example["error"] is None
    compile(example["snippet"], "snippet", "exec")
    assert json.loads(good.to_json())["passed"] is True


class _Checked(HTMLParser):
    """Every element is closed."""

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_html(bad):
    parser = _Checked()
    parser.feed(bad._repr_html_())
    assert parser.open == []
    assert {"table", "details", "pre"} <= set(parser.seen)
    assert "g &gt;&gt; curry(f)" in bad._repr_html_()
    assert "<details" in bad.failures[0]._repr_html_()
    assert "<details" not in bad["C1"]._repr_html_()


def test_what_a_user_names_is_no_markup():
    class Named(Functions):
        name = "<script>alert(1)</script>"

    found = laws.check(Named(), only=["C1"], max_examples=2)
    assert "<script>" not in found._repr_html_()


@pytest.mark.parametrize("sign", ["\x1b", "\0", "\u202e", "\ud800"])
def test_control_characters_are_seen_and_do_nothing(sign):
    class Named(Functions):
        name = f"a{sign}name"

        def eval(self, function):
            raise ValueError(f"an{sign}error")

    found = laws.check(Named(), only=["E1"], max_examples=2)
    for text in (str(found), repr(found), found._repr_html_(), str(found["E1"])):
        assert sign not in text
        assert sign.encode("unicode_escape", "surrogatepass").decode() in text


def test_a_console_shows_the_same_in_colour(bad, monkeypatch):
    from io import StringIO

    from rich.console import Console

    def printed(shown, **options):
        console = Console(file=StringIO(), width=200, **options)
        console.print(shown)
        return console.file.getvalue()

    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in printed(bad, force_terminal=True)
    plain = printed(bad)
    assert "\x1b[" not in plain
    assert "E4 fails in Forgetful" in plain
    assert "laws.replay(" in plain
    assert "E4 fails" in printed(bad["E4"])
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in printed(bad, force_terminal=True)


# --- the snippet


@pytest.mark.parametrize(
    ("model", "law"),
    [(FirstAlways, "P1b"), (Forgetful, "E4"), (Raising, "E7"), (WRONG, "E1")],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_snippet_stands_alone_and_fails_the_same_way(model, law, tmp_path):
    found = laws.check(model, only=[law], max_examples=EXAMPLES)[law]
    code = snippet(found.counterexample)
    ran = subprocess.run(
        [sys.executable, "-"],
        input=code,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert f"AssertionError: {law} fails in " in ran.stderr
    differs = next(s for s in found.finding.sections if s.title == "where they differ")
    assert differs.lines[0] in ran.stderr


def test_the_snippet_holds_where_nothing_is_wrong():
    found = laws.check(Forgetful, only=["E4"], max_examples=EXAMPLES)["E4"]
    code = snippet(found.counterexample).replace("Forgetful", "Functions")
    exec(code, {})


def test_replay_asks_for_what_is_missing():
    with pytest.raises(TypeMismatch, match="C1 is about A, B, which is not given"):
        laws.replay(Functions, "C1")
    with pytest.raises(TypeMismatch, match="no law 'C0'"):
        laws.replay(Functions, "C0")
    verdict = laws.replay(
        Functions,
        "C1",
        objects={"A": Real, "B": Real},
        arrows={"f": Id(Real)},
        point=Constant(Unit, Literal(1.0)),
    )
    assert verdict
    assert verdict.examples == 1


EVERYTHING = Record(a=Real, b=Product(Int, Bool, Tensor((0, 2)), Vector(Fun(Real, Real), 2)))


def test_simplest_elements_and_ones():
    assert simplest(EVERYTHING).cod is EVERYTHING
    assert ones(Product(Real, Int, Fun(Real, Real))) == (Literal(1.0), None, [])


def built(text, source):
    space = {}
    exec("\n".join([*source.imports(), f"found = {text}"]), space)
    return space["found"]


ARROWS = [
    simplest(EVERYTHING),
    Constant(Unit, Literal([float("nan"), -float("inf"), -0.0, 1e-300])),
    Constant(Unit, Literal(np.zeros((0, 3), dtype="float32"))),
    Constant(Unit, Literal(np.array([1, 2], dtype="int8"))),
    Extend(Constant(Product(Real), Literal(True))) >> Id(Product(Real, Bool)),
    prod(Real, Id(Real)) >> Curry(Id(Product(Real, Real))),
    Primitive(Operation(named("sum"), (("axis", (0,)), ("keepdims", False))), (Tensor((3,)),)),
    Relabel(Record(a=Real), Product(Real)),
]


@pytest.mark.parametrize("arrow", ARROWS, ids=range(len(ARROWS)))
def test_an_arrow_is_written_as_the_python_that_builds_it(arrow):
    source = Source()
    again = built(source.value(arrow), source)
    assert again == arrow
    assert (again.dom, again.cod) == (arrow.dom, arrow.cod)
    assert interpret(again, FREE) == arrow


@pytest.mark.parametrize("obj", [EVERYTHING, Fun(Product(), Product(Real)), Tensor((2,), "int8")])
def test_an_object_is_written_as_the_python_that_builds_it(obj):
    source = Source()
    assert built(source.value(obj), source) is obj


# --- where a model comes from


def test_where_models_come_from():
    from diffcurry.models.modes import ModeModel
    from interpreters.carriers.fractions import Fractions
    from interpreters.modes.reverse import Pullback

    def written(thing):
        return origin(thing, Source())

    assert written(Functions()) == "Functions()"
    assert written(WRONG) == "WRONG"
    assert written(laws.model_of(Functions)) == "Functions()"
    assert written(ModeModel(Pullback(Fractions()))) == "ModeModel(mode=Pullback(over=Fractions()))"

    class Local(Functions):
        pass

    assert written(Local()) is None


def test_an_unknown_origin_is_admitted():
    class Local(Forgetful):
        pass

    found = laws.check(Local(), only=["E4"], max_examples=EXAMPLES)["E4"]
    assert UNKNOWN.format(name="Local") in snippet(found.counterexample)


def test_values_are_short():
    assert shown(np.zeros((0, 2))) == "an empty array of shape (0, 2)"
    assert shown((1.0, np.array([[1.0, 2.5]]))) == "(1, [[1, 2.5]])"
    assert shown(functions) == "<function>"
    assert len(shown(np.arange(1000))) == 120
