"""Lists of calls, the cotangents of functions, up to what no tangent of a function can tell apart.

``(b, g) + (b, h) ~ (b, g + h)`` and ``(b, 0) ~ []``, in any order (004, section 4.1). Two arguments
are one where their numbers are equal bit by bit, whatever their element type: 2 and 2.0 are one
argument, 0.0 and −0.0 are two. A call whose result is a function again is a call of two arguments.

>>> Quotient.of_calls([(1.0, 2.0), (1, 3.0)]).same(Quotient.of_calls([(1.0, 5.0), (4.0, 0.0)]))
True
>>> Quotient.of_calls([(0.0, 2.0)]).same(Quotient.of_calls([(-0.0, 2.0)]))
False
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import numpy as np

ROUNDINGS = 2.0**-44
"""How far, for one of the summands, rounding may carry a sum of floats."""
EXACT = 2**53
"""Every integer up to here is a float."""


class Quotient:
    """A sum of numbers, each in its place; a place that nobody gives a number has zero."""

    def __init__(self, numbers: Iterable[tuple[Hashable, Any]]) -> None:
        self.totals: dict[Hashable, tuple[Any, Any]] = {}
        for place, number in numbers:
            total, size = self.totals.get(place, (0, 0))
            self.totals[place] = total + np.asarray(number), size + abs(np.asarray(number))

    @classmethod
    def of_calls(cls, calls: Iterable[tuple[Any, Any]]) -> Quotient:
        """Of arguments and cotangents that are numbers, arrays, or tuples of them."""
        return cls(
            ((tuple(map(number_key, _flat(argument))), at), leaf)
            for argument, cotangent in calls
            for at, leaf in enumerate(_flat(cotangent))
        )

    def same(self, other: Quotient) -> bool:
        """Whether both are one sum, up to the rounding of floats."""
        return all(self._near(place, other) for place in {**self.totals, **other.totals})

    def _near(self, place: Hashable, other: Quotient) -> bool:
        (x, size), (y, sized) = (sums.totals.get(place, (0, 0)) for sums in (self, other))
        apart = np.asarray(x - y)
        if apart.dtype.kind != "f":
            return not np.any(apart != 0)
        with np.errstate(all="ignore"):
            near = np.abs(apart) <= ROUNDINGS * (size + sized)
        alike = (np.asarray(x) == y) | (np.isnan(x) & np.isnan(y))
        return bool(np.all(near | alike))

    def __repr__(self) -> str:
        return repr([(place, total) for place, (total, _) in self.totals.items()])


def number_key(number: Any) -> Hashable:
    """What tells a number or an array from others: its shape and its bits as floats.

    Keys of numbers of one shape can be ordered, and are, as the numbers are.
    """
    array = np.asarray(number)
    if array.dtype == object or (array.dtype.kind in "iu" and np.any(abs(array) > EXACT)):
        return array.shape, tuple((False, exact, 0) for exact in array.flat)
    floats = array.astype(np.float64)
    return array.shape, tuple(map(_ordered, floats.flat))


def _ordered(number: np.float64) -> Hashable:
    """Infinities and numbers by value, −0.0 before 0.0, and then nans by their bits."""
    bits = int(number.view(np.int64))
    return (True, 0.0, bits) if np.isnan(number) else (False, float(number), bits >= 0)


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple | list):
        for part in value:
            yield from _flat(part)
    else:
        yield value
