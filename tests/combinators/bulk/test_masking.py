"""A branch that is not taken gives 0 to a gradient, never nan: of first and of second order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import diffcurry as dc

X = np.array([-4.0, 0.0, 4.0, 1.0])
BRANCHES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any], Callable[[Any], Any]]] = {
    "sqrt": (np.sqrt, lambda x: 0.5 / np.sqrt(x), lambda x: -0.25 * x**-1.5),
    "log": (np.log, lambda x: 1.0 / x, lambda x: -1.0 / x**2),
    "divide": (lambda x: 1.0 / x, lambda x: -1.0 / x**2, lambda x: 2.0 / x**3),
    "power": (lambda x: x**0.5, lambda x: 0.5 / np.sqrt(x), lambda x: -0.25 * x**-1.5),
    "product": (
        lambda x: np.sqrt(x) * np.log(x),
        lambda x: np.log(x) / (2.0 * np.sqrt(x)) + 1.0 / np.sqrt(x),
        lambda x: -np.log(x) / (4.0 * x**1.5),
    ),
}


@pytest.mark.parametrize("name", BRANCHES)
def test_what_is_not_taken_gives_nothing(name: str) -> None:
    taken, slope, curvature = BRANCHES[name]

    def f(x: Any) -> Any:
        return np.sum(
            dc.build(4, lambda i: dc.cond(x[i] > 0, lambda: taken(x[i]), lambda: 3.0 * x[i]))
        )

    inside = X > 0
    safe = np.where(inside, X, 1.0)
    np.testing.assert_allclose(dc.grad(f)(X), np.where(inside, slope(safe), 3.0))
    np.testing.assert_allclose(
        dc.hessian(f)(X), np.diag(np.where(inside, curvature(safe), 0.0)), atol=1e-12
    )


def test_indices_outside_are_not_read() -> None:
    """003, section 5.2: both branches are computed at every index."""
    a = np.arange(3.0) + 1.0

    def twice(a: Any) -> Any:
        return dc.build(6, lambda i: dc.cond(i < 3, lambda: a[i], lambda: np.log(a[i - 3])))

    np.testing.assert_allclose(dc.fun(twice)(a), np.concatenate([a, np.log(a)]))
    found = dc.grad(lambda a: np.sum(twice(a)))(a)
    np.testing.assert_allclose(found, 1.0 + 1.0 / a)
