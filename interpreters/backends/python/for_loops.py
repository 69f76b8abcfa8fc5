"""Loops as ``for`` loops, with the body written out.

What is carried stands in a variable a leaf, and rows that are kept in a list. A scan that carries
``(a, b)`` to ``(b, a * r)`` over an array, and keeps ``a``, is written as

    a = 0.0
    b = 1.0
    kept = []
    for r in xs.tolist():
        kept.append(a)
        a1 = a * r          what is still to be read is not overwritten
        a = b
        b = a1

An array that is carried is written into where a round made it and nobody else looks at it.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from combinators.errors import MissingRule
from combinators.kit.recursion import Recursive
from combinators.objects import Object, Tensor
from combinators.objects import component as component_type
from combinators.primitives.loops import LoopTerm, LoopType
from combinators.terms import Lam, Prim
from combinators.type_folds import row_of
from interpreters.backends.python.numpy_arrays import dtype_option, shape_text
from interpreters.backends.python.python_functions import (
    DEEPEST,
    called,
    flattened,
    is_own,
    outlined,
)
from interpreters.backends.python.python_values import (
    PYTHON,
    CapturedLam,
    Leaf,
    Listed,
    PythonEmitter,
    PythonFrame,
    Root,
    Value,
    bundle,
    fresh_leaf,
    is_array,
    leaves_of,
    nested,
    share,
)
from interpreters.backends.text.emitter import Bundle, Spread, is_broad
from interpreters.backends.text.layout import Assign, Clause, Do, Statement, Text, call, words


class EmittedLoop(NamedTuple):
    """A loop, its arguments, and what stands around its body."""

    term: Prim
    types: LoopType
    function: Value
    xs: Value

    @property
    def lam(self) -> Lam | None:
        """The function, where it is a known λ."""
        return self.function.function if isinstance(self.function, CapturedLam) else None

    def is_inlined(self, emitter: PythonEmitter) -> bool:
        """Whether its body is written into the loop."""
        function = self.term.args[0]
        return isinstance(function, Lam) and emitter.is_once(function)


class Round(NamedTuple):
    """What one round gives."""

    body: list[Statement]
    carry: list[Leaf]
    kept: list[Leaf]


class RowsOver:
    """What a loop runs over."""

    def __init__(self, emitter: PythonEmitter, loop: EmittedLoop, at: PythonFrame) -> None:
        self.emitter, self.loop, self.at = emitter, loop, at
        self.targets: list[str] = []
        self._over: list[str] = []
        self._row: Value | None = None

    def over(self, xs: Value, leaves: list[Leaf]) -> None:
        """Run over these stacks."""
        names = self._wishes(len(leaves))
        made: list[Value] = []
        constant = iter(_spreads(xs))
        for leaf, name in zip(leaves, names, strict=True):
            row = row_of(leaf.type)
            spread = next(constant, None)
            share(leaf)
            if spread is not None and not spread.inner_shape and isinstance(row, Tensor):
                made.append(Spread(spread.inner, row) if row.shape else spread.inner)
                continue
            target = self.at.fresh(name)
            made.append(self.emitter.opaque(row, target))
            self.targets.append(target)
            self._over.append(self._iterable(leaf))
        self._row = nested(iter(made), row_of(xs.type))

    def _wishes(self, count: int) -> list[str]:
        lam = self.loop.lam
        wish = lam.params[-1].name if lam is not None else "row"
        return [wish] * count

    def _iterable(self, leaf: Leaf) -> str:
        text = leaf.text
        if leaf.rows is not None:
            return leaf.rows.backwards if self.loop.types.reverse else leaf.rows.forwards
        is_flat = isinstance(leaf.type, Tensor) and len(leaf.type.shape) == 1
        if is_flat and row_of(leaf.type) in PYTHON:
            listed = f"{text}.tolist()"
            return f"reversed({listed})" if self.loop.types.reverse else listed
        return f"{text}[::-1]" if self.loop.types.reverse else text

    def row(self) -> Value:
        """The row of a round."""
        assert self._row is not None
        return self._row

    def header(self, body: list[Statement]) -> Clause:
        """The loop."""
        targets, over = list(self.targets), [*self._over]
        if not targets:
            targets, over = ["_"], [f"range({self.loop.types.length})"]
        text: Text = over[0] if len(over) == 1 else call("zip", *over)
        return Clause(f"for {', '.join(targets)} in ", text, "", body)


def _spreads(xs: Value) -> list[Spread[Leaf] | None]:
    match xs:
        case Bundle(parts):
            return [found for part in parts for found in _spreads(part)]
        case Spread():
            return [xs]
        case _:
            return [None] * len(leaves_of(xs.type))


class Out:
    """One leaf of the stack that a loop gives."""

    def __init__(self, obj: Object, loop: EmittedLoop, at: PythonFrame, wish: str) -> None:
        self.obj, self.loop, self.name = obj, loop, at.fresh(f"{wish}s")
        self.before: Statement = Assign((self.name,), "[]")

    def keep(self, body: list[Statement], leaf: Leaf, rows: RowsOver) -> None:
        """Note the row of a round; a small part of a buffer does not keep the buffer."""
        share(leaf)
        root, size = leaf.root, leaf.type.size if isinstance(leaf.type, Tensor) else 0
        text = f"{leaf.text}.copy()" if root is not None and root.size > 4 * size else leaf.text
        one = f"extend([{text}])" if not body and text in rows.targets else f"append({text})"
        body.append(Do(f"{self.name}.{one}"))

    def result(self, at: PythonFrame) -> Leaf:
        """The stack, after the loop."""
        rows = Listed(self.name, f"reversed({self.name})")
        if self.loop.types.reverse:
            rows = Listed(rows.backwards, rows.forwards)
        listed = f"{self.name}[::-1]" if self.loop.types.reverse else self.name
        if not isinstance(self.obj, Tensor):
            return Leaf(at.assign(f"tuple({listed})", self.name), self.obj, rows=rows)
        text: Text = call("np.array", listed, *dtype_option(self.obj.dtype))
        if not self.loop.types.length:
            text = call("np.empty", shape_text(self.obj.shape), *dtype_option(self.obj.dtype))
        leaf = fresh_leaf(at.assign(text, self.name), self.obj)
        leaf.rows = rows
        return leaf


class Carried:
    """The variables that a loop carries, and what happens to their buffers."""

    def __init__(self, loop: EmittedLoop, start: list[Leaf], at: PythonFrame) -> None:
        self.at, self.start = at, start
        lam = loop.lam
        wish = lam.params[0].name if lam is not None else "carry"
        self.names = [at.fresh(wish) for _ in start]
        self.roots: list[Root | None] = []
        self.before: list[Statement] = []
        self.own: set[str] = set()

    def leaves(self) -> list[Leaf]:
        """The variables as a round finds them."""
        self.roots = [Root(fresh=True) if is_array(x.type) else None for x in self.start]
        return [
            Leaf(name, x.type, root=root)
            for name, x, root in zip(self.names, self.start, self.roots, strict=True)
        ]

    def finish(self, done: Round) -> None:
        """Assign at the end of the round, and before the first."""
        pairs = list(zip(self.names, self.roots, done.carry, strict=True))
        changed = [(name, root, leaf) for name, root, leaf in pairs if leaf.text != name]
        written = {name for name, _, _ in changed}
        self.own = self._own(done)
        last: list[Statement] = []
        for name, root, leaf in changed:
            text = leaf.text
            if root is not None and root.reused and name not in self.own:
                text = f"{text}.copy()"
            if written - {name} & set(words(text)) and len(changed) > 1:
                temporary = self.at.fresh(name)
                done.body.append(Assign((temporary,), text))
                text = temporary
            last.append(Assign((name,), text))
        done.body.extend(last)
        for (name, root, _), leaf in zip(pairs, self.start, strict=True):
            text = leaf.text
            if root is not None and root.reused and not self._is_free(leaf):
                text = f"{text}.copy()"
            elif leaf.root is not None:
                leaf.root.shared = True
            self.before.append(Assign((name,), text))

    def _own(self, done: Round) -> set[str]:
        """The variables whose arrays a round makes anew, or has written into, each for itself."""
        mine = {id(root): root for root in self.roots if root is not None}
        times = Counter(id(leaf.root) for leaf in done.carry)
        own: set[str] = set()
        for name, leaf in zip(self.names, done.carry, strict=True):
            root = mine.get(id(leaf.root))
            passed = root is not None and not root.reused
            if is_own(leaf) and not passed and times[id(leaf.root)] == 1:
                own.add(name)
        return own

    def _is_free(self, leaf: Leaf) -> bool:
        """Whether nothing else looks at the array that the loop starts from."""
        root = leaf.root
        if root is None or not root.fresh or root.shared:
            return False
        root.uses -= 1
        free = root.uses <= 0
        root.shared = True
        return free

    def results(self) -> list[Leaf]:
        """The variables after the loop."""
        return [
            Leaf(
                name,
                leaf.type,
                root=None if root is None else Root(fresh=root.reused or name in self.own),
            )
            for name, leaf, root in zip(self.names, self.start, self.roots, strict=True)
        ]


def loop(emitter: PythonEmitter, term: Prim, at: PythonFrame, wish: str) -> Recursive[Value]:
    """A loop; of no rounds, what it starts from."""
    if at.depth >= DEEPEST:
        outside: Value = yield outlined(emitter, term, at, wish)
        return outside
    args: list[Value] = []
    for arg in term.args:
        args.append((yield emitter.value(arg, at)))
    types = LoopTerm(term).types
    for kind in (types.xs, term.type):
        if is_broad(kind):
            raise MissingRule(f"the Python backend writes no loop over so broad a type: {kind!r}")
    made = EmittedLoop(term, types, args[0], args[-1])
    result: Value = yield _written(emitter, made, args[1] if len(args) == 3 else None, at, wish)
    return result


def _written(
    emitter: PythonEmitter, loop: EmittedLoop, init: Value | None, at: PythonFrame, wish: str
) -> Recursive[Value]:
    start: list[Leaf] = []
    if init is not None:
        start = yield flattened(emitter, init, init.type, at)
    rows = RowsOver(emitter, loop, at)
    leaves: list[Leaf] = yield flattened(emitter, loop.xs, loop.xs.type, at)
    rows.over(loop.xs, leaves)
    stack = loop.types.stack
    kinds = [] if stack is None else leaves_of(stack)
    outs = [Out(kind, loop, at, wish) for kind in kinds]
    carried = Carried(loop, start, at)
    done: Round | None = None
    if loop.types.length:
        done = yield _round(emitter, loop, init, carried, rows, at, wish)
    if done is not None:
        for out, leaf in zip(outs, done.kept, strict=True):
            out.keep(done.body, leaf, rows)
        carried.finish(done)
        at.body += [*carried.before, *(out.before for out in outs)]
        at.body.append(rows.header(done.body))
    else:
        at.body += [out.before for out in outs]
    kept = [out.result(at) for out in outs]
    last: Value | None = None
    if init is not None:
        last = nested(iter(carried.results() if done is not None else start), init.type)
    rows_of = None if stack is None else nested(iter(kept), stack)
    whole: Value = loop.types.joined(last, rows_of, lambda x, y: bundle((x, y), loop.term.type))
    return whole


def _round(
    emitter: PythonEmitter,
    loop: EmittedLoop,
    init: Value | None,
    carried: Carried,
    rows: RowsOver,
    at: PythonFrame,
    wish: str,
) -> Recursive[Round]:
    types = loop.types
    with at.block() as body:
        argument = rows.row()
        if init is not None:
            # A carried buffer stays its own: nothing is shared.
            carry = nested(iter(carried.leaves()), init.type)
            argument = Bundle((carry, argument), types.function.dom)
        result: Value
        if isinstance(loop.function, CapturedLam) and loop.is_inlined(emitter):
            result = yield emitter.inlined(loop.function, argument, at, wish, last=True)
        else:
            result = yield called(emitter, loop.function, argument, at, wish)
        cod = types.function.cod
        halves = types.halves(
            result, lambda whole, i: emitter.component(whole, i, component_type(cod, i))
        )
        leaves: list[list[Leaf]] = []
        for half, obj in zip(halves, (types.carry, types.item), strict=True):
            found: list[Leaf] = []
            if obj is not None:
                found = yield flattened(emitter, half, obj, at)
            leaves.append(found)
    return Round(body, *leaves)
