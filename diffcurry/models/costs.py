"""The dependently typed pullback over numbers that count: what programs and gradients cost."""

from __future__ import annotations

from typing import Any

from combinators.morphisms import Morphism
from diffcurry.models.host import Hosted
from diffcurry.models.reverse import EnvironmentModel
from interpreters.carriers.carrier import Carrier
from interpreters.carriers.counting import Counting
from interpreters.carriers.terms import TERMS
from interpreters.cost.counted import lines
from interpreters.cost.passed import passed
from interpreters.modes.dependent import Dependent
from interpreters.staging.programs import pullback
from interpreters.tangents.dense import sparse
from laws.models.written import term_of


class CostModel(EnvironmentModel):
    """A mode over ``Counting``."""

    @property
    def carrier(self) -> Carrier:
        """The carrier that counts."""
        return self.mode.over

    def operations(self, arrow: Hosted, point: Any, cotangent: Any = None) -> int:
        """How many operations a run takes; with a cotangent, the pullback's besides."""
        assert arrow.arrow is not None
        assert isinstance(self.carrier, Counting)
        self.carrier.reset()
        _, pull = self.mode.rep(arrow.arrow, point)
        if cotangent is not None:
            pull(sparse(cotangent, arrow.cod))
        return self.carrier.total

    def passed(self, program: Morphism) -> int:
        """The numbers that loops carry and capture, once a round."""
        return passed(term_of(program))

    def lines(self, program: Morphism) -> int:
        """The lines of the program, as a term."""
        return lines(term_of(program))

    def gradient_lines(self, program: Morphism) -> int:
        """The lines of the program of its value and pullback."""
        return lines(pullback(term_of(program), (0,), Dependent(TERMS)))
