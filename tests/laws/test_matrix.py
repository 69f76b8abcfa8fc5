"""The matrix: every law that every one of our models claims, a test a model and structure."""

import pytest

from laws.equality import Level
from tests.laws.matrix.cells import block, blocks
from tests.laws.matrix.page import PAGE, claims, markdown, owed
from tests.laws.structures import NAMED

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


FEW = 2
every_block = pytest.mark.parametrize(
    ("subject", "structure"), blocks(), ids=lambda part: part.replace(" ", "-")
)


@every_block
def test_it_holds_at_a_few_examples(subject, structure):
    cells = block(subject, structure, FEW)
    failed = [cell.told for cell in cells if cell.outcome == "failed"]
    assert not failed, "\n\n".join(failed)
    if subject.endswith("Q"):  # those of the textbooks exactly, over the rationals
        assert all(cell.level <= Level.QUOTIENT for cell in cells if cell.law in NAMED)


@pytest.mark.slow
@every_block
def test_it_holds(subject, structure):
    failed = [
        cell.told for cell in block(subject, structure) if cell.outcome in ("failed", "vacuous")
    ]
    assert not failed, "\n\n".join(failed)


@pytest.mark.parametrize(
    ("short", "least"), {"P4·Q": 80, "E4·Q": 80, "J1·Q": 50, "N3·Q": 65}.items()
)
def test_a_literal_system_owes_the_laws_of_its_fragment(short, least):
    assert sum(subject == short for subject, _ in owed()) > least


def test_the_page_claims_what_the_models_claim():
    page = claims(PAGE.read_text(encoding="utf-8"))
    assert page == owed(), "run `make laws`"


def test_a_claim_that_is_missing_is_seen():
    assert claims(markdown([])) == set()
    (cell, *_) = block("V·Q", "category")
    assert claims(markdown([cell])) == {("V·Q", "C1")}
