"""Algebra of numbers, choices, tuples and cotangents.

What holds for floating-point numbers is exact: for inf, for nan and for zeros of either sign. A
number times a number times an array is one product where that is exact. A product with a power of
two that is not below 1 is exact until it overflows, so that ``c (2ᵏ x)`` and ``(2ᵏ c) x`` are
rounded alike; both overflow alike where c is not below 1 either. By a finite number that is not 0,
``scale`` is a plain product.

The zero of cotangents adds nothing and absorbs every factor. ``scale`` and ``unscale`` are 0
wherever a factor is, whatever the other is there, so these laws hold for inf and nan too. What a
typed zero (``zeros``) goes through is a typed zero: it stands for "contributes nothing", and only
differentiation makes one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from combinators.literal import Literal
from combinators.objects import Object, Tangent, Tensor
from combinators.simplify import patterns as holes
from combinators.simplify.patterns import (
    ZERO_OF_ZERO,
    Facts,
    Node,
    Pattern,
    Rest,
    filled,
    finite,
    finite_nonzero,
    head,
    i,
    is_typed_zero,
    k,
    minus_one,
    n,
    one,
    p,
    plus_zero,
    s,
    same,
    typed_zero,
    v,
    x,
    y,
    z,
    zero,
    zeros,
)
from combinators.simplify.rule import rules_of
from combinators.terms import Const, Proj, Term

add, subtract, multiply, divide = map(head, ("add", "subtract", "multiply", "divide"))
negative, power, absolute, square = map(head, ("negative", "power", "absolute", "square"))
maximum, minimum, clip, where = map(head, ("maximum", "minimum", "clip", "where"))
both, either, logical_not = map(head, ("logical_and", "logical_or", "logical_not"))
convert, stop_gradient, matmul, vector = map(head, ("convert", "stop_gradient", "matmul", "vector"))
plus, scale, unscale, pack, unpack = map(head, ("plus", "scale", "unscale", "pack", "unpack"))
proj, tuple_ = map(head, ("proj", "tuple"))
inject, tag, untag, roll, unroll = map(head, ("inject", "tag", "untag", "roll", "unroll"))

FIG = "000, Fig. 12"
PARTS = "000, Fig. 4: by components"
RING = "the ring of the reals, 000, section 5.4"
REALS = "the field of the reals"
IEEE = "IEEE 754: the sign is a bit apart"
EXACT = "IEEE 754: powers of two are exact factors"
PLAIN = "IEEE 754: of factors that are no nan, only 0 and inf make one"
LOGIC = "Boole"
LATTICE = "idempotence"
TYPES = "types"
MONOID = "000, Fig. 12: 0 + e ⇝ e, at every type"
ABSORB = "000, Fig. 12: 0 * e ⇝ 0, for symbolic zeros"
UNIT = "000, Fig. 12: 1 * e ⇝ e"
LINEAR = "linear maps keep 0"
SIGN = "linearity, exact: the sign is a bit apart"
ERASED = "004, section 5: unpack undoes pack"
BETA, ETA = "β of sums and of recursive types", "η of recursive types"
WIDEST = 8
"""A sum of wider tuples is left as one line."""


def _dtype(x: Term) -> str:
    assert isinstance(x.type, Tensor)
    return x.type.dtype


def _there_and_back(x: Term, p: Any, s: Any) -> Term | None:
    own = _dtype(x)
    return x if s == own and np.can_cast(own, p, "safe") else None


ALGEBRA = rules_of(
    "algebra",
    ("multiply-one", FIG, multiply(x, one), x),
    ("divide-one", RING, divide(x, one), x),
    ("power-one", RING, power(x, one), x),
    ("subtract-zero", FIG, subtract(x, plus_zero), x),
    ("add-minus-zero", FIG, add(x, holes.minus_zero), x),
    ("add-integer-zero", FIG, add(n, zero), n),
    ("multiply-integer-zero", FIG, multiply(n, zero), zero),
    ("subtract-integer-itself", RING, subtract(n, n), lambda out: filled(0, out)),
    ("multiply-minus-one", RING, multiply(x, minus_one), negative(x)),
    ("negative-twice", RING, negative(negative(x)), x),
    ("negative-difference", IEEE, add(x, negative(y)), subtract(x, y)),
    ("subtract-negative", IEEE, subtract(x, negative(y)), add(x, y)),
    ("multiply-negatives", IEEE, multiply(negative(x), negative(y)), multiply(x, y)),
    ("divide-negatives", IEEE, divide(negative(x), negative(y)), divide(x, y)),
    ("square-negative", IEEE, square(negative(x)), square(x)),
    ("absolute-negative", IEEE, absolute(negative(x)), absolute(x)),
    ("absolute-twice", LATTICE, absolute(absolute(x)), absolute(x)),
    ("convert-own", TYPES, convert(x, dtype=s), lambda x, s: x if _dtype(x) == s else None),
    ("convert-back", TYPES, convert(convert(x, dtype=p), dtype=s), _there_and_back),
    ("stop-twice", LATTICE, stop_gradient(stop_gradient(x)), stop_gradient(x)),
)

CHOICES = rules_of(
    "choices",
    ("maximum-same", LATTICE, maximum(x, x), x),
    ("minimum-same", LATTICE, minimum(x, x), x),
    ("clip-nowhere", LATTICE, clip(x, holes.minus_inf, holes.plus_inf), x),
    ("where-same", FIG, where(p, x, x), x),
    ("where-true", FIG, where(holes.true, x, y), x),
    ("where-false", FIG, where(holes.false, x, y), y),
    ("where-not", LOGIC, where(logical_not(holes.q), x, y), where(holes.q, y, x)),
    ("where-where", LOGIC, where(p, where(p, x, y), z), where(p, x, z)),
    ("where-else-where", LOGIC, where(p, x, where(p, y, z)), where(p, x, z)),
    ("not-twice", LOGIC, logical_not(logical_not(x)), x),
    ("and-true", LOGIC, both(x, holes.true), x),
    ("and-false", LOGIC, both(x, holes.false), holes.false),
    ("or-true", LOGIC, either(x, holes.true), holes.true),
    ("or-false", LOGIC, either(x, holes.false), x),
    ("and-same", LATTICE, both(x, x), x),
    ("or-same", LATTICE, either(x, x), x),
)


# ---- products of numbers -------------------------------------------------------------------------


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


def _of_numbers() -> Iterator[tuple[str, str, Node, Any]]:
    for name, inner in _products(holes.doubling, x).items():
        for outside, outer in _products(holes.large, inner).items():
            yield f"{outside}-{name}-two", EXACT, outer, _together(outside)
    for name, product in _products(holes.uniform, x).items():
        yield f"negative-{name}", IEEE, negative(product), _signed(name)
    for name, product in _products(holes.uniform, negative(x)).items():
        yield f"{name}-negative", IEEE, product, _signed(name)


SCALING = rules_of("algebra", *_of_numbers())


# ---- tuples --------------------------------------------------------------------------------------


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


TUPLES = rules_of(
    "tuples",
    ("proj-tuple", FIG, proj(tuple_(Rest("x")), index=i), lambda x, i: x[i]),
    ("proj-vector", FIG, proj(vector(Rest("x")), index=i), lambda x, i: x[i]),
    ("tuple-of-parts", "surjective pairing", tuple_(Rest("x"), names=s), _whole),
)


# ---- cotangents ----------------------------------------------------------------------------------


def _componentwise(x: tuple[Term, ...], y: tuple[Term, ...], s: object) -> Node | None:
    if len(x) > WIDEST:
        return None
    return tuple_(*(plus(one, other) for one, other in zip(x, y, strict=True)), names=s)


def _by_one(x: Term, one: Term, out: Object) -> Term | None:
    """A product with the matrix (1), which only forgets the sign of a zero."""
    single = isinstance(one.type, Tensor) and one.type.shape == (1, 1)
    return x if single and x.type is out else None


def _of_zero(x: tuple[Term, ...], out: Object) -> Term | None:
    return zeros(out) if is_typed_zero(x[0]) else None


def _of_zeros(x: tuple[Term, ...], out: Object) -> Term | None:
    return zeros(out) if all(map(is_typed_zero, x)) else None


def _packed(x: Term, y: Term) -> Node | None:
    return pack(plus(x, y)) if x.type is y.type else None


_TUPLE, _OTHER = tuple_(Rest("x"), names=s), tuple_(Rest("y"), names=s)
_FINITE, _BY_FINITE = matmul(finite_nonzero, x), matmul(x, finite_nonzero)

COTANGENTS = rules_of(
    "cotangents",
    ("plus-zero", MONOID, plus(x, zero), x),
    ("plus-tuples", PARTS, plus(_TUPLE, _OTHER), _componentwise),
    ("plus-negative", SIGN, plus(holes.tensor, negative(y)), subtract(holes.tensor, y)),
    ("add-typed-zero", MONOID, add(x, typed_zero), x),
    ("subtract-typed-zero", MONOID, subtract(x, typed_zero), x),
    ("typed-zero-subtract", MONOID, subtract(typed_zero, x), negative(x)),
    ("scale-zero", ABSORB, scale(zero, p), zeros),
    ("scale-by-zero", ABSORB, scale(v, zero), zeros),
    ("unscale-zero", ABSORB, unscale(zero, p), zeros),
    ("scale-by-one", UNIT, scale(v, one), v),
    ("scale-one", UNIT, scale(one, p), p),
    ("unscale-by-one", UNIT, unscale(v, one), v),
    ("scale-by-minus-one", SIGN, scale(v, minus_one), negative(v)),
    ("scale-minus-one", SIGN, scale(minus_one, p), negative(p)),
    ("scale-negatives", SIGN, scale(negative(v), negative(p)), scale(v, p)),
    ("multiply-typed-zero", ABSORB, multiply(typed_zero, finite), zeros),
    ("divide-typed-zero", ABSORB, divide(typed_zero, finite_nonzero), zeros),
    ("matmul-typed-zero", ABSORB, matmul(typed_zero, x), zeros),
    ("matmul-by-typed-zero", ABSORB, matmul(x, typed_zero), zeros),
    ("absorbing-matmul-finite", PLAIN, matmul(finite_nonzero, x, absorbing=True), _FINITE),
    ("absorbing-matmul-by-finite", PLAIN, matmul(x, finite_nonzero, absorbing=True), _BY_FINITE),
    ("matmul-one", UNIT, matmul(one, x), _by_one),
    ("matmul-by-one", UNIT, matmul(x, one), _by_one),
    ("where-typed-zeros", LINEAR, where(p, typed_zero, holes.other_typed_zero), zeros),
    *((f"{name}-typed-zero", LINEAR, head(name)(typed_zero), zeros) for name in ZERO_OF_ZERO),
    ("take-typed-zero", LINEAR, head("take")(Rest("x")), _of_zero),
    ("put-typed-zero", LINEAR, head("put")(Rest("x")), _of_zero),
    ("concatenate-typed-zeros", LINEAR, head("concatenate")(Rest("x")), _of_zeros),
    ("proj-typed-zero", PARTS, proj(typed_zero), zeros),
    ("pack-zero", ERASED, pack(zero), lambda: zeros(Tangent)),
    ("unpack-zero", ERASED, unpack(typed_zero), zeros),
    ("unpack-pack", ERASED, unpack(pack(x), of=s), lambda x, s: x if x.type is s else None),
    ("plus-packs", ERASED, plus(pack(x), pack(y)), _packed),
)

# ---- sums and recursive types --------------------------------------------------------------------


def _is_it(i: int, k: int) -> Const:
    return Const(Literal(i == k))


def _tagged(x: Term, y: Term, s: Object, i: int) -> Node:
    return tag(plus(x, y), of=s, index=i)


def _typed(x: Term, s: Object) -> Term | None:
    return x if x.type is s else None


INJECTIONS = rules_of(
    "sums",
    ("is-inject", BETA, head("is_alternative")(inject(x, index=i), index=k), _is_it),
    ("payload-inject", BETA, head("payload")(inject(x, index=i), index=i), x),
    ("untag-tag", BETA, untag(tag(x, index=i), index=i), x),
    ("unroll-roll", BETA, unroll(roll(x)), x),
    ("roll-unroll", ETA, roll(unroll(x), of=s), _typed),
    ("tag-zero", LINEAR, tag(zero), zeros),
    ("untag-zero", LINEAR, untag(typed_zero), zeros),
    ("roll-zero", LINEAR, roll(typed_zero), zeros),
    ("unroll-zero", LINEAR, unroll(typed_zero), zeros),
    ("plus-tags", PARTS, plus(tag(x, of=s, index=i), tag(y, index=i)), _tagged),
    ("plus-rolls", PARTS, plus(roll(x, of=s), roll(y)), lambda x, y, s: roll(plus(x, y), of=s)),
)

# ---- of real numbers only ------------------------------------------------------------------------

FIELD = rules_of(
    "fast_math",
    ("multiply-zero", FIG, multiply(x, holes.any_zero), zeros),
    ("add-zero", FIG, add(x, holes.any_zero), x),
    ("subtract-any-zero", FIG, subtract(x, holes.any_zero), x),
    ("zero-subtract", RING, subtract(holes.any_zero, x), negative(x)),
    ("zero-divide", REALS, divide(holes.any_zero, x), zeros),
    ("subtract-itself", RING, subtract(x, x), zeros),
    ("divide-itself", REALS, divide(x, x), lambda out: filled(1, out)),
    ("divide-product", REALS, divide(multiply(x, y), y), x),
    ("subtract-sum", RING, subtract(add(x, y), y), x),
    ("power-two", RING, power(x, holes.two), square(x)),
    ("scale-multiply", "000, Fig. 5", scale(v, p), multiply(p, v)),
    ("unscale-divide", "000, Fig. 5", unscale(v, p), divide(v, p)),
)
