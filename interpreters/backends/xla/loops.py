"""Loops: ``fold`` and ``scan`` are ``lax.scan``, ``map`` is ``jax.vmap``.

``vmap`` runs all rows of a map at once, as accelerators want it; a conditional that stands in one
computes both of its branches there, and selects.
"""

from __future__ import annotations

from combinators.kit.recursion import Recursive
from combinators.objects import components
from combinators.primitives.loops import FOLD, MAP
from combinators.rows import length_of
from combinators.terms import Prim
from interpreters.backends.text.emitter import arguments, as_it_is, zeros
from interpreters.backends.text.frame import Bundle
from interpreters.backends.text.layout import Assign, Split, Text, call, flat
from interpreters.backends.xla.functions import callee, type_of
from interpreters.backends.xla.placements import Emitter
from interpreters.backends.xla.values import Frame, Leaf, Value, check_first_order


def loop(emitter: Emitter, term: Prim, at: Frame, wish: str) -> Recursive[Value]:
    """A loop; of no rounds, what it starts from."""
    primitive = term.operation.primitive
    held = (term.type, *(arg.type for arg in term.args[1:]))
    check_first_order(f"a {primitive.name}", *held, place=term.place)
    result: Value
    if primitive is MAP.primitive:
        result = yield _mapped(emitter, term, at, wish)
        return result
    is_fold = primitive is FOLD.primitive
    init: Value = yield emitter.value(term.args[1], at)
    xs: Value = yield emitter.value(term.args[2], at)
    start: Text = yield emitter.text(init, at)
    rows: Text = yield emitter.text(xs, at)
    ending = _carried if is_fold else as_it_is
    step: Text = yield callee(emitter, term.args[0], at, "step", ending)
    backwards = ["reverse=True"] if term.operation.keywords.get("reverse") else []
    text = call("lax.scan", step, start, rows, *backwards)
    last = at.fresh(wish if is_fold else f"{wish}_last")
    if is_fold:
        at.body.append(Assign((last, "_"), text))
        return Leaf(last, term.type)
    stack = at.fresh(wish)
    at.body.append(Assign((last, stack), text))
    product = components(term.type)
    assert product is not None
    return Bundle((Leaf(last, product.parts[0]), Leaf(stack, product.parts[1])), term.type)


def _carried(text: Text) -> Text:
    """What a round of a fold gives: what it carries on, and nothing to keep."""
    return Split("", (text, "None"), "", display=True)


def _mapped(emitter: Emitter, term: Prim, at: Frame, wish: str) -> Recursive[Value]:
    function, stack = term.args
    result: Value
    xs: Value = yield emitter.value(stack, at)
    if not length_of(stack.type):
        result = yield zeros(emitter, term.type, at, {})
        return result
    given: list[Text] = yield arguments(emitter, xs, type_of(function).dom, at)
    row: Text = yield callee(emitter, function, at, "row", as_it_is)
    return Leaf(at.assign(call(f"jax.vmap({flat(row)})", *given), wish), term.type)
