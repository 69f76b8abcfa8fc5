"""002, sections 5.4 and 6: the comparison, of a program in every system."""

from __future__ import annotations

import numpy as np
import pytest

import diffcurry as dc
from papers.comparison.compare import SYSTEMS
from tests.papers.comparison.page import PAGE
from tests.papers.comparison.page import SYSTEMS as ON_THE_PAGE


def product(v, x):
    return dc.fold(lambda c, row: c * row, x, v)


def test_there_are_the_systems_of_the_paper_and_our_own_modes():
    rows = dc.compare(lambda x: x * x, 3.0).rows
    assert tuple(rows) == ON_THE_PAGE
    assert tuple(rows)[: len(SYSTEMS)] == tuple(SYSTEMS)


def test_every_system_gives_the_gradient():
    rows = dc.compare(lambda x, y: np.sin(x * y) + x, 1.5, 0.5).rows
    expected = dc.grad(lambda x, y: np.sin(x * y) + x, (0, 1))(1.5, 0.5)
    for row in rows.values():
        np.testing.assert_allclose(row.gradient, expected)
        assert str(row.made)
        assert row.operations
        assert row.visits


def test_types_in_the_place_of_numbers_are_refused_with_what_to_say():
    with pytest.raises(dc.TypeMismatch, match="say --at"):
        dc.compare(lambda x: x * x, dc.Real)


def test_a_program_of_nothing_has_an_empty_gradient_in_every_system():
    rows = dc.compare(lambda: 2.0).rows
    assert all(row.gradient.tolist() == [] for row in rows.values())


def test_every_system_goes_through_a_fold():
    rows = dc.compare(product, np.array([2.0, 3.0]), 1.0).rows
    assert all(row.gradient.tolist() == [3, 2, 6] for row in rows.values())


def test_a_system_that_refuses_a_program_says_why():
    rows = dc.compare(lambda x: dc.cond(x > 0, lambda: x, lambda: -x), 1.0).rows
    refused = {name: row.refused for name, row in rows.items() if row.refused}
    assert "no rule for if" in refused.pop("CHAD")
    assert set(refused) == {"backpropagation", "BMP20, factored"}
    assert all("has no branches" in why for why in refused.values())


def test_diagrams_are_drawn_of_the_program_and_of_the_terms_of_the_language():
    drawn = dc.compare(lambda x: x * x, 3.0).diagrams()
    assert set(drawn) == {"program", *ON_THE_PAGE} - {"Krawiec and others"}


def test_a_program_of_exponentially_many_paths_is_refused_and_does_not_hang():
    def doubled(x):
        for _ in range(40):
            x = x + x
        return x

    rows = dc.compare(doubled, 1.0).rows
    assert {name for name, row in rows.items() if row.refused} == {"BMP20"}
    assert rows["BMP20, factored"].gradient == 2**40


def test_a_program_that_is_too_deep_for_a_literal_system_says_so():
    def deep(x):
        for _ in range(1000):
            x = np.sin(x)
        return x

    rows = dc.compare(deep, 1.0).rows
    assert all(row.gradient is not None or "too deep" in row.refused for row in rows.values())
    assert not any(rows[name].refused for name in ("simple", "dependent", "delta"))


@pytest.mark.parametrize("title", ["section 5.4", "x + x, repeated", "A closure", "A fold"])
def test_the_page_holds_the_program(title):
    assert title in PAGE.read_text(encoding="utf-8")
