"""What NumPy writes into its arrays: ``a += x`` of one that nobody else sees, and errors.

a = zeros(3); a += x            a is x, traced
a = zeros(3); b = a; a += x     an error: b would be other than Python has it
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from combinators.errors import ImmutableValue


def _references(kwargs: dict[str, Any]) -> int:
    """How many references there are to the array that a function of NumPy's is to write into."""
    return sys.getrefcount(kwargs["out"][0])


class _Counted:
    """What an array is added to, to count the references to one that is held by a name alone."""

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        return _references(kwargs)


def _counted_alone() -> int:
    alone: Any = np.zeros(1)
    alone += _Counted()
    return int(alone)


ALONE = _counted_alone()


def written_into(function: Any, ufunc: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What ``a`` is after ``a += x``, if it is an array of NumPy's that nobody else holds.

    Python gives the name ``a`` to the result, which may be a traced value. Raises ImmutableValue
    elsewhere.
    """
    references = _references(kwargs)
    (out,) = kwargs["out"]
    sign = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}.get(ufunc.__name__)
    if sign is None or args[0] is not out or len(args) != 2:
        raise ImmutableValue(
            f"np.{ufunc.__name__} of a traced value is not written into anything: drop out="
        )
    if references <= ALONE and out.base is None:
        made = function(*args)
        if made.shape == out.shape and made.dtype == out.dtype:
            return made
    raise ImmutableValue(
        f"an array of NumPy's cannot hold a traced value, so `a {sign}= x` cannot change it; "
        f"write a = a {sign} x, or of a part of it a = add_at(a, i, x)"
    )
