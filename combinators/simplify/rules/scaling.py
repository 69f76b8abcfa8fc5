"""A number times a number times an array is one product, where that is exact.

A product with a power of two that is not below 1 is exact until it overflows, so that ``c (2ᵏ x)``
and ``(2ᵏ c) x`` are rounded alike; both overflow alike where c is not below 1 either. By a finite
number that is not 0, ``scale`` is a plain product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from combinators.objects import Object, Tensor
from combinators.simplify.holes import doubling, filled, large, uniform, x
from combinators.simplify.patterns import Node, Pattern, head
from combinators.simplify.rule import Rule
from combinators.terms import Const, Term

multiply, scale, negative = map(head, ("multiply", "scale", "negative"))

EXACT = "IEEE 754: powers of two are exact factors"
SIGN = "IEEE 754: the sign is a bit apart"


def _products(number: Pattern, other: Pattern) -> dict[str, Node]:
    """The products of a number and another, by the names that rules have for them."""
    return {
        "multiply": multiply(number, other),
        "scale": scale(number, other),
        "scale-by": scale(other, number),
    }


def _times(name: str, x: Term, number: Any, out: Object) -> Node | None:
    """``number x``; None where the number is not finite, or 0, or no float."""
    assert isinstance(out, Tensor)
    if not out.is_smooth or not np.isfinite(number) or number == 0:
        return None
    return _products(filled(number, Tensor((), out.dtype)), x)[name]


def _together(name: str) -> Callable[..., Node | None]:
    def right(x: Term, large: Const, doubling: Const, out: Object) -> Node | None:
        one, other = (number.literal.array.flat[0] for number in (large, doubling))
        with np.errstate(over="ignore"):
            return _times(name, x, one * other, out)

    return right


def _signed(name: str) -> Callable[..., Node | None]:
    def right(x: Term, uniform: Const, out: Object) -> Node | None:
        number = uniform.literal.array.flat[0]
        return None if number.dtype.kind == "b" else _times(name, x, -number, out)

    return right


def _rules() -> Iterator[Rule]:
    for name, inner in _products(doubling, x).items():
        for outside, outer in _products(large, inner).items():
            yield Rule(f"{outside}-{name}-two", "algebra", EXACT, outer, _together(outside))
    for name, product in _products(uniform, x).items():
        yield Rule(f"negative-{name}", "algebra", SIGN, negative(product), _signed(name))
    for name, product in _products(uniform, negative(x)).items():
        yield Rule(f"{name}-negative", "algebra", SIGN, product, _signed(name))


SCALING = tuple(_rules())
