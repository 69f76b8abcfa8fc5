"""The algebra of cotangents: its zero adds nothing and absorbs every factor.

``scale`` and ``unscale`` are 0 wherever a factor is, whatever the other is there, so these laws
hold for inf and nan too. What a typed zero (``zeros``) goes through is a typed zero: it stands for
"contributes nothing", and only differentiation makes one.
"""

from __future__ import annotations

from combinators.objects import Object, Tangent, Tensor
from combinators.simplify.holes import (
    ZERO_OF_ZERO,
    finite,
    finite_nonzero,
    is_typed_zero,
    minus_one,
    one,
    other_typed_zero,
    p,
    s,
    tensor,
    typed_zero,
    v,
    x,
    y,
    zero,
    zeros,
)
from combinators.simplify.patterns import Node, Rest, head
from combinators.simplify.rule import Rule
from combinators.terms import Term

plus, scale, unscale, pack, unpack = map(head, ("plus", "scale", "unscale", "pack", "unpack"))
add, subtract, multiply, divide = map(head, ("add", "subtract", "multiply", "divide"))
negative, matmul, where = map(head, ("negative", "matmul", "where"))
proj, tuple_ = map(head, ("proj", "tuple"))

MONOID = "000, Fig. 12: 0 + e ⇝ e, at every type"
ABSORB = "000, Fig. 12: 0 * e ⇝ 0, for symbolic zeros"
UNIT = "000, Fig. 12: 1 * e ⇝ e"
PLAIN = "IEEE 754: of factors that are no nan, only 0 and inf make one"
LINEAR = "linear maps keep 0"
SIGN = "linearity, exact: the sign is a bit apart"
ERASED = "004, section 5: unpack undoes pack"
WIDEST = 8
"""A sum of wider tuples is left as one line."""


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


def _unpacked(x: Term, s: object) -> Term | None:
    return x if x.type is s else None


def _together(x: Term, y: Term) -> Node | None:
    return pack(plus(x, y)) if x.type is y.type else None


COTANGENTS = (
    Rule("plus-zero", "cotangents", MONOID, plus(x, zero), x),
    Rule(
        "plus-tuples",
        "cotangents",
        "000, Fig. 4: + by components",
        plus(tuple_(Rest("x"), names=s), tuple_(Rest("y"), names=s)),
        _componentwise,
    ),
    Rule("plus-negative", "cotangents", SIGN, plus(tensor, negative(y)), subtract(tensor, y)),
    Rule("add-typed-zero", "cotangents", MONOID, add(x, typed_zero), x),
    Rule("subtract-typed-zero", "cotangents", MONOID, subtract(x, typed_zero), x),
    Rule("typed-zero-subtract", "cotangents", MONOID, subtract(typed_zero, x), negative(x)),
    Rule("scale-zero", "cotangents", ABSORB, scale(zero, p), zeros),
    Rule("scale-by-zero", "cotangents", ABSORB, scale(v, zero), zeros),
    Rule("unscale-zero", "cotangents", ABSORB, unscale(zero, p), zeros),
    Rule("scale-by-one", "cotangents", UNIT, scale(v, one), v),
    Rule("scale-one", "cotangents", UNIT, scale(one, p), p),
    Rule("unscale-by-one", "cotangents", UNIT, unscale(v, one), v),
    Rule("scale-by-minus-one", "cotangents", SIGN, scale(v, minus_one), negative(v)),
    Rule("scale-minus-one", "cotangents", SIGN, scale(minus_one, p), negative(p)),
    Rule("scale-negatives", "cotangents", SIGN, scale(negative(v), negative(p)), scale(v, p)),
    Rule("multiply-typed-zero", "cotangents", ABSORB, multiply(typed_zero, finite), zeros),
    Rule("divide-typed-zero", "cotangents", ABSORB, divide(typed_zero, finite_nonzero), zeros),
    Rule("matmul-typed-zero", "cotangents", ABSORB, matmul(typed_zero, x), zeros),
    Rule("matmul-by-typed-zero", "cotangents", ABSORB, matmul(x, typed_zero), zeros),
    Rule(
        "absorbing-matmul-finite",
        "cotangents",
        PLAIN,
        matmul(finite_nonzero, x, absorbing=True),
        matmul(finite_nonzero, x),
    ),
    Rule(
        "absorbing-matmul-by-finite",
        "cotangents",
        PLAIN,
        matmul(x, finite_nonzero, absorbing=True),
        matmul(x, finite_nonzero),
    ),
    Rule("matmul-one", "cotangents", UNIT, matmul(one, x), _by_one),
    Rule("matmul-by-one", "cotangents", UNIT, matmul(x, one), _by_one),
    Rule("where-typed-zeros", "cotangents", LINEAR, where(p, typed_zero, other_typed_zero), zeros),
    *(
        Rule(f"{name}-typed-zero", "cotangents", LINEAR, head(name)(typed_zero), zeros)
        for name in ZERO_OF_ZERO
    ),
    Rule("take-typed-zero", "cotangents", LINEAR, head("take")(Rest("x")), _of_zero),
    Rule("put-typed-zero", "cotangents", LINEAR, head("put")(Rest("x")), _of_zero),
    Rule(
        "concatenate-typed-zeros", "cotangents", LINEAR, head("concatenate")(Rest("x")), _of_zeros
    ),
    Rule("proj-typed-zero", "cotangents", "000, Fig. 4: 0 by components", proj(typed_zero), zeros),
    Rule("pack-zero", "cotangents", ERASED, pack(zero), lambda: zeros(Tangent)),
    Rule("unpack-zero", "cotangents", ERASED, unpack(typed_zero), zeros),
    Rule("unpack-pack", "cotangents", ERASED, unpack(pack(x), of=s), _unpacked),
    Rule("plus-packs", "cotangents", ERASED, plus(pack(x), pack(y)), _together),
)
