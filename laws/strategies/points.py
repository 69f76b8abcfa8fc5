"""Random numbers and tensors: small integers first, then quarters, then special floats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from combinators.literal import Literal
from combinators.objects import Tensor
from laws.strategies.choices import Choices, Draw
from laws.strategies.objects import numbers_of

NUMBERS = (0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 0.5, -0.5, 1.5, -1.5, 0.25, -0.75, 1.25)
"""Exact in any binary float, and in the rationals."""
SPECIAL = (-0.0, 1e-300, -1e300, float("inf"), -float("inf"), float("nan"))
INTEGERS = (0, 1, 2, -1, 3, -2)
ONE_BY_ONE = 4
"""Longer tensors are filled by a pattern, which takes two choices."""


def numbers(*, special: bool = False) -> st.SearchStrategy[float]:
    """Floats; ``special`` ones are infinities, nans, signed zeros and extremes, too.

    >>> from hypothesis import find
    >>> find(numbers(), lambda x: x > 0)
    1.0
    """
    return st.sampled_from(NUMBERS + SPECIAL if special else NUMBERS)


def literals(obj: Tensor, *, special: bool = False) -> st.SearchStrategy[Literal]:
    """Constants of a tensor type; ``special`` ones hold infinities and nans.

    >>> from hypothesis import find
    >>> find(literals(Tensor((2,))), lambda c: c.array.any())
    [0.0, 1.0]
    """

    @st.composite
    def drawn(draw: Draw) -> Literal:
        return literal(Choices(draw), obj, special=special)

    return drawn()


def literal(choices: Choices, obj: Tensor, *, special: bool = False) -> Literal:
    """One constant."""
    own = numbers_of(obj)
    if own is not None:
        flat = [choices.draw(own) for _ in range(obj.size)]
    else:
        flat = _flat(choices, _options(obj, special=special), obj.size)
    return Literal(np.array(flat, dtype=obj.dtype).reshape(obj.shape))


def _flat(choices: Choices, options: Sequence[Any], size: int) -> list[Any]:
    if size <= ONE_BY_ONE:
        return [choices.pick(options) for _ in range(size)]
    start, step = choices.below(len(options)), choices.below(len(options))
    return [options[(start + step * at) % len(options)] for at in range(size)]


def _options(obj: Tensor, *, special: bool) -> Sequence[Any]:
    match np.dtype(obj.dtype).kind:
        case "f":
            if not special:
                return NUMBERS
            largest = float(np.finfo(obj.dtype).max)
            return NUMBERS + tuple(x for x in SPECIAL if not largest < abs(x) < float("inf"))
        case "b":
            return (False, True)
        case "u":
            return tuple(map(abs, INTEGERS))
        case _:
            return INTEGERS
