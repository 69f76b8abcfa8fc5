"""000 as a model of the law kit: an arrow is a program of Source, and ``D`` is what pulls back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from combinators.literal import Literal
from combinators.terms import Var
from laws.checking import check_law
from laws.free import FREE
from laws.observation import leaves
from laws.structures import laws_of
from laws.writing import term_of
from papers.unary_form.languages import meaning
from papers.unary_form.reverse import nabla
from tests.papers.asking import EXACT, NUMBERS
from tests.papers.unary_form.in_source import source


class SynSource:
    """Programs without functions, of which Source has none, by substitution (Def. 6.1)."""

    identity, compose, prod, proj = FREE.identity, FREE.compose, FREE.prod, FREE.proj
    relabel, extend, const, primitive = FREE.relabel, FREE.extend, FREE.const, FREE.primitive


class PureReverseMode:
    """``⟦e⟧``, and ``π₂ D_Γ,Id(e)(0, z)`` at covectors z."""

    name, category, signature = (
        "000",
        SynSource(),
        replace(NUMBERS, conditionals=False, records=False),
    )

    def run(self, arrow, point):
        gamma, e = source(term_of(arrow))
        return gamma, e, point

    def value(self, outcome):
        match outcome:
            case ((Var(),) as gamma, e, point):
                return meaning(gamma, e, EXACT)(point)
        return outcome

    def observe(self, cod, outcome, probes) -> Iterator[Any]:
        gamma, e, point = outcome
        yield from leaves(self, cod, self.value(outcome), probes)
        z = Var("covector", e.type)
        covector = lowered(probes.cotangent("pullback", cod))
        pulled = meaning((*gamma, z), nabla(gamma, e, gamma, z), EXACT)(point, covector)
        yield from leaves(self, gamma[0].type, pulled, probes, "pullback")


def lowered(probe: Any) -> Any:
    """A covector of the kit as numbers."""
    return EXACT.const(probe) if isinstance(probe, Literal) else tuple(map(lowered, probe))


MODEL = PureReverseMode()
LAWS = laws_of(MODEL)


@pytest.mark.parametrize("law", LAWS, ids=[law.name for law in LAWS])
def test_a_law_of_its_fragment_holds_of_pure_reverse_mode(law):
    verdict = check_law(law, MODEL, examples=10)
    assert verdict, str(verdict)
    assert verdict.outcome == "passed"


def test_it_owes_the_laws_of_categories_products_and_functors():
    assert {"C3", "P2", "P8", "F1b", "F2b", "V1"} <= {law.name for law in LAWS}
