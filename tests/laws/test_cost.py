"""What derivatives cost, counted."""

import pytest

from diffcurry.models.reverse import CostModel
from interpreters.carriers.counting import Counting
from interpreters.carriers.fractions import Fractions
from interpreters.carriers.numpy import NumPy
from interpreters.modes.reverse import Dependent
from laws.scene import size
from laws.structures.cost import LAWS
from tests.laws.asking import by_name, claimed, fails, holds, names

PAIRS = claimed(LAWS, [Dependent(Counting(NumPy())), Dependent(Counting(Fractions()))])
LAW = by_name(LAWS)


@pytest.mark.parametrize(("law", "model"), PAIRS, ids=names(PAIRS))
def test_it_holds(law, model):
    holds(law, model, 12)


def test_only_modes_that_count_claim_it():
    assert not claimed(LAWS, [Dependent(NumPy())])


class Dear(CostModel):
    """Pullbacks cost a thousand more, and lines of gradients are many."""

    def operations(self, arrow, point, cotangent=None):
        return super().operations(arrow, point, cotangent) + 1000 * (cotangent is not None)

    def gradient_lines(self, program):
        return 100 * super().gradient_lines(program)


class Quadratic(CostModel):
    """A program costs the square of its size: nothing is shared."""

    def operations(self, arrow, point, cotangent=None):
        return super().operations(arrow, point, cotangent) + size(arrow.program) ** 2


class Whole(CostModel):
    """The pullback of an index goes through the whole array."""

    def operations(self, arrow, point, cotangent=None):
        return super().operations(arrow, point, cotangent) + getattr(arrow.dom, "size", 0)


class Inverse(CostModel):
    """Short programs cost more."""

    def operations(self, arrow, point, cotangent=None):
        return 10**6 // size(arrow.program)


def over(model):
    return model(Dependent(Counting(NumPy())))


WRONG = {
    "K1": over(Dear),
    "K2": over(Dear),
    "K3a": over(Quadratic),
    "K3b": over(Quadratic),
    "K4a": over(Dear),
    "K4b": over(Whole),
    "K5": over(Inverse),
}


@pytest.mark.parametrize("name", LAW)
def test_it_can_fail(name):
    assert fails(LAW[name], WRONG[name]).size <= 12
