"""Every algorithm gives one gradient, and derivatives nest without confusion."""

import pytest

from combinators.morphisms import Projection
from diffcurry.models.programs import Programs
from diffcurry.models.reverse import ReverseModel
from interpreters.carriers.fractions import Fractions
from interpreters.carriers.numpy import NumPy
from interpreters.modes.reverse import Dependent, Pullback
from laws.language import pair
from laws.structures.functor import AGREEMENT
from tests.laws.asking import by_name, claimed, fails, holds, names

EXACT = Fractions()
PAIRS = claimed(
    AGREEMENT, [Dependent(NumPy()), Pullback(EXACT), Programs(EXACT), Programs(NumPy())]
)
LAW = by_name(AGREEMENT)


@pytest.mark.parametrize(("law", "model"), PAIRS, ids=names(PAIRS))
def test_it_holds(law, model):
    holds(law, model)


def test_every_algorithm_is_compared():
    model = next(model for law, model in PAIRS if law.name == "G1")
    from combinators.morphisms import Id
    from combinators.objects import Real

    found = model.gradients(Id(Real), 2.0, 3.0)
    names = ["Dependent", "Pullback", "Deltas", "Pushforward", "program", "delta program"]
    assert list(found) == names
    assert all(list(leaves) == [3.0] for leaves in found.values())


class OneOff(ReverseModel):
    """Forward mode gives twice as much."""

    def gradients(self, program, point, vector):
        found = super().gradients(program, point, vector)
        return found | {"Pushforward": [2 * x for x in found["Pushforward"]]}


class Doubled(Programs):
    """Derivatives are twice as large."""

    def D(self, arrow, dom, cod):
        once = super().D(arrow, dom, cod)
        return self.add(once, once, once.dom, once.cod)


class Confused(Programs):
    """The vector of an inner derivative moves with the outer one."""

    def __init__(self, carrier):
        super().__init__(carrier)
        self.derivatives = []

    def D(self, arrow, dom, cod):
        right = super().D(arrow, dom, cod)
        inner = any(arrow is derivative for derivative in self.derivatives)
        self.derivatives.append(right)
        if not inner:
            return right
        point, vector = (Projection(right.dom, i) for i in (0, 1))
        moved = vector >> Projection(vector.cod, 0)
        return pair(point, pair(moved, moved)) >> right


class Flat(Programs):
    """A gradient that was just made does not move."""

    is_gradient = False

    def R(self, arrow, dom, cod):
        self.is_gradient = True
        return super().R(arrow, dom, cod)

    def D(self, arrow, dom, cod):
        right = super().D(arrow, dom, cod)
        flat, self.is_gradient = self.is_gradient, False
        return self.zero(right.dom, right.cod) if flat else right


WRONG = {
    "G1": OneOff(Pullback(EXACT)),
    "G4a": Doubled(EXACT),
    "G4b": Doubled(EXACT),
    "G4c": Doubled(EXACT),
    "G4d": Doubled(EXACT),
    "G5": Confused(EXACT),
    "G6a": Flat(EXACT),
    "G6b": Doubled(EXACT),
}


@pytest.mark.parametrize("name", LAW)
def test_it_can_fail(name):
    assert fails(LAW[name], WRONG[name]).size <= 12
