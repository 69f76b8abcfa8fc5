"""A program as a graph: arrays and numbers, equal nodes once, as far out as they can stand.

    λ(w, xs). fold (λ(c, x). tanh (w * c + exp w * x)) 0 xs

    main   %0 = param w   %1 = param xs   %2 = exp %0   %7 = loop 0…n   %8 = out %7
    loop   %3 = carry   %4 = view %1 at the round   %5 = multiply %0 %3   …   tanh

Products are gone: a value of a product is a tuple of nodes. What a round computes of nothing that
belongs to it stands outside; what a branch computes stays in it, for it is to be lazy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from interpreters.backends.llvm.indices import (
    ROUNDS,
    ZERO,
    Index,
    Position,
    Shape,
    axes,
    broadcast,
    composed,
    unmerged,
    variable_,
)


@dataclass(eq=False)
class NodeBlock:
    """Where nodes are computed: a function, the body of a loop, or a branch."""

    parent: NodeBlock | None = None
    is_loop: bool = False
    nodes: list[Node] = field(default_factory=list)
    """In order; those that the results need, once ``prune`` has been over the graph."""
    outputs: list[Node] = field(default_factory=list)
    effects: list[Node] = field(default_factory=list)
    """What is run though no result needs it: checks, and what there are such in."""
    depth: int = 0

    def __post_init__(self) -> None:
        self.depth = 0 if self.parent is None else self.parent.depth + 1

    def holds(self, other: NodeBlock) -> bool:
        """Whether ``other`` is this block or one inside it."""
        here: NodeBlock | None = other
        while here is not None and here.depth > self.depth:
            here = here.parent
        return here is self


@dataclass(eq=False, slots=True)
class Node:
    """An array, a number, or what has several results: a loop or a choice."""

    op: str
    args: tuple[Node, ...]
    par: Any
    """What else it depends on: the map of a view, the axes of a sum, a number."""
    shape: Shape
    dtype: str
    block: NodeBlock
    number: int

    @property
    def size(self) -> int:
        """How many elements it has."""
        return prod(self.shape)

    def __repr__(self) -> str:
        return f"%{self.number} = {self.op}{list(self.shape)}"


@dataclass(eq=False)
class LoopNode:
    """``par`` of a loop: its rounds, its body, and what it carries.

    The outputs of the body are the new carries, then what is kept. The starts are ``args``.
    """

    length: int
    reverse: bool
    body: NodeBlock
    variable: int
    """The number of the round."""
    carries: list[Node]
    is_while: bool = False
    """Whether the last output of the body says if there is another round."""
    outs: dict[int, Node] = field(default_factory=dict)
    """What is used of its results."""


@dataclass(eq=False)
class ChoiceNode:
    """``par`` of a choice: two blocks, of which one is run."""

    blocks: tuple[NodeBlock, NodeBlock]
    outs: dict[int, Node] = field(default_factory=dict)


@dataclass(eq=False)
class FunctionGraph:
    """A closed λ of arrays and numbers."""

    block: NodeBlock = field(default_factory=NodeBlock)
    params: list[Node] = field(default_factory=list)

    @property
    def outputs(self) -> list[Node]:
        """The results."""
        return self.block.outputs


class ArrayLiteral:
    """A constant array, equal to others of the same bytes."""

    def __init__(self, value: np.ndarray[Any, Any]) -> None:
        self.value = np.ascontiguousarray(value)
        self.key = (value.dtype.name, value.shape, self.value.tobytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ArrayLiteral) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


Window = tuple[Shape, Shape]
"""Where a piece begins along each axis, and its steps."""


class GraphBuilder:
    """Makes the nodes of a function."""

    def __init__(self) -> None:
        self.function = FunctionGraph()
        self.block = self.function.block
        self._table: dict[tuple[Any, ...], Node] = {}
        self._count = 0
        self._rounds = ROUNDS
        self._bodies: dict[int, NodeBlock] = {}
        self.bands: dict[Node, Any] = {}  # of matrices of diagonals

    def fresh(self, op: str, args: tuple[Node, ...], par: Any, shape: Shape, dtype: str) -> Node:
        """A node that is equal to no other, in the block that is being written."""
        self._count += 1
        return Node(op, args, par, shape, dtype, self.block, self._count)

    def node(self, op: str, args: Sequence[Node], par: Any, shape: Shape, dtype: str) -> Node:
        """The node of these arguments, which may be known."""
        key = (op, par, tuple([arg.number for arg in args]), shape, dtype)
        found = self._table.get(key)
        if found is None or not found.block.holds(self.block):
            found = self.fresh(op, tuple(args), par, shape, dtype)
            found.block = self._outermost(found)
            self._table[key] = found
        return found

    def _outermost(self, node: Node) -> NodeBlock:
        """The outermost block in which all that it is computed from is, but inside its branch."""
        needed = [arg.block for arg in node.args]
        if node.op == "view":
            rounds = {v for position in node.par for v, _ in position.terms if v >= ROUNDS}
            needed += [self._bodies[v] for v in rounds]
        block = self.block
        while block.is_loop and all(other.depth < block.depth for other in needed):
            assert block.parent is not None
            block = block.parent
        return block

    # ---- leaves

    def param(self, shape: Shape, dtype: str) -> Node:
        """The next parameter."""
        made = self.fresh("param", (), len(self.function.params), shape, dtype)
        self.function.params.append(made)
        return made

    def fill(self, value: Any, shape: Shape, dtype: str) -> Node:
        """One number everywhere."""
        number = np.dtype(dtype).type(value).item()
        key = ("fill", repr(number), shape, dtype)
        if key not in self._table:
            made = self._table[key] = self.fresh("fill", (), number, shape, dtype)
            made.block = self.function.block
        return self._table[key]

    def constant(self, array: np.ndarray[Any, Any]) -> Node:
        """A literal array, or number."""
        shape, dtype = array.shape, array.dtype.name
        if array.size == 1 or (array.size and not any(array.strides)):
            return self.fill(array.flat[0], shape, dtype)
        if array.ndim == 1 and dtype == "int64" and np.array_equal(array, np.arange(array.size)):
            return self.node("iota", (), None, shape, dtype)
        found = self.node("constant", (), ArrayLiteral(array), shape, dtype)
        found.block = self.function.block
        return found

    # ---- views

    def view(self, x: Node, index: Index, shape: Shape) -> Node:
        """The array whose element at ``axes(rank)`` is that of ``x`` at ``index``."""
        if 0 in shape or x.op == "fill":
            return self.fill(x.par if x.op == "fill" else 0, shape, x.dtype)
        single = {axis: ZERO for axis, n in enumerate(shape) if n == 1}
        if single:
            index = tuple(position.at(single) for position in index)
        if x.op == "view":
            x, index = x.args[0], composed(x.par, index)
        if shape == x.shape and index == _whole(shape):
            return x
        return self.node("view", (x,), index, shape, x.dtype)

    def reshape(self, x: Node, shape: Shape) -> Node:
        """The same elements in the same order."""
        if 0 in shape:
            return self.fill(0, shape, x.dtype)
        index = unmerged(x.shape, shape)
        if index is not None:
            return self.view(x, index, shape)
        if x.op == "fill":
            return self.fill(x.par, shape, x.dtype)
        if x.op == "reshape":
            return self.reshape(x.args[0], shape)
        return self.node("reshape", (x,), None, shape, x.dtype)

    def broadcast(self, x: Node, shape: Shape) -> Node:
        """Repeated along new axes, and along those of extent 1."""
        return self.view(x, broadcast(_whole(shape), x.shape, shape), shape)

    def transpose(self, x: Node, order: Sequence[int]) -> Node:
        """The axis ``i`` of the result is the axis ``order[i]`` of ``x``."""
        index = [ZERO] * len(order)
        for axis, of in enumerate(order):
            index[of] = variable_(axis)
        return self.view(x, tuple(index), tuple(x.shape[of] for of in order))

    def window(self, x: Node, window: Window, shape: Shape) -> Node:
        """The elements from a start on, in steps."""
        given = enumerate(zip(*window, strict=True))
        index = tuple(variable_(axis).scaled(step, start) for axis, (start, step) in given)
        return self.view(x, index, shape)

    def row(self, x: Node, where: Position) -> Node:
        """A row."""
        rest = x.shape[1:]
        return self.view(x, (where, *_whole(rest)), rest)

    # ---- arrays of other arrays

    def stack(self, rows: Sequence[Node]) -> Node:
        """Arrays of one shape as the rows of one."""
        shape, dtype = (len(rows), *rows[0].shape), rows[0].dtype
        rest = (0,) * len(rows[0].shape)
        steps = (1,) * len(shape)
        pieces = [
            (self.reshape(row, (1, *row.shape)), ((number, *rest), steps))
            for number, row in enumerate(rows)
        ]
        return self.assembly(pieces, shape, dtype)

    def pointwise(self, op: str, args: Sequence[Node], shape: Shape, dtype: str) -> Node:
        """An operation on each element; the arguments broadcast."""
        if 0 in shape:
            return self.fill(0, shape, dtype)
        return self.node(op, [_unrepeated(self, x) for x in args], None, shape, dtype)

    def assembly(self, pieces: Sequence[tuple[Node, Window]], shape: Shape, dtype: str) -> Node:
        """The sum of pieces among zeros."""
        given = [(x, window) for x, window in pieces if x.size and not _is_zero(x)]
        if not given:
            return self.fill(0, shape, dtype)
        if len(given) == 1 and given[0][0].shape == shape and _is_whole(given[0][1]):
            return given[0][0]
        nodes, windows = zip(*given, strict=True)
        return self.node("assembly", nodes, windows, shape, dtype)

    def pieces(self, x: Node) -> list[tuple[Node, Window]]:
        """What it is assembled of; of others, itself."""
        if x.op == "assembly" and len(x.args) <= _MANY:
            return list(zip(x.args, x.par, strict=True))
        return [(x, ((0,) * len(x.shape), (1,) * len(x.shape)))]

    def add(self, x: Node, y: Node) -> Node:
        """The sum of two arrays of one shape; assemblies stay such."""
        if _is_zero(x) or _is_zero(y):
            return y if _is_zero(x) else x
        if x.op == "assembly" or y.op == "assembly":
            return self.assembly([*self.pieces(x), *self.pieces(y)], x.shape, x.dtype)
        return self.pointwise("add", (x, y), x.shape, x.dtype)

    def reduce(self, kind: str, x: Node, over: Shape) -> Node:
        """The sum, product, least or greatest along axes, which are gone."""
        kept = tuple(axis for axis in range(len(x.shape)) if axis not in over)
        shape = tuple(x.shape[axis] for axis in kept)
        if all(x.shape[axis] == 1 for axis in over):
            return self.reshape(x, shape)
        if not x.size:
            return self.fill(1 if kind == "prod" else 0, shape, x.dtype)
        return self.node("reduce", (x,), (kind, over), shape, x.dtype)

    def check(self, fails: Node) -> None:
        """Have the program give up where this holds."""
        made = self.node("check", (fails,), None, (), "bool")
        if not _is_zero(fails) and made not in made.block.effects:
            made.block.effects.append(made)

    # ---- loops

    def body(self) -> tuple[NodeBlock, int]:
        """A new body of a loop, which is written from now on, and its round."""
        self._rounds += 1
        self.block = self._bodies[self._rounds] = NodeBlock(self.block, is_loop=True)
        return self.block, self._rounds


_MANY = 64
"""More pieces of an assembly are not put among those of another."""


def _whole(shape: Shape) -> Index:
    """The map of an array to itself; of an axis of extent 1 there is one element."""
    return tuple(ZERO if n == 1 else i for i, n in zip(axes(len(shape)), shape, strict=True))


def _is_zero(x: Node) -> bool:
    return x.op == "fill" and x.par == 0


def _is_whole(window: Window) -> bool:
    return not any(window[0]) and all(step == 1 for step in window[1])


def _unrepeated(graph: GraphBuilder, x: Node) -> Node:
    """An operand without the axes along which it is the same: the operation broadcasts."""
    if x.op != "view" or not x.shape:
        return graph.fill(x.par, (), x.dtype) if x.op == "fill" and x.shape else x
    used = {v for position in x.par for v, _ in position.terms}
    lead = 0
    while lead < len(x.shape) and lead not in used:
        lead += 1
    if not lead and all(axis in used or n == 1 for axis, n in enumerate(x.shape)):
        return x
    shape = tuple(n if axis in used else 1 for axis, n in enumerate(x.shape))[lead:]
    moved = {axis: variable_(axis - lead) for axis in range(lead, len(x.shape))}
    return graph.view(x.args[0], tuple(position.at(moved) for position in x.par), shape)


def prune(function: FunctionGraph) -> None:
    """Give each block its nodes in order, those that the results need."""
    seen: set[int] = set()
    todo = [*function.outputs, *function.block.effects]
    while todo:
        node = todo.pop()
        if node.number in seen:
            continue
        seen.add(node.number)
        node.block.nodes.append(node)
        todo += needed_by(node)
        todo += (effect for block in bodies(node) for effect in block.effects)
    blocks = [function.block]
    for block in blocks:
        block.nodes.sort(key=lambda node: node.number)
        for node in block.nodes:
            blocks += bodies(node)
            if node.op == "out":
                node.args[0].par.outs[node.par] = node


def needed_by(node: Node) -> Sequence[Node]:
    """What a node is computed from; of a loop, by what is used of it."""
    match node.op:
        case "out":
            (whole,) = node.args
            inside = [block.outputs[node.par] for block in bodies(whole)]
            if whole.op == "loop" and node.par < len(whole.par.carries):
                return [whole, whole.par.carries[node.par], *inside]
            return [whole, *inside]
        case "carry":
            whole, place = node.par
            return [whole, whole.par.body.outputs[place], whole.args[place]]
        case "loop":
            return node.par.body.outputs[-1:] if node.par.is_while else ()
        case _:
            return node.args


def bodies(node: Node) -> Sequence[NodeBlock]:
    """The blocks inside a node."""
    if node.op == "loop":
        return (node.par.body,)
    return node.par.blocks if node.op == "choice" else ()
