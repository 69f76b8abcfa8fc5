"""The library's own functions outside a trace: they compute at once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from combinators.tracing.scope import current
from diffcurry.function import Function

P = ParamSpec("P")
R = TypeVar("R")


def eager(function: Callable[P, R]) -> Callable[P, R]:
    """``function``, which builds terms while tracing, and elsewhere computes."""

    @functools.wraps(function)
    def applied(*args: P.args, **kwargs: P.kwargs) -> R:
        if current() is not None:
            return function(*args, **kwargs)
        return Function(lambda: function(*args, **kwargs))()

    return applied
