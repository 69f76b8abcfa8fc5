"""Three layers, 784-128-64-10, with softmax and cross-entropy on a batch of 64."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from workload import SCALARS, Workload

BATCH, WIDTHS = 64, (784, 128, 64, 10)


def workloads() -> list[Workload]:
    """The gradient in all weights."""
    return [Workload("MLP", loss, data(), by_hand, refused={"casadi": SCALARS})]


def data() -> tuple[Any, ...]:
    """Weights of each layer, images, and labels as rows of 0 and one 1."""
    random = np.random.default_rng(5)
    weights = tuple(
        (random.standard_normal((given, made)) / np.sqrt(given), 0.1 * random.standard_normal(made))
        for given, made in pairwise(WIDTHS)
    )
    labels = np.eye(WIDTHS[-1])[random.integers(0, WIDTHS[-1], BATCH)]
    return weights, random.standard_normal((BATCH, WIDTHS[0])), labels


def loss(np_: Any, weights: Any, images: Any, labels: Any) -> Any:
    """The mean cross-entropy."""
    (first, one), (second, two), (third, three) = weights
    hidden = np_.tanh(images @ first + one)
    hidden = np_.tanh(hidden @ second + two)
    scores = hidden @ third + three
    return np_.sum(np_.logsumexp(scores, 1) - np_.sum(scores * labels, axis=1)) / BATCH


def by_hand(weights: Any, images: Any, labels: Any) -> Any:
    """Backpropagation."""
    (first, one), (second, two), (third, three) = weights
    inner = images @ first
    inner += one
    np.tanh(inner, out=inner)
    outer = inner @ second
    outer += two
    np.tanh(outer, out=outer)
    scores = outer @ third
    scores += three
    scores -= scores.max(axis=1, keepdims=True)
    pulled = np.exp(scores, out=scores)
    pulled /= pulled.sum(axis=1, keepdims=True)
    pulled -= labels
    pulled /= BATCH
    above = pulled @ third.T
    above *= 1 - outer * outer
    below = above @ second.T
    below *= 1 - inner * inner
    return (
        (images.T @ below, below.sum(axis=0)),
        (inner.T @ above, above.sum(axis=0)),
        (outer.T @ pulled, pulled.sum(axis=0)),
    )
