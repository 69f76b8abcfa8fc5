"""Loops as ``for`` loops, with the body written out.

What is carried stands in a variable a leaf; rows of results are written into arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from combinators.errors import MissingRule
from combinators.kit.recursion import Recursive
from combinators.objects import Object, component
from combinators.primitives.loops import LoopTerm
from combinators.terms import Prim
from interpreters.backends.python import calls
from interpreters.backends.python.branches import DEEPEST, flattened
from interpreters.backends.python.carried import Carried
from interpreters.backends.python.frame import Frame, bundle
from interpreters.backends.python.rounds import EmittedLoop, Out, Round, Rows
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
    types = LoopTerm(term).types
    for kind in (types.xs, term.type):
        if is_broad(kind):
            raise MissingRule(f"the Python backend writes no loop over so broad a type: {kind!r}")
    made = EmittedLoop(term, types, args[0], args[-1], types.length)
    result: Value = yield _written(emitter, made, args[1] if len(args) == 3 else None, at, wish)
    return result


def _written(
    emitter: Emitter, loop: EmittedLoop, init: Value | None, at: Frame, wish: str
) -> Recursive[Value]:
    start: list[Leaf] = []
    if init is not None:
        start = yield flattened(emitter, init, init.type, at)
    rows = Rows(emitter, loop, at)
    leaves: list[Leaf] = yield flattened(emitter, loop.xs, loop.xs.type, at)
    rows.over(loop.xs, leaves)
    stack = loop.types.stack
    kinds = [] if stack is None else leaves_of(stack)
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
    rows_of = None if stack is None else nested(iter(kept), stack)
    whole: Value = loop.types.joined(last, rows_of, lambda x, y: bundle((x, y), loop.term.type))
    return whole


def _round(
    emitter: Emitter,
    loop: EmittedLoop,
    init: Value | None,
    carried: Carried,
    rows: Rows,
    at: Frame,
    wish: str,
) -> Recursive[Round]:
    types = loop.types
    with at.block() as body:
        row = rows.row()
        argument: Value = row
        if init is not None:
            carry = nested(iter(carried.leaves()), init.type)
            argument = bundle_of(carry, row, types.function.dom)
        result: Value
        if isinstance(loop.function, Known) and loop.is_inlined(emitter):
            result = yield emitter.inlined(loop.function, argument, at, wish, last=True)
        else:
            result = yield calls.called(emitter, loop.function, argument, at, wish)
        halves = types.halves(
            result, lambda whole, i: emitter.component(whole, i, component(types.function.cod, i))
        )
        leaves: list[list[Leaf]] = []
        for half, obj in zip(halves, (types.carry, types.item), strict=True):
            found: list[Leaf] = []
            if obj is not None:
                found = yield flattened(emitter, half, obj, at)
            leaves.append(found)
    return Round(body, *leaves)


def bundle_of(carry: Value, row: Value, dom: Object) -> Bundle[Value]:
    """The argument of a round; a carried buffer stays its own."""
    return Bundle((carry, row), dom)
