"""ADBench's Gaussian mixture model: 1,000 points in 10 dimensions, 25 components.

The logarithm of the posterior: the mixture's likelihood, and a Wishart prior on the precision
matrices QᵀQ, of which Q has exp(q) on its diagonal and l below, column by column. The signs are
those of GradBench, which mends two of ADBench's; the work is the same.
"""

from __future__ import annotations

from math import lgamma, log, pi
from typing import Any

import numpy as np

from workload import AXES, MINUTES, Workload

POINTS, DIMENSIONS, COMPONENTS = 1_000, 10, 25
GAMMA, FREEDOM = 1.0, 0
"""Of the prior: its precision, and its degrees of freedom beyond the least."""
BELOW = DIMENSIONS * (DIMENSIONS - 1) // 2


def workloads() -> list[Workload]:
    """The gradient in all parameters."""
    refused = {"casadi": AXES, "pytensor": MINUTES}
    return [Workload("GMM", log_posterior, data(), by_hand, (0, 1, 2), refused=refused)]


def data() -> tuple[Any, ...]:
    """Logarithms of weights, means, q beside l, and the points: as GradBench draws them."""
    random = np.random.default_rng(31337)
    points = random.normal(size=(POINTS, DIMENSIONS))
    weights = random.normal(size=COMPONENTS)
    means = random.uniform(size=(COMPONENTS, DIMENSIONS))
    diagonals = random.normal(size=(COMPONENTS, DIMENSIONS))
    lower = random.normal(size=(COMPONENTS, BELOW))
    return weights, means, np.concatenate([diagonals, lower], axis=1), points


def _places() -> Any:
    """Where in l an entry of Q stands; behind its end, where a 0 does."""
    found = np.full((DIMENSIONS, DIMENSIONS), BELOW)
    columns, rows = np.triu_indices(DIMENSIONS, 1)
    found[rows, columns] = np.arange(BELOW)
    return found


PLACES = _places()
ROWS, COLUMNS = np.nonzero(PLACES < BELOW)
ORDER = np.argsort(PLACES[ROWS, COLUMNS])
ROWS, COLUMNS = ROWS[ORDER], COLUMNS[ORDER]


def _constant() -> float:
    """What does not depend on the parameters."""
    total, p = DIMENSIONS + FREEDOM + 1, DIMENSIONS
    gammas = sum(lgamma(0.5 * (total - j)) for j in range(p)) + p * (p - 1) / 4 * log(pi)
    prior = total * p * log(GAMMA / 2**0.5) - gammas
    return COMPONENTS * prior - POINTS * p / 2 * log(2 * pi)


CONSTANT = _constant()


def log_posterior(np_: Any, weights: Any, means: Any, factors: Any, points: Any) -> Any:
    """The logarithm of the posterior."""
    logs, lower = factors[:, :DIMENSIONS], factors[:, DIMENSIONS:]
    scales = np_.exp(logs)
    padded = np_.concatenate([lower, np_.zeros((COMPONENTS, 1))], 1)
    factor = padded[:, PLACES] + scales[:, :, None] * np_.eye(DIMENSIONS)
    centred = points[None, :, :] - means[:, None, :]
    moved = centred @ np_.swapaxes(factor, 1, 2)
    sums = np_.sum(logs, axis=1)
    terms = (weights + sums)[:, None] - 0.5 * np_.sum(moved * moved, axis=2)
    likelihood = np_.sum(np_.logsumexp(terms, 0)) - POINTS * np_.logsumexp(weights, 0)
    size = np_.sum(scales * scales) + np_.sum(lower * lower)
    return likelihood - 0.5 * GAMMA**2 * size + FREEDOM * np_.sum(sums) + CONSTANT


def by_hand(weights: Any, means: Any, factors: Any, points: Any) -> Any:
    """The pullback; sums over the points come before products where they can."""
    logs, lower = factors[:, :DIMENSIONS], factors[:, DIMENSIONS:]
    scales = np.exp(logs)
    factor = np.zeros((COMPONENTS, DIMENSIONS, DIMENSIONS))
    factor[:, ROWS, COLUMNS] = lower
    diagonal = factor.reshape(COMPONENTS, -1)[:, :: DIMENSIONS + 1]
    diagonal[:] = scales
    centred = points[None] - means[:, None]
    moved = centred @ factor.transpose(0, 2, 1)
    shares = np.einsum("kni,kni->kn", moved, moved)
    shares *= -0.5
    shares += (weights + logs.sum(axis=1))[:, None]
    shares -= shares.max(axis=0)
    np.exp(shares, out=shares)
    shares /= shares.sum(axis=0)
    counts = shares.sum(axis=1)
    whole = np.exp(weights - weights.max())
    whole *= POINTS / whole.sum()
    moved *= -shares[:, :, None]
    to_means = -(moved.sum(axis=1)[:, None] @ factor)[:, 0]
    to_factor = moved.transpose(0, 2, 1) @ centred
    to_logs = to_factor.reshape(COMPONENTS, -1)[:, :: DIMENSIONS + 1] * scales
    to_logs += (counts + FREEDOM)[:, None] - GAMMA**2 * scales * scales
    to_lower = to_factor[:, ROWS, COLUMNS] - GAMMA**2 * lower
    return counts - whole, to_means, np.concatenate([to_logs, to_lower], axis=1)
