"""The primitives, a file a family: how each is typed, what it derives to, what it gives at kinks."""

from combinators.primitives import (
    arithmetic,
    comparison,
    conversion,
    exponential,
    loops,
    reduction,
    shape,
    trigonometric,
)

__all__ = [
    "arithmetic",
    "comparison",
    "conversion",
    "exponential",
    "loops",
    "reduction",
    "shape",
    "trigonometric",
]
