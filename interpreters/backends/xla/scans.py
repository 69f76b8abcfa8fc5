"""Loops: one that carries is ``lax.scan``, one that carries nothing ``jax.vmap``.

``vmap`` runs all rows at once, as accelerators want it; a conditional that stands in one
computes both of its branches there, and selects.
"""

from __future__ import annotations

from combinators.kit.recursion import Recursive
from combinators.objects import component
from combinators.primitives.loops import LoopTerm
from combinators.terms import Prim
from interpreters.backends.text.emitter import arguments, as_it_is, zeros
from interpreters.backends.text.frame import Bundle
from interpreters.backends.text.layout import Assign, Split, Text, call, flat
from interpreters.backends.xla.functions import callee, type_of
from interpreters.backends.xla.placements import Emitter
from interpreters.backends.xla.values import Frame, Leaf, Value, check_first_order


def loop(emitter: Emitter, term: Prim, at: Frame, wish: str) -> Recursive[Value]:
    """A loop; of no rounds, what it starts from."""
    loop = LoopTerm(term)
    held = (term.type, *(arg.type for arg in term.args[1:]))
    check_first_order(f"a {loop.operation.name}", *held, place=term.place)
    result: Value
    if loop.init is None:
        result = yield _mapped(emitter, loop, at, wish)
        return result
    is_fold = loop.types.item is None
    init: Value = yield emitter.value(loop.init, at)
    xs: Value = yield emitter.value(loop.xs, at)
    start: Text = yield emitter.text(init, at)
    rows: Text = yield emitter.text(xs, at)
    ending = _carried if is_fold else as_it_is
    step: Text = yield callee(emitter, loop.function, at, "step", ending)
    backwards = ["reverse=True"] if loop.types.reverse else []
    text = call("lax.scan", step, start, rows, *backwards)
    last = at.fresh(wish if is_fold else f"{wish}_last")
    if is_fold:
        at.body.append(Assign((last, "_"), text))
        return Leaf(last, term.type)
    stack = at.fresh(wish)
    at.body.append(Assign((last, stack), text))
    carry, kept = component(term.type, 0), component(term.type, 1)
    return Bundle((Leaf(last, carry), Leaf(stack, kept)), term.type)


def _carried(text: Text) -> Text:
    """What a round of a fold gives: what it carries on, and nothing to keep."""
    return Split("", (text, "None"), "", display=True)


def _mapped(emitter: Emitter, loop: LoopTerm, at: Frame, wish: str) -> Recursive[Value]:
    result: Value
    xs: Value = yield emitter.value(loop.xs, at)
    if not loop.types.length:
        result = yield zeros(emitter, loop.term.type, at, {})
        return result
    given: list[Text] = yield arguments(emitter, xs, type_of(loop.function).dom, at)
    row: Text = yield callee(emitter, loop.function, at, "row", as_it_is)
    return Leaf(at.assign(call(f"jax.vmap({flat(row)})", *given), wish), loop.term.type)
