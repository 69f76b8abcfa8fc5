"""Algebra that is exact in IEEE arithmetic: for inf, for nan and for zeros of either sign.

A number times a number times an array is one product where that is exact. A product with a power of
two that is not below 1 is exact until it overflows, so that ``c (2ᵏ x)`` and ``(2ᵏ c) x`` are
rounded alike; both overflow alike where c is not below 1 either. By a finite number that is not 0,
``scale`` is a plain product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from combinators.objects import Object, Tensor
from combinators.simplify.holes import (
    doubling,
    false,
    filled,
    i,
    large,
    minus_inf,
    minus_one,
    minus_zero,
    n,
    one,
    p,
    plus_inf,
    plus_zero,
    q,
    s,
    true,
    uniform,
    x,
    y,
    z,
    zero,
)
from combinators.simplify.patterns import Facts, Node, Pattern, Rest, head, same
from combinators.simplify.rule import Rule
from combinators.terms import Const, Proj, Term

add, subtract, multiply, divide = map(head, ("add", "subtract", "multiply", "divide"))
negative, power, absolute, square = map(head, ("negative", "power", "absolute", "square"))
maximum, minimum, clip, where = map(head, ("maximum", "minimum", "clip", "where"))
both, either, logical_not = map(head, ("logical_and", "logical_or", "logical_not"))
convert, stop_gradient, scale = map(head, ("convert", "stop_gradient", "scale"))

FIG = "000, Fig. 12"
RING = "the ring of the reals, 000, section 5.4"
IEEE = "IEEE 754: the sign is a bit apart"
LOGIC = "Boole"
LATTICE = "idempotence"
TYPES = "types"


def _dtype(x: Term) -> str:
    assert isinstance(x.type, Tensor)
    return x.type.dtype


def _own(x: Term, s: Any) -> Term | None:
    return x if _dtype(x) == s else None


def _there_and_back(x: Term, p: Any, s: Any) -> Term | None:
    own = _dtype(x)
    return x if s == own and np.can_cast(own, p, "safe") else None


ALGEBRA = (
    Rule("multiply-one", "algebra", FIG, multiply(x, one), x),
    Rule("divide-one", "algebra", RING, divide(x, one), x),
    Rule("power-one", "algebra", RING, power(x, one), x),
    Rule("subtract-zero", "algebra", FIG, subtract(x, plus_zero), x),
    Rule("add-minus-zero", "algebra", FIG, add(x, minus_zero), x),
    Rule("add-integer-zero", "algebra", FIG, add(n, zero), n),
    Rule("multiply-integer-zero", "algebra", FIG, multiply(n, zero), zero),
    Rule("subtract-integer-itself", "algebra", RING, subtract(n, n), lambda out: filled(0, out)),
    Rule("multiply-minus-one", "algebra", RING, multiply(x, minus_one), negative(x)),
    Rule("negative-twice", "algebra", RING, negative(negative(x)), x),
    Rule("negative-difference", "algebra", IEEE, add(x, negative(y)), subtract(x, y)),
    Rule("subtract-negative", "algebra", IEEE, subtract(x, negative(y)), add(x, y)),
    Rule("multiply-negatives", "algebra", IEEE, multiply(negative(x), negative(y)), multiply(x, y)),
    Rule("divide-negatives", "algebra", IEEE, divide(negative(x), negative(y)), divide(x, y)),
    Rule("square-negative", "algebra", IEEE, square(negative(x)), square(x)),
    Rule("absolute-negative", "algebra", IEEE, absolute(negative(x)), absolute(x)),
    Rule("absolute-twice", "algebra", LATTICE, absolute(absolute(x)), absolute(x)),
    Rule("convert-own", "algebra", TYPES, convert(x, dtype=s), _own),
    Rule("convert-back", "algebra", TYPES, convert(convert(x, dtype=p), dtype=s), _there_and_back),
    Rule("stop-twice", "algebra", LATTICE, stop_gradient(stop_gradient(x)), stop_gradient(x)),
)

CHOICES = (
    Rule("maximum-same", "choices", LATTICE, maximum(x, x), x),
    Rule("minimum-same", "choices", LATTICE, minimum(x, x), x),
    Rule("clip-nowhere", "choices", LATTICE, clip(x, minus_inf, plus_inf), x),
    Rule("where-same", "choices", FIG, where(p, x, x), x),
    Rule("where-true", "choices", FIG, where(true, x, y), x),
    Rule("where-false", "choices", FIG, where(false, x, y), y),
    Rule("where-not", "choices", LOGIC, where(logical_not(q), x, y), where(q, y, x)),
    Rule("where-where", "choices", LOGIC, where(p, where(p, x, y), z), where(p, x, z)),
    Rule("where-else-where", "choices", LOGIC, where(p, x, where(p, y, z)), where(p, x, z)),
    Rule("not-twice", "choices", LOGIC, logical_not(logical_not(x)), x),
    Rule("and-true", "choices", LOGIC, both(x, true), x),
    Rule("and-false", "choices", LOGIC, both(x, false), false),
    Rule("or-true", "choices", LOGIC, either(x, true), true),
    Rule("or-false", "choices", LOGIC, either(x, false), x),
    Rule("and-same", "choices", LATTICE, both(x, x), x),
    Rule("or-same", "choices", LATTICE, either(x, x), x),
)

EXACT = "IEEE 754: powers of two are exact factors"


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
        yield Rule(f"negative-{name}", "algebra", IEEE, negative(product), _signed(name))
    for name, product in _products(uniform, negative(x)).items():
        yield Rule(f"{name}-negative", "algebra", IEEE, product, _signed(name))


SCALING = tuple(_rules())

proj, tuple_, vector = map(head, ("proj", "tuple", "vector"))


def _whole(x: tuple[Term, ...], out: Any, facts: Facts) -> Term | None:
    """What ``x`` are all the components of, in order."""
    first = facts.definition(x[0]) if x else None
    if not isinstance(first, Proj) or first.product.type is not out:
        return None
    for index, item in enumerate(x):
        part = facts.definition(item)
        if not isinstance(part, Proj) or part.index != index:
            return None
        if not same(part.product, first.product):
            return None
    return first.product


TUPLES = (
    Rule(
        "proj-tuple", "tuples", "000, Fig. 12", proj(tuple_(Rest("x")), index=i), lambda x, i: x[i]
    ),
    Rule(
        "proj-vector", "tuples", "000, Fig. 12", proj(vector(Rest("x")), index=i), lambda x, i: x[i]
    ),
    Rule("tuple-of-parts", "tuples", "surjective pairing", tuple_(Rest("x"), names=s), _whole),
)
