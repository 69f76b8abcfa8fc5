"""Constants are folded where the result is exact, whatever the carrier."""

import numpy as np
import pytest

from combinators.operation import Operation, named
from combinators.terms import Prim, const
from diffcurry.folding import folded


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
