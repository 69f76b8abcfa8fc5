"""Programs as plain functions: the meaning that the literal systems start from."""

from typing import NamedTuple

import numpy as np
import pytest

import diffcurry as dc
from interpreters.carriers.numpy import NumPy
from papers.plain_functions import evaluated


class Weighed(NamedTuple):
    weight: float
    value: float


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: np.sum(dc.map(lambda x, y: x * y, a, b)),
        lambda a, b: dc.fold(lambda c, p: c + p.weight * p.value, 0.0, Weighed(a, b)),
        lambda a, b: dc.fold(lambda c, p: c + p[0] * p[1][0], 0.0, (a, (b, a))),
    ],
)
def test_a_loop_over_several_arrays_is_its_rounds_written_out(function):
    a, b = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    assert evaluated(dc.fun(function).program(a, b).lam, NumPy())(a, b) == 11.0
