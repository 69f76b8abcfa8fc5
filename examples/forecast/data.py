"""The yearly sunspot numbers, cut into windows: some past years, and the year after them."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

FILE = Path(__file__).resolve().parent.parent / "data" / "sunspots.csv"
UNIT = 100.0  # the network sees sunspots by the hundred


class Windows(NamedTuple):
    """``xs : (past years, batch, 1)`` and ``ys : (batch,)``, the ``years`` to be predicted."""

    years: np.ndarray
    xs: np.ndarray
    ys: np.ndarray

    def within(self, first, last):
        chosen = (first <= self.years) & (self.years <= last)
        return Windows(self.years[chosen], self.xs[:, chosen], self.ys[chosen])


def windows(past):
    """Every window of ``past`` years."""
    years, numbers = np.loadtxt(FILE, delimiter=",", skiprows=1).T
    numbers = numbers / UNIT
    xs = np.lib.stride_tricks.sliding_window_view(numbers[:-1], past).T
    return Windows(years[past:].astype(int), xs[..., None].copy(), numbers[past:])


def rmse(predicted, true):
    """The root mean squared error, in sunspots."""
    return UNIT * np.sqrt(np.mean(np.square(predicted - true)))
