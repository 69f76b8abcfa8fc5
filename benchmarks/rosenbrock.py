"""Rosenbrock's function: its whole Hessian, and its Hessian times a vector."""

from __future__ import annotations

from typing import Any

import numpy as np

from workload import Workload


def workloads() -> list[Workload]:
    """The Hessian at 20 numbers, and the product at 100."""
    random = np.random.default_rng(7)
    few, many, along = random.standard_normal(20), *random.standard_normal((2, 100))
    return [
        Workload("Rosenbrock, Hessian", rosenbrock, (few,), hessian, 0, "hessian"),
        Workload("Rosenbrock, Hessian times vector", rosenbrock, (many, along), hvp, 0, "hvp"),
    ]


def rosenbrock(np_: Any, x: Any) -> Any:
    here, after = x[:-1], x[1:]
    return np_.sum(100 * (after - here * here) ** 2 + (1 - here) ** 2)


def hessian(x: Any) -> Any:
    """Three diagonals."""
    here, after = x[:-1], x[1:]
    size = len(x)
    found = np.zeros((size, size))
    middle, above, below = (found.reshape(-1)[at :: size + 1] for at in (0, 1, size))
    middle[:-1] = 1200 * here * here - 400 * after + 2
    middle[1:] += 200
    np.multiply(-400, here, out=above)
    below[:] = above
    return found


def hvp(x: Any, along: Any) -> Any:
    """The same three diagonals, times ``along``."""
    here, after = x[:-1], x[1:]
    side = -400 * here
    found = np.empty_like(x)
    np.multiply(1200 * here * here - 400 * after + 2, along[:-1], out=found[:-1])
    found[-1] = 0
    found[1:] += 200 * along[1:]
    found[:-1] += side * along[1:]
    found[1:] += side * along[:-1]
    return found
