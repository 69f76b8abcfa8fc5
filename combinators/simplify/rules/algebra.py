"""Algebra that is exact in IEEE arithmetic: for inf, for nan and for zeros of either sign."""

from __future__ import annotations

from typing import Any

import numpy as np

from combinators.objects import Tensor
from combinators.simplify.holes import (
    false,
    filled,
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
    x,
    y,
    z,
    zero,
)
from combinators.simplify.patterns import head
from combinators.simplify.rule import Rule
from combinators.terms import Term

add, subtract, multiply, divide = map(head, ("add", "subtract", "multiply", "divide"))
negative, power, absolute, square = map(head, ("negative", "power", "absolute", "square"))
maximum, minimum, clip, where = map(head, ("maximum", "minimum", "clip", "where"))
both, either, logical_not = map(head, ("logical_and", "logical_or", "logical_not"))
convert, stop_gradient = map(head, ("convert", "stop_gradient"))

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
