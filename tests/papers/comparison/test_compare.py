"""002, sections 5.4 and 6: the comparison, of a program in every system."""

from __future__ import annotations

import numpy as np
import pytest

import diffcurry as dc
from papers.comparison.compare import SYSTEMS
from tests.papers.comparison.house import side_by_side
from tests.papers.comparison.page import PAGE
from tests.papers.comparison.page import SYSTEMS as ON_THE_PAGE


def product(v, x):
    return dc.fold(lambda c, row: c * row, x, v)


def test_there_are_the_systems_of_the_paper_and_our_own_modes():
    rows = side_by_side(lambda x: x * x, 3.0).rows
    assert tuple(rows) == ON_THE_PAGE
    assert tuple(rows)[: len(SYSTEMS)] == tuple(SYSTEMS)


def test_every_system_gives_the_gradient():
    rows = side_by_side(lambda x, y: np.sin(x * y) + x, 1.5, 0.5).rows
    expected = dc.grad(lambda x, y: np.sin(x * y) + x, (0, 1))(1.5, 0.5)
    for row in rows.values():
        np.testing.assert_allclose(row.gradient, expected)
        assert row.term
        assert row.operations
        assert row.visits


def test_a_system_without_a_rule_says_so():
    rows = side_by_side(product, np.array([2.0, 3.0]), 1.0).rows
    refusing = [name for name, row in rows.items() if row.refused]
    assert refusing == ["BMP20, factored"]
    assert all("has no rule for fold" in rows[name].refused for name in refusing)


def test_diagrams_are_drawn_of_the_program_and_of_the_terms_of_the_language():
    drawn = side_by_side(lambda x: x * x, 3.0).diagrams(lambda lam: lam.type)
    assert set(drawn) == {"program", "BMP20", "BMP20, factored", "simple", "dependent", "delta"}


@pytest.mark.parametrize("title", ["section 5.4", "x + x, repeated", "A closure", "A fold"])
def test_the_page_holds_the_program(title):
    assert title in PAGE.read_text(encoding="utf-8")
