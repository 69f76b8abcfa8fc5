"""Branches, loops and recomputation: the functions of the language that take functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from combinators.tracing import control
from diffcurry.eager import eager
from diffcurry.function import Function

P = ParamSpec("P")
R = TypeVar("R")

cond = eager(control.cond)
fold = eager(control.fold)
map = eager(control.map)
scan = eager(control.scan)


def recompute(f: Callable[P, R]) -> Function[P, R]:
    """``f``, of which a pullback keeps the arguments only, and runs it again.

    >>> from diffcurry.transforms import grad
    >>> grad(recompute(lambda x: x * x))(3.0)
    np.float64(6.0)
    """
    return Function(control.recompute(f))
