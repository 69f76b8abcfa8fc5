"""The literal systems as models of the law kit: those that are asked what the fast modes are."""

from collections.abc import Callable
from typing import Any, NamedTuple

from interpreters.carriers.fractions import Fractions
from papers.rep_functions.calls import SimplyTyped
from papers.rep_functions.environments import DependentlyTyped
from tests.papers.rep_functions.model import FigureModel

EXACT = Fractions()


class LiteralModel(NamedTuple):
    """What heads its column, which figures it is, and what makes it."""

    short: str
    name: str
    makes: Callable[[], Any]


MODELS = (
    LiteralModel("P4·Q", "Figures 2 and 3 of 004", lambda: FigureModel(SimplyTyped(EXACT))),
    LiteralModel("E4·Q", "Figures 2 and 5 of 004", lambda: FigureModel(DependentlyTyped(EXACT))),
)
