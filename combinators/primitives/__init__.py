"""The primitives, a file a family: how each is typed, what it derives to, what it gives at kinks.

Most of the words here are primitives; the others are written with them, and so have their
derivatives from them.
"""

from collections.abc import Callable
from typing import Any

from combinators.primitives import (  # noqa: F401 (each declares its own)
    arithmetic,
    building,
    checks,
    contraction,
    coordinates,
    elementary,
    indexing,
    loops,
    ordering,
    positions,
    reductions,
    shapes,
    statistics,
    structural,
    sums,
    updates,
)
from combinators.tracing.traced import WORDS


def __getattr__(name: str) -> Callable[..., Any]:
    """The word of that name, in whichever family."""
    if name in WORDS:
        return WORDS[name]
    raise AttributeError(f"no primitive, and no function written with them, is named {name!r}")
