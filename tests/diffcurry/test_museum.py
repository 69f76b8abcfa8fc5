"""The museum: what is shown there is what the programs give, here, and the answers are right."""

import numpy as np
import pytest

from diffcurry.commands import main
from diffcurry.museum import EXHIBITS, LIBRARIES, measured, museum, seen
from tests.diffcurry.museum_page import PAGE, page

REFUSED = {"a whole number"}
named = pytest.mark.parametrize("one", EXHIBITS, ids=lambda one: one.name)


@named
def test_we_are_right_or_refuse(one):
    assert seen(one, LIBRARIES["diffcurry"]()).how == (
        "refused" if one.name in REFUSED else "right"
    )


@named
def test_what_others_gave_is_told_from_what_is_right(one):
    for library in measured().values():
        text, how = library["seen"][one.name]
        if how != "refused":
            numbers = [float(number) for number in text.split(", ")]
            close = np.shape(numbers) == np.shape(one.right) and np.allclose(
                numbers, one.right, 1e-5
            )
            assert close == (how == "right")


def test_each_classic_is_one_that_a_library_gets_wrong_or_refuses():
    wrong = {
        name
        for library in measured().values()
        for name, (_, how) in library["seen"].items()
        if how != "right"
    }
    assert {"a product with a zero", "where, and 0 · ∞", "the norm at 0"} <= wrong


def test_the_page_is_as_written():
    assert PAGE.read_text(encoding="utf-8") == page(measured()), (
        "run tests/diffcurry/museum_page.py"
    )


def test_the_command_shows_each_exhibit_and_library(capsys):
    assert main(["museum"]) == 0
    shown = capsys.readouterr().out
    assert shown.strip() == museum().strip()
    assert all(one.name in shown for one in EXHIBITS)
    assert all(f" {name} " in shown for name in LIBRARIES)
