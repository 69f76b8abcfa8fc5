"""Linear maps: the derivative at a point, and the transpose of a function that is linear itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from combinators.errors import NotDifferentiable
from combinators.tracing.faces import put_together, take_apart
from diffcurry.transforms import jvp, vjp


def linearize(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """``(value, derivative)``, where ``derivative(*tangents)`` is the result's tangent there.

    >>> value, derivative = linearize(lambda x: x * x * x, 2.0)
    >>> derivative(1.0), derivative(0.5)
    (np.float64(12.0), np.float64(6.0))
    """
    value, _ = jvp(f, primals, (None,) * len(primals))

    def derivative(*tangents: Any) -> Any:
        return jvp(f, primals, tangents)[1]

    return value, derivative


def linear_transpose(f: Callable[..., Any], *primals: Any) -> Callable[[Any], tuple[Any, ...]]:
    """The transpose of ``f``, which is linear in all its arguments together.

    ``primals`` only say the types. Raises NotDifferentiable where ``f`` is seen not to be linear.

    >>> linear_transpose(lambda x, y: 2.0 * x + 3.0 * y, 0.0, 0.0)(1.0)
    (np.float64(2.0), np.float64(3.0))
    """
    random = np.random.default_rng(0)
    points = tuple(_map_leaves(p, lambda x: _random_like(x, random)) for p in primals)
    doubled = tuple(_map_leaves(p, lambda x: 2 * x) for p in points)
    pullback: Callable[[Any], tuple[Any, ...]]
    once, pullback = vjp(f, *points)
    twice, _ = vjp(f, *doubled)
    for x, y in zip(take_apart(once)[1], take_apart(twice)[1], strict=True):
        if not np.allclose(2 * np.asarray(x), y, rtol=1e-4, atol=1e-6, equal_nan=True):
            raise NotDifferentiable(
                "linear_transpose takes a linear function, and this one maps 2x not to twice "
                f"what it maps x to: {y} and {x}; for the transpose of a derivative use vjp"
            )
    return pullback


def _map_leaves(value: Any, change: Callable[[Any], Any]) -> Any:
    face, leaves = take_apart(value)
    return put_together(face, iter([change(leaf) for leaf in leaves]))


def _random_like(leaf: Any, random: np.random.Generator) -> Any:
    array = np.asarray(leaf)
    return random.uniform(0.5, 1.5, array.shape).astype(array.dtype)[()]
