"""The product of many numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from combinators.derivatives import Weighted
from combinators.operation import declare, over_arguments
from combinators.primitives.axes import Axis, moveaxis
from combinators.primitives.constants import ones_like
from combinators.primitives.joining import concatenate, stack
from combinators.primitives.reduction import Axes, normal_axes, reduced
from combinators.primitives.shape import reshape
from combinators.primitives.typing import summed
from combinators.primitives.windows import part
from combinators.tracing.emit import apply
from combinators.tracing.traced import library


def _others(x: Any, y: Any, axis: Axes, keepdims: bool) -> Any:
    """For each element, the product of all the others."""
    ends = range(-len(axis), 0)
    moved = moveaxis(x, axis, tuple(ends))
    kept = moved.shape[: len(moved.shape) - len(axis)]
    flat = reshape(moved, (*kept, int(np.prod([x.shape[a] for a in axis], dtype=int))))
    return moveaxis(reshape(_others_along(flat), moved.shape), tuple(ends), axis)


def _others_along(x: Any) -> Any:
    """Along the last axis, by pairs: ``others(ab)`` times ``b`` for ``a``, times ``a`` for ``b``.

    It divides by nothing, so zeros do no harm; it multiplies three times an element, in a program
    as long as the number of halvings, that is right at every order.
    """
    levels: list[tuple[Any, Any, Any]] = []
    while x.shape[-1] > 1:
        axis, half = len(x.shape) - 1, x.shape[-1] // 2
        a, b = part(x, axis, 0, half, 2), part(x, axis, 1, half, 2)
        odd = part(x, axis, 2 * half, x.shape[-1] - 2 * half)
        levels.append((a, b, odd))
        x = a * b if not odd.shape[-1] else concatenate([a * b, odd], axis)
    others = ones_like(x)
    for a, b, odd in reversed(levels):
        axis, half = len(a.shape) - 1, a.shape[-1]
        of_pairs = part(others, axis, 0, half)
        pairs = stack([of_pairs * b, of_pairs * a], axis + 1)
        joined = reshape(pairs, (*a.shape[:-1], 2 * half))
        rest = part(others, axis, half, odd.shape[-1])
        others = joined if not odd.shape[-1] else concatenate([joined, rest], axis)
    return others


PROD = declare(
    "prod",
    reduced,
    Weighted(_others),
    promote=summed,
    cost=over_arguments,
)


@library("prod")
def prod(x: Any, axis: Axis | None = None, *, keepdims: bool = False) -> Any:
    """The product over ``axis``, or over all."""
    return apply(PROD, x, axis=normal_axes(x, axis), keepdims=keepdims)
