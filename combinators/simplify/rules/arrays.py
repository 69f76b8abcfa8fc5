"""Chains of moves become one move, and moves of one number everywhere become that number."""

from __future__ import annotations

from combinators.objects import Object, Tensor
from combinators.simplify.holes import a, b, c, d, filled, k, s, uniform, x, y
from combinators.simplify.patterns import Node, Rest, head, once
from combinators.simplify.rule import Rule
from combinators.terms import Const, Term

add = head("add")
reshape, transpose, broadcast_to = map(head, ("reshape", "transpose", "broadcast_to"))
slice_, embed, concatenate, take = map(head, ("slice", "embed", "concatenate", "take"))
Shape = tuple[int, ...]

CHAIN = "moves compose"
IDENTITY = "000, Fig. 12: map (x. x) A ⇝ A"
WINDOW = "a window of what was put there"
UNIFORM = "000, Fig. 12: moves of ZerosLike and OnesLike"


def _itself(x: Term, out: Object) -> Term | None:
    return x if x.type is out else None


def _unmoved(x: Term, a: Shape) -> Term | None:
    return x if a == tuple(range(len(a))) else None


def _reshaped(x: Term, a: Shape, out: Object) -> Node | None:
    """A transpose that keeps the order of all axes that matter moves nothing."""
    assert isinstance(x.type, Tensor)
    assert isinstance(out, Tensor)
    kept = [axis for axis in a if x.type.shape[axis] != 1]
    return reshape(x, shape=out.shape) if kept == sorted(kept) else None


def _all_of(x: Term, a: Shape, b: Shape, out: Object) -> Term | None:
    """All of it, in order: a window that begins at the beginning and leaves nothing out."""
    plain = not any(a) and all(step == 1 for step in b)
    return x if x.type is out and plain else None


def _turned(x: Term, a: Shape, b: Shape, out: Object) -> Node | None:
    """All of it, some axes backwards: no zero is left."""
    assert isinstance(out, Tensor)
    full = x.type is out and all(abs(step) == 1 for step in b)
    return slice_(x, start=a, step=b, extent=out.shape) if full and min(b) < 0 else None


def _inner_window(x: Term, a: Shape, b: Shape, c: Shape, d: Shape, s: Shape) -> Node:
    """The window (c, d) of the window (a, b)."""
    start = tuple(first + step * more for first, step, more in zip(a, b, c, strict=True))
    return slice_(x, start=start, step=_steps(b, d), extent=s)


def _outer_window(x: Term, a: Shape, b: Shape, c: Shape, d: Shape, s: Shape) -> Node:
    """Put at (a, b) of what is put at (c, d)."""
    start = tuple(first + step * more for first, step, more in zip(c, d, a, strict=True))
    return embed(x, start=start, step=_steps(b, d), shape=s)


def _steps(b: Shape, d: Shape) -> Shape:
    return tuple(one * other for one, other in zip(b, d, strict=True))


def _same_window(x: Term, a: Shape, b: Shape, s: Shape) -> Term | None:
    return x if isinstance(x.type, Tensor) and x.type.shape == s else None


def _taken(x: tuple[Term, ...], k: int, out: Object) -> Node | Const | None:
    """One row, at an index that is known; outside, zeros."""
    whole, index = x[0], x[-1]
    if len(x) != 2 or not isinstance(index, Const) or index.literal.array.ndim:
        return None
    assert isinstance(whole.type, Tensor)
    assert isinstance(out, Tensor)
    shape, at = whole.type.shape, int(index.literal.array)
    if not 0 <= at < shape[k]:
        return filled(0, out)
    start, extent = [0] * len(shape), list(shape)
    start[k], extent[k] = at, 1
    row = slice_(whole, start=tuple(start), step=(1,) * len(shape), extent=tuple(extent))
    return reshape(row, shape=out.shape)


def _one_part(x: tuple[Term, ...]) -> Term | None:
    return x[0] if len(x) == 1 else None


def _part_of(x: tuple[Term, ...], k: int, a: Shape, b: Shape, s: Shape) -> Node | None:
    """The window where it lies in one of the parts."""
    if not s[k]:
        return None
    ends = a[k], a[k] + b[k] * (s[k] - 1)
    before = 0
    for part in x:
        assert isinstance(part.type, Tensor)
        after = before + part.type.shape[k]
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


PIECES = tuple(
    rule
    for name in ("add", "plus")
    for rule in (
        Rule(
            f"{name}-embeds",
            "arrays",
            WINDOW,
            head(name)(
                once(embed(x, start=a, step=b, shape=s)), once(embed(y, start=a, step=b, shape=s))
            ),
            _embedded_together,
        ),
        Rule(
            f"{name}-concatenations",
            "arrays",
            WINDOW,
            head(name)(once(concatenate(Rest("x"), axis=k)), once(concatenate(Rest("y"), axis=k))),
            _in_pieces,
        ),
    )
)

ARRAYS = (
    *PIECES,
    Rule("reshape-own", "arrays", IDENTITY, reshape(x), _itself),
    Rule("reshape-reshape", "arrays", CHAIN, reshape(reshape(x), shape=s), reshape(x, shape=s)),
    Rule("transpose-own", "arrays", IDENTITY, transpose(x, axes=a), _unmoved),
    Rule("transpose-reshape", "arrays", CHAIN, transpose(x, axes=a), _reshaped),
    Rule(
        "transpose-transpose",
        "arrays",
        CHAIN,
        transpose(transpose(x, axes=a), axes=b),
        lambda x, a, b: transpose(x, axes=tuple(a[j] for j in b)),
    ),
    Rule("broadcast-own", "arrays", IDENTITY, broadcast_to(x), _itself),
    Rule(
        "broadcast-broadcast",
        "arrays",
        CHAIN,
        broadcast_to(broadcast_to(x), shape=s),
        broadcast_to(x, shape=s),
    ),
    Rule("slice-own", "arrays", IDENTITY, slice_(x, start=a, step=b), _all_of),
    Rule(
        "slice-slice",
        "arrays",
        CHAIN,
        slice_(slice_(x, start=a, step=b), start=c, step=d, extent=s),
        _inner_window,
    ),
    Rule(
        "slice-embed",
        "arrays",
        WINDOW,
        slice_(embed(x, start=a, step=b), start=a, step=b, extent=s),
        _same_window,
    ),
    Rule(
        "slice-concatenate",
        "arrays",
        WINDOW,
        slice_(concatenate(Rest("x"), axis=k), start=a, step=b, extent=s),
        _part_of,
    ),
    Rule("embed-own", "arrays", IDENTITY, embed(x, start=a, step=b), _all_of),
    Rule("embed-all", "arrays", WINDOW, embed(x, start=a, step=b), _turned),
    Rule(
        "embed-embed",
        "arrays",
        CHAIN,
        embed(embed(x, start=a, step=b), start=c, step=d, shape=s),
        _outer_window,
    ),
    Rule("take-constant", "arrays", WINDOW, take(Rest("x"), axis=k), _taken),
    Rule("concatenate-one", "arrays", IDENTITY, concatenate(Rest("x")), _one_part),
)

CONSTANTS = (
    *(
        Rule(f"{move}-uniform", "constants", UNIFORM, head(move)(uniform), _everywhere)
        for move in ("broadcast_to", "reshape", "transpose", "slice", "convert")
    ),
)
