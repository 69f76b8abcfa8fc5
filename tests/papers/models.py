"""The literal systems as models of the law kit: those that are asked what the fast modes are."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from interpreters.carriers.fractions import Fractions
from papers.rep_functions.closures import DependentlyTyped, SimplyTyped
from tests.papers.dual_numbers.dual_numbers_model import DualNumbersModel
from tests.papers.rep_functions.model import FigureModel
from tests.papers.vlad.vlad_model import VladModel

EXACT = Fractions()


class LiteralModel(NamedTuple):
    """What heads its column, which figures it is, and what makes it."""

    short: str
    name: str
    makes: Callable[[], Any]


MODELS = (
    LiteralModel("P4·Q", "Figures 2 and 3 of 004", lambda: FigureModel(SimplyTyped(EXACT))),
    LiteralModel("E4·Q", "Figures 2 and 5 of 004", lambda: FigureModel(DependentlyTyped(EXACT))),
    LiteralModel("J1·Q", "VLAD, by J of 001", lambda: VladModel(Fraction)),
    LiteralModel("N3·Q", "dual numbers of 003", DualNumbersModel),
)
