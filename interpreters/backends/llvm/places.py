"""What stands in memory, and where: asked from the results back to what they are made of.

Of ``concatenate [sum x, tanh x * 2]`` as a result, the product goes straight into its window of the
result, and ``tanh x`` is nowhere: it is computed where it is used. In memory are results, what
loops carry and keep, the operands of matrix products and of running sums, and what ``stored`` names
besides.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise
from math import prod

import numpy as np

from interpreters.backends.llvm.graph import (
    FunctionGraph,
    LoopNode,
    Node,
    NodeBlock,
    Window,
    bodies,
)
from interpreters.backends.llvm.indices import Index, Position, Storage, Strided, axes, variable_

GIVEN = frozenset({"param", "constant", "carry", "field"})
"""What is in memory before anything is computed, or in a record."""
RUNNING = frozenset({"cumsum", "exclusive_cumprod", "recurrence"})
MADE = RUNNING | {"matmul", "assembly", "out", "put", "reduce", "record"}
"""What is always made in memory, where it is an array."""


class Memory:
    """The places of a function's arrays."""

    def __init__(self, function: FunctionGraph, stored: Collection[Node] = ()) -> None:
        """``stored`` are to be in memory besides."""
        self.function, self.stored = function, stored
        self.homes: dict[Node, Strided] = {}
        """Where an array is read."""
        self.places: dict[Node, list[Strided]] = {}
        """Where it is to be written; what is made in memory has its home first."""
        self.wholes: dict[Strided, Node] = {}
        """The assembly of which a place is a window."""
        self.filled: set[Node] = set()
        """The assemblies that have zeros between their pieces, or pieces that meet."""
        self.next: dict[Node, Strided] = {}
        """Where the new value of a carry is written, while the old one is read."""
        self.constants: list[Node] = []
        for node in function.params:
            if node.shape:
                self.homes[node] = _storage("param", node, node.par)
        for number, node in enumerate(function.outputs):
            if node.shape:
                self._put(node, _storage("result", node, number))
        self._block(function.block)

    def _put(self, node: Node, place: Strided) -> None:
        self.places.setdefault(node, []).append(place)

    def home(self, node: Node) -> Strided | None:
        """Where an array lies; None of what is computed where it is used."""
        found = self.homes.get(node)
        if found is None and node.op == "constant":
            found = self.homes[node] = _storage("constant", node, len(self.constants))
            self.constants.append(node)
        if found is None and node.op in ("view", "reshape") and node.args[0].shape:
            inner = self.home(node.args[0])
            if inner is not None and node.op == "view":
                found = inner.view(node.par, node.shape)
            elif inner is not None:
                found = inner.reshaped(node.shape)
        return found

    def own(self, node: Node) -> Strided:
        """The home of what is to be in memory: the first of its places, or one of its own."""
        if node.op in GIVEN:
            found = self.home(node)
            assert found is not None
            return found
        if node not in self.homes:
            if node not in self.places:
                self._put(node, _storage("work", node))
            self.homes[node] = self.places[node][0]
        return self.homes[node]

    def source(self, node: Node) -> Strided:
        """The elements of what is reshaped, where they lie."""
        inner = self.home(node.args[0])
        found = inner and inner.reshaped(node.shape)
        assert found is not None
        return found

    def copies(self, node: Node) -> list[Strided]:
        """The places that an array in memory is copied to."""
        places = self.places.get(node, [])
        home = self.source(node) if node.op == "reshape" else self.homes.get(node)
        return [place for place in places if home is None or not is_same(place, home)]

    # ---- requests, from the last node of a block to the first

    def _block(self, block: NodeBlock) -> None:
        for node in block.nodes:
            if node.op == "field" and node.shape:
                self.homes[node] = _storage("field", node)
        for node in reversed(block.nodes):
            if node.shape and (node.op in MADE or node in self.stored or node in self.places):
                self.own(node)
            match node.op:
                case "matmul" | "cumsum" | "exclusive_cumprod" | "recurrence":
                    for arg in node.args:
                        self._need(arg)
                case "take":
                    self._need(node.args[0])
                case "reshape":
                    self._reshape(node)
                case "assembly":
                    self._assembly(node)
                case "loop":
                    self._loop(node)
                case "call" | "record":
                    outs = node.par.outs.values() if node.op == "call" else ()
                    for x in (*node.args, *outs):
                        if x.shape and x.op != "param":
                            self._apart(x)
                case "choice":
                    for number, out in node.par.outs.items():
                        if out.shape:
                            for inner in bodies(node):
                                self._put(inner.outputs[number], self.own(out))
                    for inner in bodies(node):
                        self._block(inner)
                case _:
                    pass

    def _need(self, node: Node) -> None:
        """Have an array in memory: a view of one that is, or will be, is."""
        inner = node
        while inner.op == "view" and inner.args[0].shape:
            inner = inner.args[0]
        if inner is not node and inner.op not in GIVEN | MADE and inner.size > 2 * node.size:
            inner = node
        if inner.op != "reshape":
            self.own(inner)

    def _reshape(self, node: Node) -> None:
        """What is reshaped across axes lies in one piece."""
        (x,) = node.args
        place = self.places.get(node)
        back = place[0].reshaped(x.shape) if place else None
        is_free = x.op not in GIVEN and x.block is node.block and x not in self.places
        if place and back is not None and is_free:
            self._put(x, back)
            if place[0] in self.wholes:
                self.wholes[back] = self.wholes[place[0]]
            self.own(x)
            return
        if x.op in GIVEN:
            inner = self.home(x)
            if inner is not None and inner.reshaped(node.shape) is not None:
                return
        self._apart(x)

    def _apart(self, node: Node) -> None:
        """Have an array in one piece that is its own."""
        self.places.setdefault(node, []).insert(0, _storage("work", node))
        self.homes[node] = self.places[node][0]

    def _assembly(self, node: Node) -> None:
        """Pieces of this block that lie apart go straight to their windows."""
        home, apart = self.own(node), are_apart(node)
        if not apart or sum(piece.size for piece in node.args) < node.size:
            self.filled.add(node)
        for piece, window in zip(node.args, node.par, strict=True):
            if apart and piece.block is node.block and piece.shape:
                place = windowed(home, window, piece.shape)
                self.wholes[place] = node
                self._put(piece, place)

    def _loop(self, node: Node) -> None:
        loop: LoopNode = node.par
        inside = set(loop.body.nodes)
        for number, carry in enumerate(loop.carries):
            if not carry.shape or carry not in inside:
                continue
            self.homes[carry] = _storage("work", carry)
            self._put(node.args[number], self.homes[carry])
            if loop.body.outputs[number] is not carry:
                self.next[carry] = _storage("work", carry)
                self._put(loop.body.outputs[number], self.next[carry])
            if number in loop.outs:
                self.homes[loop.outs[number]] = self.homes[carry]
        for number, out in loop.outs.items():
            if number >= len(loop.carries):
                inner = loop.body.outputs[number]
                index = (variable_(loop.variable), *axes(len(inner.shape)))
                row = self.own(out).view(index, inner.shape)
                if inner.shape:
                    self._put(inner, row)
        self._block(loop.body)


def _storage(kind: str, node: Node, number: int = 0) -> Strided:
    """A storage of the size of an array, and the array."""
    size = node.size * np.dtype(node.dtype).itemsize
    return Strided.whole(Storage(kind, size, node.dtype, number), node.shape, node.dtype)


def is_same(a: Strided, b: Strided) -> bool:
    """Whether two arrays have their elements in the same places."""
    strides = zip(a.shape, a.strides, b.strides, strict=True)
    same = all(n == 1 or p == q for n, p, q in strides)
    return same and a.storage is b.storage and a.offset == b.offset


def windowed(home: Strided, window: Window, shape: tuple[int, ...]) -> Strided:
    """The window of an array."""
    index: Index = tuple(
        Position(start, ((axis, step),) if n > 1 else ())
        for axis, (start, step, n) in enumerate(zip(*window, shape, strict=True))
    )
    return home.view(index, shape)


def are_apart(node: Node) -> bool:
    """Whether the pieces of an assembly do not meet; of many, whether they follow each other."""
    boxes = [
        tuple(range(s, s + t * n, t) for s, t, n in zip(*window, piece.shape, strict=True))
        for piece, window in zip(node.args, node.par, strict=True)
    ]
    if sum(prod(map(len, box)) for box in boxes) > node.size:
        return False
    if any(_follow([box[axis] for box in boxes]) for axis in range(len(node.shape))):
        return True
    if len(boxes) > _MANY:
        return False
    pairs = [(a, b) for number, a in enumerate(boxes) for b in boxes[:number]]
    return all(any(map(_miss, a, b)) for a, b in pairs)


_MANY = 64


def _ends(steps: range) -> tuple[int, int]:
    return min(steps[0], steps[-1]), max(steps[0], steps[-1])


def _follow(ranges: list[range]) -> bool:
    """Whether ranges lie one behind the other."""
    return all(a[1] < b[0] for a, b in pairwise(sorted(map(_ends, ranges))))


def _miss(a: range, b: range) -> bool:
    """Whether two ranges have nothing in common."""
    (first, last), (low, high) = _ends(a), _ends(b)
    if last < low or high < first:
        return True
    return abs(a.step) == abs(b.step) and (a[0] - b[0]) % abs(a.step) != 0
