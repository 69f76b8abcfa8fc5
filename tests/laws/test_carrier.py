"""What an algebra of numbers owes."""

import numpy as np
import pytest

from interpreters.carriers.carrier import computes
from interpreters.carriers.counting import Counting
from interpreters.carriers.fractions import Fractions
from interpreters.carriers.numpy import NumPy
from interpreters.carriers.sympy import SymPy
from laws.checking import check
from laws.claims import model_of
from laws.structures.numbers import CARRIERS, SLOPES
from tests.laws.asking import by_name, claimed, fails, holds, names
from tests.laws.decimals import Decimals

PAIRS = claimed(CARRIERS, [Fractions(), NumPy(), SymPy(), Counting(Fractions())])
LAW = by_name(CARRIERS)
SLOPE = by_name(SLOPES)


@pytest.mark.parametrize(("law", "model"), PAIRS, ids=names(PAIRS))
def test_it_holds(law, model):
    holds(law, model)


def test_all_laws_hold_for_a_correct_decimal_carrier():
    report = check(Decimals(), max_examples=3)
    assert all(verdict.outcome == "passed" for verdict in report), report
    assert {"L5a", "L5b", "H7"} <= {verdict.law.name for verdict in report}


def test_the_modes_over_it_are_asked_too():
    report = check(NumPy(), ["closed", "carrier"], max_examples=2)
    asked = {verdict.law.structure.name for verdict in report}
    assert {"category", "cartesian", "closed", "carrier"} <= asked
    assert "reverse" in model_of(Fractions()).structures


class Partial(NumPy):
    """It adds, and has neither comparisons nor products."""

    def operation(self, operation, types, cod):
        if operation.name != "add":
            raise NotImplementedError(operation.name)
        return super().operation(operation, types, cod)


def test_only_what_a_carrier_has_is_asked():
    signature = model_of(Partial()).signature
    assert dict(signature.operations) == {"add": 2}
    assert not signature.conditionals
    assert not signature.arrays


class Degrees(NumPy):
    """It takes angles in degrees, and differentiates as if they were none."""


computes("sin", Degrees)(lambda: lambda x: np.sin(x * np.pi / 180))


def test_what_is_registered_for_a_carrier_is_asked():
    assert dict(model_of(Degrees()).signature.operations)["sin"] == 1
    assert "sin" not in model_of(NumPy()).signature.operations
    assert fails(SLOPE["L5a"], model_of(Degrees())).size <= 4


def wrong(**methods):
    return type("Wrong", (NumPy,), methods)()


def _adding_one(self, operation, types, cod):
    compute = NumPy.operation(self, operation, types, cod)
    return (lambda x, y: compute(x, y) + 1) if operation.name == "multiply" else compute


def _narrow(self, operation, types, cod):
    compute = NumPy.operation(self, operation, types, cod)
    return lambda *xs: (
        np.asarray(compute(*xs)).astype("float32")[()] if cod.is_smooth else compute(*xs)
    )


WRONG = {
    "N1": wrong(lower=lambda self, number: number * 2),
    "N2": wrong(const=lambda self, literal: literal.array[()] + literal.type.dtype.startswith("f")),
    "N3a": wrong(add=lambda self, x, y: x - y),
    "N3b": wrong(add=lambda self, x, y: (x + y) / 2),
    "N3c": wrong(add=lambda self, x, y: (x + y) / 2),
    "N4a": wrong(row=lambda self, stack, index: stack[-index - 1]),
    "N4b": wrong(stack=lambda self, rows, obj: NumPy().stack(rows[::-1], obj)),
    "N5": wrong(operation=_narrow),
    "N6": wrong(truth=lambda self, number: not number),
    "N7": wrong(operation=_adding_one),
}


@pytest.mark.parametrize("name", LAW)
def test_it_can_fail(name):
    assert fails(LAW[name], WRONG[name]).size <= 12


def test_a_carrier_that_rounds_what_it_shows_is_seen():
    single = wrong(lower=lambda self, number: _single(NumPy().lower(number)))
    assert fails(LAW["N1"], single, 25).size <= 12


def _single(shown):
    return np.asarray(shown).astype("float32").astype(shown.dtype)[()]
