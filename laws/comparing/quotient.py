"""Lists of calls, the cotangents of functions, up to what no tangent of a function can tell apart.

``(b, g) + (b, h) ~ (b, g + h)`` and ``(b, 0) ~ []``, in any order. Two arguments are one where they
are equal bit by bit, so that 0 and −0 are two.

>>> Calls([(1.0, 2.0), (1.0, 3.0)]).same(Calls([(1.0, 5.0), (4.0, 0.0)]))
True
>>> Calls([(0.0, 2.0)]).same(Calls([(-0.0, 2.0)]))
False
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

ROUNDINGS = 2.0**-44
"""How far, for one of the summands, rounding may carry a sum of floats."""


class Calls:
    """The calls of a function: an argument and the cotangent of the result there."""

    def __init__(self, calls: Iterable[tuple[Any, Any]]) -> None:
        """Arguments and cotangents are numbers, arrays, or tuples of them."""
        self.merged: dict[Any, tuple[list[Any], list[Any]]] = {}
        for argument, cotangent in calls:
            key = tuple(map(_bits, _flat(argument)))
            given = [np.asarray(leaf) for leaf in _flat(cotangent)]
            total, size = self.merged.get(key, ([0] * len(given), [0] * len(given)))
            self.merged[key] = (
                [a + b for a, b in zip(total, given, strict=True)],
                [a + abs(b) for a, b in zip(size, given, strict=True)],
            )

    def same(self, other: Calls) -> bool:
        """Whether both are one list, up to the quotient and the rounding of floats."""
        return all(
            self._near(key, other, at)
            for key in {**self.merged, **other.merged}
            for at in range(len((self.merged.get(key) or other.merged[key])[0]))
        )

    def _near(self, key: Any, other: Calls, at: int) -> bool:
        (x, size), (y, sized) = (calls._of(key, at) for calls in (self, other))
        apart = np.asarray(x - y)
        if apart.dtype.kind != "f":
            return not np.any(apart != 0)
        with np.errstate(all="ignore"):
            near = np.abs(apart) <= ROUNDINGS * (size + sized)
        alike = (np.asarray(x) == y) | (np.isnan(x) & np.isnan(y))
        return bool(np.all(near | alike))

    def _of(self, key: Any, at: int) -> tuple[Any, Any]:
        total, size = self.merged.get(key, (None, None))
        return (0, 0) if total is None or size is None else (total[at], size[at])

    def __repr__(self) -> str:
        """As a list."""
        return repr([(key, total) for key, (total, _) in self.merged.items()])


def _flat(value: Any) -> list[Any]:
    if isinstance(value, tuple | list):
        return [leaf for part in value for leaf in _flat(part)]
    return [value]


def _bits(leaf: Any) -> Any:
    array = np.asarray(leaf)
    exact = array.dtype == object
    return array.shape, tuple(array.flat) if exact else (array.dtype.name, array.tobytes())
