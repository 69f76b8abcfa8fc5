"""Chains of moves become one move, and moves of one number everywhere become that number.

Sums of sums, and of what is moved, hold for real numbers only, as their order changes.
"""

from __future__ import annotations

import math
from typing import Any

from combinators.objects import Object, Tensor
from combinators.simplify.patterns import (
    Node,
    Rest,
    a,
    b,
    c,
    d,
    filled,
    head,
    k,
    once,
    s,
    single,
    uniform,
    x,
    y,
)
from combinators.simplify.rule import rules_of
from combinators.terms import Const, Term

add, multiply, matmul, sum_ = map(head, ("add", "multiply", "matmul", "sum"))
reshape, transpose, broadcast_to = map(head, ("reshape", "transpose", "broadcast_to"))
slice_, embed, concatenate, take = map(head, ("slice", "embed", "concatenate", "take"))
Shape = tuple[int, ...]

CHAIN = "moves compose"
IDENTITY = "000, Fig. 12: map (x. x) A ⇝ A"
WINDOW = "a window of what was put there"
UNIFORM = "000, Fig. 12: moves of ZerosLike and OnesLike"
ORDER = "sums in any order"


def _shape(obj: Object) -> Shape:
    assert isinstance(obj, Tensor)
    return obj.shape


def _itself(x: Term, out: Object) -> Term | None:
    return x if x.type is out else None


def _unmoved(x: Term, a: Shape) -> Term | None:
    return x if a == tuple(range(len(a))) else None


def _turned_twice(x: Term, a: Shape, b: Shape) -> Node:
    return transpose(x, axes=tuple(a[axis] for axis in b))


def _reshaped(x: Term, a: Shape, out: Object) -> Node | None:
    """A transpose that keeps the order of all axes that matter moves nothing."""
    kept = [axis for axis in a if _shape(x.type)[axis] != 1]
    return reshape(x, shape=_shape(out)) if kept == sorted(kept) else None


def _all_of(x: Term, a: Shape, b: Shape, out: Object) -> Term | None:
    """All of it, in order: a window that begins at the beginning and leaves nothing out."""
    plain = not any(a) and all(step == 1 for step in b)
    return x if x.type is out and plain else None


def _turned(x: Term, a: Shape, b: Shape, out: Object) -> Node | None:
    """All of it, some axes backwards: no zero is left."""
    full = x.type is out and all(abs(step) == 1 for step in b)
    return slice_(x, start=a, step=b, extent=_shape(out)) if full and min(b) < 0 else None


def _start(outer: Shape, step: Shape, inner: Shape) -> Shape:
    """Where a window in a window begins."""
    return tuple(at + by * more for at, by, more in zip(outer, step, inner, strict=True))


def _steps(b: Shape, d: Shape) -> Shape:
    return tuple(one * other for one, other in zip(b, d, strict=True))


def _inner_window(x: Term, a: Shape, b: Shape, c: Shape, d: Shape, s: Shape) -> Node:
    """The window (c, d) of the window (a, b)."""
    return slice_(x, start=_start(a, b, c), step=_steps(b, d), extent=s)


def _outer_window(x: Term, a: Shape, b: Shape, c: Shape, d: Shape, s: Shape) -> Node:
    """Put at (a, b) of what is put at (c, d)."""
    return embed(x, start=_start(c, d, a), step=_steps(b, d), shape=s)


def _taken(x: tuple[Term, ...], k: int, out: Object) -> Node | Const | None:
    """One row, at an index that is known; outside, zeros."""
    whole, index = x[0], x[-1]
    if len(x) != 2 or not isinstance(index, Const) or index.literal.array.ndim:
        return None
    shape, at = _shape(whole.type), int(index.literal.array)
    if not 0 <= at < shape[k]:
        return filled(0, out)
    start, extent = [0] * len(shape), list(shape)
    start[k], extent[k] = at, 1
    row = slice_(whole, start=tuple(start), step=(1,) * len(shape), extent=tuple(extent))
    return reshape(row, shape=_shape(out))


def _one_part(x: tuple[Term, ...]) -> Term | None:
    return x[0] if len(x) == 1 else None


def _part_of(x: tuple[Term, ...], k: int, a: Shape, b: Shape, s: Shape) -> Node | None:
    """The window where it lies in one of the parts."""
    if not s[k]:
        return None
    ends = a[k], a[k] + b[k] * (s[k] - 1)
    before = 0
    for part in x:
        after = before + _shape(part.type)[k]
        if before <= min(ends) and max(ends) < after:
            return slice_(part, start=(*a[:k], a[k] - before, *a[k + 1 :]), step=b, extent=s)
        before = after
    return None


def _everywhere(uniform: Const, out: Object) -> Const | None:
    array = uniform.literal.array
    return filled(array.flat[0].astype(out.dtype), out) if isinstance(out, Tensor) else None


def _embedded_together(x: Term, y: Term, a: Shape, b: Shape, s: Shape) -> Node | None:
    """What is put into one window, put there once."""
    return embed(add(x, y), start=a, step=b, shape=s) if x.type is y.type else None


def _in_pieces(x: tuple[Term, ...], y: tuple[Term, ...], k: int) -> Node | None:
    """Pieces that lie on each other are added, and put together once."""
    if [part.type for part in x] != [part.type for part in y]:
        return None
    return concatenate(*(add(one, other) for one, other in zip(x, y, strict=True)), axis=k)


_EMBEDS = once(embed(x, start=a, step=b, shape=s)), once(embed(y, start=a, step=b, shape=s))
_JOINED = once(concatenate(Rest("x"), axis=k)), once(concatenate(Rest("y"), axis=k))
_EMBEDDED = embed(embed(x, start=a, step=b), start=c, step=d, shape=s)
_SLICED = slice_(slice_(x, start=a, step=b), start=c, step=d, extent=s)
_PUT = slice_(embed(x, start=a, step=b), start=a, step=b, extent=s)
_PIECE = slice_(concatenate(Rest("x"), axis=k), start=a, step=b, extent=s)
_TRANSPOSED = transpose(transpose(x, axes=a), axes=b)
_SPREAD = broadcast_to(broadcast_to(x), shape=s)

ARRAYS = rules_of(
    "arrays",
    ("add-embeds", WINDOW, add(*_EMBEDS), _embedded_together),
    ("add-concatenations", WINDOW, add(*_JOINED), _in_pieces),
    ("plus-embeds", WINDOW, head("plus")(*_EMBEDS), _embedded_together),
    ("plus-concatenations", WINDOW, head("plus")(*_JOINED), _in_pieces),
    ("reshape-own", IDENTITY, reshape(x), _itself),
    ("reshape-reshape", CHAIN, reshape(reshape(x), shape=s), reshape(x, shape=s)),
    ("transpose-own", IDENTITY, transpose(x, axes=a), _unmoved),
    ("transpose-reshape", CHAIN, transpose(x, axes=a), _reshaped),
    ("transpose-transpose", CHAIN, _TRANSPOSED, _turned_twice),
    ("broadcast-own", IDENTITY, broadcast_to(x), _itself),
    ("broadcast-broadcast", CHAIN, _SPREAD, broadcast_to(x, shape=s)),
    ("slice-own", IDENTITY, slice_(x, start=a, step=b), _all_of),
    ("slice-slice", CHAIN, _SLICED, _inner_window),
    ("slice-embed", WINDOW, _PUT, lambda x, s: x if _shape(x.type) == s else None),
    ("slice-concatenate", WINDOW, _PIECE, _part_of),
    ("embed-own", IDENTITY, embed(x, start=a, step=b), _all_of),
    ("embed-all", WINDOW, embed(x, start=a, step=b), _turned),
    ("embed-embed", CHAIN, _EMBEDDED, _outer_window),
    ("take-constant", WINDOW, take(Rest("x"), axis=k), _taken),
    ("concatenate-one", IDENTITY, concatenate(Rest("x")), _one_part),
)

CONSTANTS = rules_of(
    "constants",
    *(
        (f"{move}-uniform", UNIFORM, head(move)(uniform), _everywhere)
        for move in ("broadcast_to", "reshape", "transpose", "slice", "convert")
    ),
)


# ---- of real numbers only ------------------------------------------------------------------------


def _times(x: Term, s: Shape, a: Shape, k: bool, out: Object) -> Node | None:
    """The sum of what broadcasting repeats: so many times as much."""
    assert isinstance(out, Tensor)
    aligned = (1,) * (len(s) - len(_shape(x.type))) + _shape(x.type)
    if any(aligned[axis] != 1 for axis in a):
        return None
    number = filled(math.prod(s[axis] for axis in a), Tensor((), out.dtype))
    left = tuple(n for axis, n in enumerate(aligned) if k or axis not in a)
    return multiply(broadcast_to(reshape(x, shape=left), shape=out.shape), number)


def _ones(x: Term, a: Shape, out: Object) -> Node | None:
    """A sum over axes of extent 1 moves numbers only."""
    single = all(_shape(x.type)[axis] == 1 for axis in a)
    return reshape(x, shape=_shape(out)) if single else None


def _sum_sum(x: Term, a: Shape, b: Shape) -> Node:
    kept = [axis for axis in range(len(_shape(x.type))) if axis not in a]
    return sum_(x, axis=tuple(sorted((*a, *(kept[axis] for axis in b)))), keepdims=False)


def _sum_of_all(x: Term, s: Shape, a: Shape) -> Node | None:
    """The sum of all there is, wherever it was moved."""
    whole = tuple(range(len(_shape(x.type))))
    return sum_(x, axis=whole, keepdims=False) if len(a) == len(s) else None


def _swapped(x: Term, y: Term, a: Any, b: Any, s: Any) -> Node | None:
    return matmul(y, x) if a == b == s == (1, 0) else None


def _outer(x: Term, y: Term) -> Node | None:
    """Columns times rows: sums of one product each."""
    left, right = _shape(x.type), _shape(y.type)
    return multiply(x, y) if min(len(left), len(right)) > 1 and left[-1] == 1 else None


def _factor_out(single: Term, y: Term, s: Shape) -> Node | None:
    """A number in front of what is moved there and back."""
    return multiply(reshape(single, shape=()), y) if _shape(y.type) == s else None


_REPEATED = sum_(broadcast_to(x, shape=s), axis=a, keepdims=k)
_TWICE = sum_(once(sum_(x, axis=a, keepdims=False)), axis=b, keepdims=False)
_SCALED = reshape(once(multiply(single, reshape(y))), shape=s)
_PRODUCT = once(matmul(transpose(x, axes=a), transpose(y, axes=b)))

SUMS = rules_of(
    "fast_math",
    ("sum-broadcast", ORDER, _REPEATED, _times),
    ("sum-of-one", ORDER, sum_(x, axis=a), _ones),
    ("sum-sum", ORDER, _TWICE, _sum_sum),
    ("sum-transpose", ORDER, sum_(transpose(x, axes=s), axis=a, keepdims=False), _sum_of_all),
    ("sum-reshape", ORDER, sum_(reshape(x, shape=s), axis=a, keepdims=False), _sum_of_all),
    ("absorbing-matmul", "000, Fig. 5", matmul(x, y, absorbing=True), matmul(x, y)),
    ("matmul-outer", ORDER, matmul(x, y), _outer),
    ("reshape-product", CHAIN, _SCALED, _factor_out),
    ("transpose-matmul", "(Bᵀ Aᵀ)ᵀ = A B", transpose(_PRODUCT, axes=s), _swapped),
)
