"""What holds for real numbers and not for floating-point ones: only under ``fast_math``."""

from __future__ import annotations

import math
from typing import Any

from combinators.objects import Object, Tensor
from combinators.simplify.holes import (
    a,
    any_zero,
    b,
    filled,
    k,
    p,
    s,
    single,
    two,
    v,
    x,
    y,
    zeros,
)
from combinators.simplify.patterns import Node, head, once
from combinators.simplify.rule import Rule
from combinators.terms import Term

add, subtract, multiply, divide = map(head, ("add", "subtract", "multiply", "divide"))
power, square, negative, scale, unscale = map(
    head, ("power", "square", "negative", "scale", "unscale")
)
sum_, broadcast_to, reshape, transpose = map(head, ("sum", "broadcast_to", "reshape", "transpose"))
matmul = head("matmul")

FIG = "000, Fig. 12"
RING = "the ring of the reals, 000, section 5.4"
FIELD = "the field of the reals"
SUMS = "sums in any order"


def _shape(x: Term) -> tuple[int, ...]:
    assert isinstance(x.type, Tensor)
    return x.type.shape


def _times(x: Term, s: tuple[int, ...], a: tuple[int, ...], k: bool, out: Object) -> Node | None:
    """The sum of what broadcasting repeats: so many times as much."""
    lead = len(s) - len(_shape(x))
    aligned = (1,) * lead + _shape(x)
    if any(aligned[axis] != 1 for axis in a):
        return None
    number = filled(math.prod(s[axis] for axis in a), _like(out))
    left = tuple(n for axis, n in enumerate(aligned) if k or axis not in a)
    return multiply(broadcast_to(reshape(x, shape=left), shape=_of(out)), number)


def _like(out: Object) -> Tensor:
    assert isinstance(out, Tensor)
    return Tensor((), out.dtype)


def _of(out: Object) -> tuple[int, ...]:
    assert isinstance(out, Tensor)
    return out.shape


def _ones(x: Term, a: tuple[int, ...], out: Object) -> Node | None:
    """A sum over axes of extent 1 moves numbers only."""
    single = all(_shape(x)[axis] == 1 for axis in a)
    return reshape(x, shape=_of(out)) if single else None


def _sum_sum(x: Term, a: tuple[int, ...], b: tuple[int, ...]) -> Node:
    kept = [axis for axis in range(len(_shape(x))) if axis not in a]
    axes = tuple(sorted((*a, *(kept[axis] for axis in b))))
    return sum_(x, axis=axes, keepdims=False)


def _sum_transposed(x: Term, b: tuple[int, ...], a: tuple[int, ...]) -> Node | None:
    if len(a) != len(b):
        return None
    return sum_(x, axis=tuple(range(len(b))), keepdims=False)


def _sum_reshaped(x: Term, s: tuple[int, ...], a: tuple[int, ...]) -> Node | None:
    if len(a) != len(s):
        return None
    return sum_(x, axis=tuple(range(len(_shape(x)))), keepdims=False)


def _swapped(x: Term, y: Term, a: Any, b: Any, s: Any) -> Node | None:
    """``(Bᵀ Aᵀ)ᵀ = A B``."""
    return matmul(y, x) if a == b == s == (1, 0) else None


def _outer(x: Term, y: Term) -> Node | None:
    """Columns times rows: sums of one product each."""
    are_matrices = min(len(_shape(x)), len(_shape(y))) > 1
    return multiply(x, y) if are_matrices and _shape(x)[-1] == 1 else None


def _factor_out(single: Term, y: Term, s: tuple[int, ...]) -> Node | None:
    """A number in front of what is moved there and back."""
    return multiply(reshape(single, shape=()), y) if _shape(y) == s else None


FAST = (
    Rule("multiply-zero", "fast_math", FIG, multiply(x, any_zero), zeros),
    Rule("add-zero", "fast_math", FIG, add(x, any_zero), x),
    Rule("subtract-any-zero", "fast_math", FIG, subtract(x, any_zero), x),
    Rule("zero-subtract", "fast_math", RING, subtract(any_zero, x), negative(x)),
    Rule("zero-divide", "fast_math", FIELD, divide(any_zero, x), zeros),
    Rule("subtract-itself", "fast_math", RING, subtract(x, x), zeros),
    Rule("divide-itself", "fast_math", FIELD, divide(x, x), lambda out: filled(1, out)),
    Rule("divide-product", "fast_math", FIELD, divide(multiply(x, y), y), x),
    Rule("subtract-sum", "fast_math", RING, subtract(add(x, y), y), x),
    Rule("power-two", "fast_math", RING, power(x, two), square(x)),
    Rule("scale-multiply", "fast_math", "000, Fig. 5", scale(v, p), multiply(p, v)),
    Rule("unscale-divide", "fast_math", "000, Fig. 5", unscale(v, p), divide(v, p)),
    Rule(
        "sum-broadcast",
        "fast_math",
        SUMS,
        sum_(broadcast_to(x, shape=s), axis=a, keepdims=k),
        _times,
    ),
    Rule("sum-of-one", "fast_math", SUMS, sum_(x, axis=a), _ones),
    Rule(
        "sum-sum",
        "fast_math",
        SUMS,
        sum_(once(sum_(x, axis=a, keepdims=False)), axis=b, keepdims=False),
        _sum_sum,
    ),
    Rule(
        "sum-transpose",
        "fast_math",
        SUMS,
        sum_(transpose(x, axes=b), axis=a, keepdims=False),
        _sum_transposed,
    ),
    Rule(
        "sum-reshape",
        "fast_math",
        SUMS,
        sum_(reshape(x, shape=s), axis=a, keepdims=False),
        _sum_reshaped,
    ),
    Rule(
        "absorbing-matmul",
        "fast_math",
        "000, Fig. 5",
        matmul(x, y, absorbing=True),
        matmul(x, y),
    ),
    Rule("matmul-outer", "fast_math", SUMS, matmul(x, y), _outer),
    Rule(
        "reshape-product",
        "fast_math",
        "moves compose",
        reshape(once(multiply(single, reshape(y))), shape=s),
        _factor_out,
    ),
    Rule(
        "transpose-matmul",
        "fast_math",
        "(Bᵀ Aᵀ)ᵀ = A B",
        transpose(once(matmul(transpose(x, axes=a), transpose(y, axes=b))), axes=s),
        _swapped,
    ),
)
