"""What a model declares: what is wrong with it is said, and by its name."""

import pytest

from combinators.errors import TypeMismatch
from laws import Signature, check
from tests.laws.outsiders import Functions

WRONG = {
    "signature": [
        ("all", "the signature of Mine is 'all', and no laws.Signature"),
        (Signature, r"write laws.Signature\(\), with brackets"),
    ],
    "structures": [
        ("cartesian", r"Mine.structures is a list of names: \['cartesian'\]"),
        (("closd",), "Mine.structures names 'closd', .*; did you mean closed"),
    ],
    "excused": [
        ({"ZZ9": "no"}, "Mine.excused names 'ZZ9', and there is none of that name"),
        ({"E1-tow": "no"}, "did you mean E1-two"),
        (["E1"], "Mine.excused is a mapping from names of laws to reasons"),
    ],
}


@pytest.mark.parametrize(
    ("attribute", "value", "says"),
    [(attribute, *wrong) for attribute, cases in WRONG.items() for wrong in cases],
)
def test_what_is_wrong_is_said(attribute, value, says):
    mine = type("Mine", (Functions,), {attribute: value})
    for asked in ({}, {"only": "C1"}, {"structures": "category"}):
        with pytest.raises(TypeMismatch, match=says):
            check(mine, max_examples=1, **asked)


def test_what_is_right_is_taken():
    declared = {"structures": ["closed"], "excused": {"E1": "not today"}, "signature": None}
    report = check(type("Mine", (Functions,), declared), max_examples=2)
    names = {verdict.law.name for verdict in report}
    assert "E2" in names
    assert "E1" not in names


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"shapes": (3,)}, r"a shape is a tuple of whole numbers, as \(3,\), not 3"),
        ({"shapes": (("a",),)}, "a shape is a tuple"),
        ({"operations": ["add"]}, r"as \{'add': 2\}, not \['add'\]"),
    ],
)
def test_a_signature_of_nothing_is_refused(wrong, says):
    with pytest.raises(TypeMismatch, match=says):
        Signature(**wrong)


def test_a_function_without_arguments_makes_a_model():
    assert check(lambda: Functions(), only="C1", max_examples=2)
    with pytest.raises(TypeMismatch, match=r"<lambda> takes arguments \(x\)"):
        check(lambda x: x)
