"""Constants are folded where the result is exact, whatever the carrier."""

import numpy as np
import pytest

from combinators.literal import Literal
from combinators.objects import Tensor
from combinators.operation import Operation, named
from combinators.terms import Const, Prim, const
from diffcurry.program import folded, folded_when_compiled


def value(name, *args):
    return folded(Prim(Operation(named(name)), tuple(map(const, args))))


@pytest.mark.parametrize(
    ("name", "args", "result"),
    [
        ("add", (1.0, 1.0), 2.0),
        ("subtract", (6, 1), 5),
        ("divide", (1.0, 4.0), 0.25),
        ("less", (1.0, 2.0), True),
    ],
)
def test_exact_results_are_folded(name, args, result):
    found = value(name, *args)
    assert found.array[()] == result
    assert found.array.shape == ()


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("divide", (1.0, 3.0)),
        ("add", (0.1, 0.2)),
        ("sin", (1.0,)),
        ("divide", (1.0, 0.0)),
        ("add", (np.ones(3), np.ones(3))),
        ("multiply", (1e308, 10.0)),
    ],
)
def test_rounded_infinite_and_large_results_are_not(name, args):
    assert value(name, *args) is None


def compiled(name, *args):
    return folded_when_compiled(Prim(Operation(named(name)), tuple(map(const, args))))


EYE = np.eye(3)


def test_moves_and_exact_arithmetic_of_written_arrays_are_folded():
    window = Operation(named("slice"), (("start", (0, 1)), ("step", (1, 1)), ("extent", (3, 2))))
    np.testing.assert_array_equal(
        folded_when_compiled(Prim(window, (const(EYE),))).array, EYE[:, 1:]
    )
    np.testing.assert_array_equal(compiled("negative", EYE).array, -EYE)
    np.testing.assert_array_equal(compiled("multiply", EYE, 2.0).array, 2 * EYE)


def test_arrays_that_would_be_longer_or_rounded_are_not():
    spread = Operation(named("broadcast_to"), (("shape", (5, 3)),))
    uniform = Const(Literal.filled(1.0, Tensor((3,))))
    assert folded_when_compiled(Prim(spread, (const(np.arange(3.0)),))) is None
    assert folded_when_compiled(Prim(Operation(named("add")), (uniform, uniform))) is None
    assert compiled("divide", np.arange(3.0), 3.0) is None
    assert compiled("negative", np.arange(2000.0)) is None
