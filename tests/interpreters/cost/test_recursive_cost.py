"""Of recursive programs the law of the cheap gradient is stated a call, and counted in runs."""

import numpy as np
import pytest

from combinators.morphisms import interpret
from combinators.simplify import simplify
from combinators.terms import Lam
from combinators.translate import translate
from interpreters.carriers.numpy import NumPy
from interpreters.cost import certificate, counted
from interpreters.cost.counted import Moving
from interpreters.modes.primal import Primal
from interpreters.staging.programs import gradient
from tests.interpreters.staging.closed_forms import RECURSIONS, SUMS, A, B

AT = (np.float64(1.3), np.float64(0.7)), (np.float64(5.3), np.float64(0.9))
UNKNOWN = {"given", "passed", "unknown", "streamed"}
"""What makes functions of which no call is known at types."""


def both(name: str) -> tuple[Lam, Lam]:
    lam = simplify(Lam((A, B), (SUMS | RECURSIONS)[name][0], name))
    return lam, simplify(gradient(lam, (0, 1)))


def operations(lam: Lam, at: tuple[np.float64, ...]) -> int:
    carrier = Moving(NumPy())
    mode = Primal(carrier)
    mode.value(interpret(translate(lam.params, lam.body), mode), at)
    return carrier.total


@pytest.mark.parametrize("name", RECURSIONS)
def test_a_run_of_the_gradient_is_cheap_however_deep(name: str) -> None:
    program, gradient_too = both(name)
    for at in AT:
        assert operations(gradient_too, at) <= 6 * operations(program, at) + 2


@pytest.mark.parametrize("name", sorted(RECURSIONS.keys() - UNKNOWN))
def test_law_k1_is_stated_per_call(name: str) -> None:
    program, gradient_too = both(name)
    found = certificate(program, gradient_too)
    assert found.holds
    assert found.program.recurs
    assert "per call of each recursive function" in str(found)


def test_one_call_is_counted() -> None:
    program, _ = both("powers")
    cost = counted(program)
    assert not cost.exact
    assert cost.counts["divide"] == 1
    assert "without those inside it" in str(cost)


def test_what_is_no_recursion_says_nothing_of_calls() -> None:
    assert "per call" not in str(certificate(*both("chosen")))


@pytest.mark.parametrize("name", sorted(UNKNOWN))
def test_what_is_not_known_is_said(name: str) -> None:
    assert "given arguments, it is counted in a run" in str(certificate(*both(name)))
