"""Programs in bulk mean what they meant, over floats and, exactly, over fractions."""

import pytest

from combinators.morphisms import interpret
from diffcurry.models.host import Hosted
from diffcurry.models.modes import PrimalModel
from interpreters.carriers.fractions import Fractions
from interpreters.carriers.numpy import NumPy
from interpreters.modes.primal import Primal
from laws.structures.functor import IN_BULK
from tests.laws.asking import by_name, claimed, fails, holds, names

PAIRS = claimed(IN_BULK, [Primal(NumPy()), Primal(Fractions())])
LAW = by_name(IN_BULK)


@pytest.mark.parametrize(("law", "model"), PAIRS, ids=names(PAIRS))
def test_it_holds(law, model):
    holds(law, model)


class Doubled(PrimalModel):
    """In bulk, every number is twice as large."""

    @property
    def ways(self):
        def way(program):
            arrow = interpret(program, self.category)
            return Hosted(program.dom, program.cod, lambda point: 2 * arrow.at(point))

        return {"bulk": way}


@pytest.mark.parametrize("name", LAW)
def test_it_can_fail(name):
    assert fails(LAW[name], Doubled(Primal(NumPy()))).size <= 20
