"""Running products and linear recurrences along an axis of an array, of any numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Times = Callable[[Any, Any], Any]
"""A product of two arrays: the numbers' own, or one that absorbs."""


def exclusive_cumprod(axis: int, reverse: bool) -> Callable[[Any], Any]:
    """For each element of an array, the product of those before it; of those behind, reversed."""

    def compute(x: Any) -> Any:
        y = np.ones_like(x)
        numbers, products = (_turned(array, axis, reverse) for array in (x, y))
        np.multiply.accumulate(numbers[:-1], out=products[1:])
        return y

    return compute


def recurrence(axis: int, reverse: bool, times: Times) -> Callable[[Any, Any], Any]:
    """``y₀ = 0``, ``yⱼ₊₁ = times(aⱼ, yⱼ) + bⱼ``."""

    def compute(a: Any, b: Any) -> Any:
        y = np.zeros_like(b)
        factors, terms, sums = (_turned(array, axis, reverse) for array in (a, b, y))
        sums[1:] = terms[:-1]
        _solve(factors[:-1], sums[1:], times)
        return y

    return compute


def _turned(x: Any, axis: int, reverse: bool) -> Any:
    """``x`` seen with ``axis`` in front, from its end if reversed."""
    return np.swapaxes(x, 0, axis)[:: -1 if reverse else 1]


def _solve(a: Any, y: Any, times: Times) -> None:
    """Add ``aⱼ yⱼ₋₁`` to each ``yⱼ``, from the second, in place.

    By pairs, as in Blelloch's scans: two steps together are one of the same form, so that a problem
    of half the length gives every other element. Five operations an element, in as many array
    operations as there are halvings.
    """
    last = len(y) - 1
    if last < 1:
        return
    odds = a[1::2]
    pairs = times(odds, y[:last:2])
    pairs += y[1::2]
    _solve(times(odds, a[:last:2]), pairs, times)
    y[1::2] = pairs
    y[2::2] += times(a[2::2], pairs[: last // 2])
