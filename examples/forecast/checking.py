"""The gradient of the loss against central differences of it, along random directions."""

from typing import NamedTuple

import numpy as np

from diffcurry import grad
from forecast.network import loss
from forecast.training import each


class Slope(NamedTuple):
    """The derivative along a direction: by the gradient, and by central differences."""

    gradient: float
    differences: float

    @property
    def error(self):
        return abs(self.gradient - self.differences) / abs(self.differences)


def slopes(params, windows, directions, random, step=1e-6):
    """The slope of the loss at ``params`` along so many random directions."""
    found = grad(loss)(params, windows.xs, windows.ys)
    for _ in range(directions):
        way = each(lambda p: random.standard_normal(np.shape(p)), params)
        there, back = (
            loss(each(lambda p, v, s=s: p + s * v, params, way), windows.xs, windows.ys)
            for s in (step, -step)
        )
        parts = []
        each(lambda g, v, parts=parts: parts.append(np.sum(g * v)), found, way)
        yield Slope(float(sum(parts)), float(there - back) / (2 * step))
