"""A loop, what it runs over, and the rows that it gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from combinators.objects import Object, Tensor
from combinators.primitives.loops import LoopType
from combinators.rows import row_of
from combinators.terms import Lam, Prim
from interpreters.backends.python.arrays import dtype_option, shape_text
from interpreters.backends.python.frame import Frame, fresh_leaf, share
from interpreters.backends.python.scalars import PYTHON
from interpreters.backends.python.values import INT64, Known, Leaf, Listed, Value, leaves_of, nested
from interpreters.backends.text.frame import Bundle, Spread
from interpreters.backends.text.layout import Assign, Block, Do, Statement, Text, call

if TYPE_CHECKING:
    from interpreters.backends.python.emitter import Emitter


class EmittedLoop(NamedTuple):
    """A loop, its arguments, and what stands around its body."""

    term: Prim
    types: LoopType
    function: Value
    xs: Value
    length: int

    @property
    def lam(self) -> Lam | None:
        """The function, where it is a known λ."""
        return self.function.function if isinstance(self.function, Known) else None

    def is_inlined(self, emitter: Emitter) -> bool:
        """Whether its body is written into the loop."""
        function = self.term.args[0]
        return isinstance(function, Lam) and emitter.is_once(function)


class Round(NamedTuple):
    """What one round gives."""

    body: list[Statement]
    carry: list[Leaf]
    kept: list[Leaf]


class Rows:
    """What a loop runs over."""

    def __init__(self, emitter: Emitter, loop: EmittedLoop, at: Frame) -> None:
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
            given = self.emitter.opaque(row, target)
            given.bounds, given.tainted = leaf.bounds, leaf.tainted
            made.append(given)
            self.targets.append(target)
            self._over.append(self._iterable(leaf))
        self._row = nested(iter(made), row_of(xs.type))

    def _wishes(self, count: int) -> list[str]:
        lam = self.loop.lam
        wish = lam.params[-1].name if lam is not None else "row"
        return [wish] * count

    def _iterable(self, leaf: Leaf) -> str:
        n, text = self.loop.length, leaf.text
        if leaf.iota:
            return f"range({n - 1}, -1, -1)" if self.loop.types.reverse else f"range({n})"
        if leaf.rows is not None:
            name, backwards = leaf.rows
            return f"reversed({name})" if self.loop.types.reverse != backwards else name
        is_flat = isinstance(leaf.type, Tensor) and len(leaf.type.shape) == 1
        if is_flat and row_of(leaf.type) in PYTHON:
            listed = f"{text}.tolist()"
            return f"reversed({listed})" if self.loop.types.reverse else listed
        return f"{text}[::-1]" if self.loop.types.reverse else text

    def row(self) -> Value:
        """The row of a round."""
        assert self._row is not None
        return self._row

    def header(self, body: list[Statement]) -> Block:
        """The loop."""
        targets, over = list(self.targets), [*self._over]
        if not targets:
            targets, over = ["_"], [f"range({self.loop.length})"]
        text: Text = over[0] if len(over) == 1 else call("zip", *over)
        return Block(f"for {', '.join(targets)} in ", text, "", body)


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

    def __init__(self, obj: Object, loop: EmittedLoop, at: Frame, wish: str) -> None:
        self.obj, self.loop, self.name = obj, loop, at.fresh(f"{wish}s")
        self.before: Statement = Assign((self.name,), "[]")

    def keep(self, body: list[Statement], leaf: Leaf, rows: Rows) -> None:
        """Note the row of a round; a small part of a buffer does not keep the buffer."""
        share(leaf)
        root, size = leaf.root, leaf.type.size if isinstance(leaf.type, Tensor) else 0
        text = f"{leaf.text}.copy()" if root is not None and root.size > 4 * size else leaf.text
        one = f"extend([{text}])" if not body and text in rows.targets else f"append({text})"
        body.append(Do(f"{self.name}.{one}"))

    def result(self, at: Frame, row: Leaf | None) -> Leaf:
        """The stack, after the loop; ``row`` is what a round kept."""
        tainted = row is not None and row.tainted
        rows = Listed(self.name, self.loop.types.reverse)
        listed = f"{self.name}[::-1]" if self.loop.types.reverse else self.name
        if not isinstance(self.obj, Tensor):
            name = at.assign(f"tuple({listed})", self.name)
            return Leaf(name, self.obj, tainted=tainted, rows=rows)
        text: Text = call("np.array", listed, *dtype_option(self.obj.dtype))
        if not self.loop.length:
            text = call("np.empty", shape_text(self.obj.shape), *dtype_option(self.obj.dtype))
        bounds = row.bounds if row is not None else INT64
        leaf = fresh_leaf(at.assign(text, self.name), self.obj, tainted=tainted, bounds=bounds)
        leaf.rows = rows
        return leaf
