"""``fold`` and ``map`` of lists, which are recursion: a loop runs over rows, a list over its cells.

fold f c [x, y, z]  =  f (f (f c x) y) z         a tail call, and so a loop
fold f c [x, y, z], reverse  =  f (f (f c z) y) x         as deep as the list is long
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from combinators.errors import TypeMismatch, users_place
from combinators.objects import Object
from combinators.terms import App, Tuple
from combinators.tracing.cases import case
from combinators.tracing.classes import Typed
from combinators.tracing.control import ROUNDS, Settling
from combinators.tracing.emit import emit, operand, unpack
from combinators.tracing.fixpoints import Loop, Widened, next_of
from combinators.tracing.functions import call, coerce
from combinators.tracing.injections import cons, nil
from combinators.tracing.traced import Traced, library


@library("fold_list", word=False)
def fold_list(f: Any, init: Any, xs: Traced, *, reverse: bool = False) -> Any:
    """``f(… f(f(init, x₀), x₁) …, xₙ₋₁)`` over the items of a list, or from its other end."""
    carry = Settling.of("fold", init)

    def onwards(c: Any, rest: Any) -> Any:
        def item(x: Any, more: Any) -> Any:
            return loop(next_of(carry, f(c, x)), more)

        return case(rest, lambda: c, item)

    def backwards(rest: Any) -> Any:
        return case(rest, lambda: init, lambda x, more: next_of(carry, f(loop(more), x)))

    function = backwards if reverse else onwards
    function.__name__ = "fold"
    for _ in range(ROUNDS):
        loop = Loop(function, returns=Typed(carry.obj, carry.face))
        types: tuple[Object, ...] = (xs.type,) if reverse else (carry.obj, xs.type)
        try:
            fixed, _ = loop.at(types, (None,) if reverse else (carry.face, None))
        except Widened:
            continue
        given = operand(xs)
        argument = given if reverse else Tuple((coerce(init, carry.obj), given))
        return unpack(carry.face, emit(App(fixed, argument, users_place())))
    raise TypeMismatch(f"what fold carries, {carry.obj!r}, settles on no type")


@library("map_list", word=False)
def map_list(f: Callable[..., Any], *lists: Traced) -> Any:
    """The list of ``f`` of each item."""
    if len(lists) != 1:
        raise TypeMismatch("map of lists takes one; write a rec over two")
    (xs,) = lists

    def mapped(rest: Any) -> Any:
        return case(rest, lambda: nil, lambda x, more: cons(f(x), loop(more)))

    mapped.__name__ = "map"
    loop = Loop(mapped)
    return call(loop, [xs])
