"""Gradient descent by Adam, with the gradient that diffcurry gives."""

from typing import Any, NamedTuple

import numpy as np

from diffcurry import value_and_grad
from forecast.network import loss


class Step(NamedTuple):
    """A step: the loss before it, the parameters after it."""

    loss: float
    params: Any


def each(f, *trees):
    """``f`` at every array of containers that mirror one another."""
    first = trees[0]
    if isinstance(first, dict):
        return {name: each(f, *(tree[name] for tree in trees)) for name in first}
    if isinstance(first, tuple):
        return tuple(each(f, *parts) for parts in zip(*trees, strict=True))
    return f(*trees)


def schedule(steps, rate=0.02):
    """The sizes of the steps: falling in a line to a twentieth."""
    return rate * np.linspace(1.0, 0.05, steps)


def train(params, windows, sizes, fast=0.9, slow=0.99):
    """Adam's steps of these sizes, on the loss over ``windows``."""
    both = value_and_grad(loss)
    mean = square = each(lambda p: 0.0 * p, params)
    for step, size in enumerate(sizes, start=1):
        value, gradient = both(params, windows.xs, windows.ys)
        mean = each(lambda m, g: fast * m + (1 - fast) * g, mean, gradient)
        square = each(lambda s, g: slow * s + (1 - slow) * g * g, square, gradient)
        scaled = size * (1 - slow**step) ** 0.5 / (1 - fast**step)
        move = each(lambda m, s, by=scaled: -by * m / (s**0.5 + 1e-8), mean, square)
        params = each(np.add, params, move)
        yield Step(float(value), params)
