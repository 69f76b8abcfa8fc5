"""``fold``, ``scan`` and ``map`` as ``for`` loops, with the body written out.

What is carried stands in a variable a leaf; rows of results are written into arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from combinators.errors import MissingRule
from combinators.kit.recursion import Recursive
from combinators.objects import Fun, Object, components
from combinators.primitives.loops import FOLD, MAP
from combinators.rows import length_of
from combinators.terms import Prim
from interpreters.backends.python import calls
from interpreters.backends.python.branches import DEEPEST, flattened
from interpreters.backends.python.carried import Carried
from interpreters.backends.python.frame import Frame, bundle
from interpreters.backends.python.rounds import Loop, Out, Round, Rows
from interpreters.backends.python.values import Known, Leaf, Value, leaves_of, nested
from interpreters.backends.text.frame import Bundle, is_broad

if TYPE_CHECKING:
    from interpreters.backends.python.emitter import Emitter


def loop(emitter: Emitter, term: Prim, at: Frame, wish: str) -> Recursive[Value]:
    """A loop; of no rounds, what it starts from."""
    if at.depth >= DEEPEST:
        outlined: Value = yield calls.outlined(emitter, term, at, wish)
        return outlined
    args: list[Value] = []
    for arg in term.args:
        args.append((yield emitter.value(arg, at)))
    obj = term.args[-1].type
    primitive = term.operation.primitive
    carries, keeps = primitive is not MAP.primitive, primitive is not FOLD.primitive
    stack = None if not keeps else _second(term.type) if carries else term.type
    for kind in (obj, term.type):
        if is_broad(kind):
            raise MissingRule(f"the Python backend writes no loop over so broad a type: {kind!r}")
    reverse = bool(term.operation.keywords.get("reverse"))
    made = Loop(term, args[0], args[-1], length_of(obj), reverse, stack)
    result: Value = yield _written(emitter, made, args[1] if carries else None, at, wish)
    return result


def _second(obj: Object) -> Object:
    product = components(obj)
    assert product is not None
    return product.parts[1]


def _written(
    emitter: Emitter, loop: Loop, init: Value | None, at: Frame, wish: str
) -> Recursive[Value]:
    start: list[Leaf] = []
    if init is not None:
        start = yield flattened(emitter, init, init.type, at)
    rows = Rows(emitter, loop, at)
    leaves: list[Leaf] = yield flattened(emitter, loop.xs, loop.xs.type, at)
    rows.over(loop.xs, leaves)
    kinds = [] if loop.keeps is None else leaves_of(loop.keeps)
    outs = [Out(kind, loop, at, wish) for kind in kinds]
    carried = Carried(emitter, loop, start, at)
    done: Round | None = None
    while loop.length and done is None:
        done = yield _round(emitter, loop, init, carried, rows, at, wish)
        if carried.settle(done):
            done = None
    if done is not None:
        for out, leaf in zip(outs, done.kept, strict=True):
            out.keep(done.body, leaf, rows)
        carried.finish(done)
        at.body += [*carried.before, *(out.before for out in outs)]
        at.body.append(rows.header(done.body))
    else:
        at.body += [out.before for out in outs]
    rows_kept = done.kept if done is not None else [None] * len(outs)
    kept = [out.result(at, row) for out, row in zip(outs, rows_kept, strict=True)]
    last: Value | None = None
    if init is not None:
        last = nested(iter(carried.results() if done is not None else start), init.type)
    if loop.keeps is None:
        assert last is not None
        return last
    stack = nested(iter(kept), loop.keeps)
    return stack if last is None else bundle((last, stack), loop.term.type)


def _round(
    emitter: Emitter,
    loop: Loop,
    init: Value | None,
    carried: Carried,
    rows: Rows,
    at: Frame,
    wish: str,
) -> Recursive[Round]:
    assert isinstance(loop.function.type, Fun)
    with at.block() as body:
        row = rows.row()
        argument: Value = row
        if init is not None:
            carry = nested(iter(carried.leaves()), init.type)
            argument = bundle_of(carry, row, loop.function.type.dom)
        result: Value
        if isinstance(loop.function, Known) and loop.is_inlined(emitter):
            result = yield emitter.inlined(loop.function, argument, at, wish, last=True)
        else:
            result = yield calls.called(emitter, loop.function, argument, at, wish)
        cod = loop.function.type.cod
        both = init is not None and loop.keeps is not None
        product = components(cod)
        kinds = list(product.parts) if both and product is not None else [cod]
        parts = [emitter.component(result, i, o) for i, o in enumerate(kinds)] if both else [result]
        leaves: list[Leaf] = []
        found: list[Leaf] = yield flattened(emitter, parts[0], kinds[0], at)
        if both:
            leaves = yield flattened(emitter, parts[1], kinds[1], at)
    if init is None:
        return Round(body, [], found)
    return Round(body, found, leaves)


def bundle_of(carry: Value, row: Value, dom: Object) -> Bundle[Value]:
    """The argument of a round; a carried buffer stays its own."""
    return Bundle((carry, row), dom)
