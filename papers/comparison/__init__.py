"""Long's comparison (002): ways to a gradient, each as its paper writes it, side by side.

A graph that is walked (2), linear negation (3.1, 5.1), CHAD (5.2), Krawiec's monad (6.1) and the
calculus that Long proposes (6.2). ``compare`` holds them against one another.

Each is asked for the gradient of a program of numbers and arrays to a number, at a point.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from combinators.terms import Lam
from combinators.type_folds import is_smooth

Point = tuple[Any, ...]
"""The numbers and arrays that a program is given."""


@dataclass(frozen=True)
class Outcome:
    """A value, the cotangent of all numbers that the program was given, flat, and the visits."""

    value: Any
    cotangent: Any
    visits: int


def flat(lam: Lam, point: Point, slopes: Mapping[str, Any]) -> Any:
    """The cotangents of the arguments that move, by their names, in one array."""
    given = zip(lam.params, point, strict=True)
    found = [slopes.get(p.name, np.zeros_like(x)) for p, x in given if is_smooth(p.type)]
    return np.concatenate([np.ravel(g) for g in found] or [np.zeros(0)])
