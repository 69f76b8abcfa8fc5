"""Points to run random programs at, and numbers of any carrier laid out flat."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from combinators.objects import Object, Tensor, components
from tests.strategies.language import Pair, Program, Type, V

quarters = st.integers(-8, 8).map(lambda n: Fraction(n, 4))
thousandths = st.integers(-2000, 2000).map(lambda n: n / 1000)


def values(kind: Type, numbers: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Values of a first-order type."""
    match kind:
        case V(length):
            return st.lists(numbers, min_size=length, max_size=length)
        case Pair(left, right):
            return st.tuples(values(left, numbers), values(right, numbers))
    return numbers


def arguments(program: Program, numbers: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Arguments of a program."""
    return st.tuples(*(values(kind, numbers) for _, kind in program.params))


def numbers(value: Any, obj: Object) -> Iterator[Any]:
    """The real numbers of a dense value."""
    product = components(obj)
    if product is not None:
        for part, below in zip(value, product.parts, strict=True):
            yield from numbers(part, below)
    elif isinstance(obj, Tensor) and obj.is_smooth:
        yield from np.asarray(value, dtype=object).reshape(-1)


def inner(x: Any, y: Any, obj: Object) -> Any:
    """⟨x, y⟩."""
    return sum(a * b for a, b in zip(numbers(x, obj), numbers(y, obj), strict=True))
