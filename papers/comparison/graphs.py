"""Computational graphs: Figures 1 and 2, and the three algorithms of section 2.

    z₁ … zₖ → w   a hyperedge, labelled f:  w = f(z₁ … zₖ)

An arrow of the category draws: over the carrier of nodes, ``PlainFunctions`` gives for a program
the hypergraph of its operations. Functions and loops are unrolled; a branch on a number has no
graph. Forward mode and backpropagation yield the memory after each step.

>>> from interpreters.carriers.numpy import NumPy
>>> graph = figure_1()
>>> print(graph)
x1, x2 → y
  z1 := subtract(x1, x2)
  z2 := multiply(z1, z1)
  y := sin(z2)
>>> *_, last = forward(graph, (5.0, 2.0), (1.0, 0.0), NumPy())
>>> {node: (round(float(s), 3), round(float(t), 3)) for node, (s, t) in last.items()}
{'x1': (5.0, 1.0), 'x2': (2.0, 0.0), 'z1': (3.0, 1.0), 'z2': (9.0, 6.0), 'y': (0.412, -5.467)}
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from combinators.errors import NotDifferentiable
from combinators.literal import Literal
from combinators.objects import Object, Real, Tensor
from combinators.operation import Operation, named
from combinators.terms import Const, Lam, Prim, Term, Var, let, pack
from interpreters.carriers.carrier import Carrier
from papers.plain_functions import evaluated, partials, zero_of

Memory = dict[str, tuple[Any, Any]]
"""``x := (s, t)``: a primal with its tangent (2.1), or its cotangent (2.2)."""
Point = tuple[Any, ...]
ADD, MINUS, TIMES, SIN = (Operation(named(name)) for name in ("add", "subtract", "multiply", "sin"))


@dataclass(frozen=True)
class GraphNode:
    """A node, by its name, and the type of its number."""

    name: str
    obj: Object


@dataclass(frozen=True)
class Hyperedge:
    """``z₁ … zₖ → w``, drawn as a triangle; a number of the program has no sources."""

    label: Operation | Literal
    sources: tuple[GraphNode, ...]
    target: GraphNode

    def value(self, over: Carrier) -> Callable[..., Any]:
        """``f``."""
        if isinstance(self.label, Literal):
            number = over.const(self.label)
            return lambda: number
        return over.operation(self.label, self.types, self.target.obj)

    def slopes(self, over: Carrier, *, backwards: bool = True) -> list[tuple[int, Any]]:
        """``∂ᵢf``, of each source that moves the target."""
        if isinstance(self.label, Literal):
            return []
        return partials(self.label, self.types, self.target.obj, over, backwards=backwards)

    def term(self, args: tuple[Var, ...]) -> Term:
        """``f(z₁ … zₖ)``."""
        return Const(self.label) if isinstance(self.label, Literal) else Prim(self.label, args)

    @property
    def types(self) -> tuple[Object, ...]:
        """Those of its sources."""
        return tuple(node.obj for node in self.sources)

    def __str__(self) -> str:
        if isinstance(self.label, Literal):
            return f"{self.target.name} := {self.label.array}"
        names = ", ".join(node.name for node in self.sources)
        return f"{self.target.name} := {self.label!r}({names})"


@dataclass(frozen=True)
class Graph:
    """A hypergraph with inputs and outputs; a hyperedge stands after those it needs."""

    inputs: tuple[GraphNode, ...]
    hyperedges: tuple[Hyperedge, ...]
    outputs: tuple[GraphNode, ...]

    @property
    def nodes(self) -> tuple[GraphNode, ...]:
        """The inputs, and every hyperedge's target."""
        return (*self.inputs, *(edge.target for edge in self.hyperedges))

    def __len__(self) -> int:
        """``|G|``."""
        return len(self.hyperedges)

    def term(self) -> Lam:
        """A line a hyperedge."""
        var = {node.name: Var(node.name, node.obj) for node in self.nodes}
        lines = [
            (var[edge.target.name], edge.term(tuple(var[z.name] for z in edge.sources)))
            for edge in self.hyperedges
        ]
        params = tuple(var[node.name] for node in self.inputs)
        return Lam(params, let(tuple(lines), pack(tuple(var[node.name] for node in self.outputs))))

    def __str__(self) -> str:
        ends = (", ".join(node.name for node in nodes) for nodes in (self.inputs, self.outputs))
        return "\n  ".join([" → ".join(ends), *map(str, self.hyperedges)])


@dataclass
class Drawing:
    """The carrier of nodes: what computes a number draws a hyperedge."""

    names: Iterator[str]
    hyperedges: list[Hyperedge] = field(default_factory=list)

    def drawn(
        self, label: Operation | Literal, sources: tuple[GraphNode, ...], cod: Object
    ) -> GraphNode:
        """A new hyperedge's target."""
        target = GraphNode(next(self.names), cod)
        self.hyperedges.append(Hyperedge(label, sources, target))
        return target

    def const(self, literal: Literal) -> GraphNode:
        """A hyperedge without sources."""
        return self.drawn(literal, (), literal.type)

    def operation(self, operation: Operation, types: Sequence[Object], cod: Object) -> Any:
        """A hyperedge."""
        return lambda *nodes: self.drawn(operation, nodes, cod)

    def applied(self, name: str, *nodes: GraphNode, **parameters: Any) -> GraphNode:
        """A primitive of nodes, by its name."""
        operation = Operation(named(name), tuple(parameters.items()))
        return self.drawn(operation, nodes, operation.type(*(node.obj for node in nodes)))

    def add(self, x: GraphNode, y: GraphNode) -> GraphNode:
        """A sum."""
        return self.applied("add", x, y)

    def truth(self, number: GraphNode) -> bool:
        """No node is true."""
        raise NotDifferentiable(
            "a graph (002, section 2) has no branches: write np.where, or take another system"
        )

    def row(self, stack: GraphNode, index: int) -> GraphNode:
        """A slice."""
        assert isinstance(stack.obj, Tensor)
        shape = stack.obj.shape
        rest = (0,) * (len(shape) - 1)
        window = {"start": (index, *rest), "step": (1,) * len(shape), "extent": (1, *shape[1:])}
        return self.applied("reshape", self.applied("slice", stack, **window), shape=shape[1:])

    def stack(self, rows: Sequence[GraphNode], obj: Tensor) -> GraphNode:
        """The rows one after the other."""
        if not rows:
            return self.const(Literal(np.zeros(obj.shape, obj.dtype)))
        flat = [self.applied("reshape", row, shape=(1, *obj.shape[1:])) for row in rows]
        return self.applied("concatenate", *flat, axis=0)

    def lift(self, value: Any, obj: Tensor) -> GraphNode:
        """A number of the program."""
        return self.const(Literal(value, obj.dtype))

    def lower(self, number: GraphNode) -> Any:
        """The node."""
        return number


def numbered(prefix: str) -> Iterator[str]:
    """``z1``, ``z2`` and so on."""
    return (f"{prefix}{number}" for number in count(1))


def graph_of(lam: Lam) -> Graph:
    """The graph of a program between numbers and tuples of them (Fig. 1)."""
    drawing = Drawing(numbered("z"))
    inputs = tuple(GraphNode(param.name, param.type) for param in lam.params)
    outputs = evaluated(lam, drawing)(*inputs)
    found = outputs if isinstance(outputs, tuple) else (outputs,)
    return Graph(inputs, tuple(drawing.hyperedges), found)


def figure_1() -> Graph:
    """``let z₁ = x₁ - x₂ in let z₂ = z₁ · z₁ in sin z₂``."""
    x1, x2, z1, z2, y = (GraphNode(name, Real) for name in ("x1", "x2", "z1", "z2", "y"))
    edges = Hyperedge(MINUS, (x1, x2), z1), Hyperedge(TIMES, (z1, z1), z2), Hyperedge(SIN, (z2,), y)
    return Graph((x1, x2), edges, (y,))


def forward(graph: Graph, x: Point, dx: Point, over: Carrier) -> Iterator[Memory]:
    """2.1: dual numbers. The output's assignment is ``y := (⟦G⟧(x), D⟦G⟧(x)·dx)``.

    A step assigns ``w := (f(s), Σᵢ ∂ᵢf(s)·tᵢ)``.
    """
    pairs = zip(x, dx, strict=True)
    memory: Memory = {node.name: pair for node, pair in zip(graph.inputs, pairs, strict=True)}
    yield dict(memory)
    for edge in graph.hyperedges:
        s = tuple(memory[z.name][0] for z in edge.sources)
        w = edge.value(over)(*s)
        t = over.const(zero_of(edge.target.obj))
        for i, slope in edge.slopes(over, backwards=False):
            t = over.add(t, slope(memory[edge.sources[i].name][1], s, w))
        memory[edge.target.name] = (w, t)
        yield dict(memory)


@dataclass(frozen=True)
class State:
    """The memory of backpropagation, and which hyperedges are marked."""

    memory: Memory
    marked: frozenset[int]


def backprop(graph: Graph, x: Point, dy: Point, over: Carrier) -> Iterator[State]:
    """2.2: every memory, from the first assignment to the gradient at the inputs.

    Backwards, an unmarked hyperedge is taken such that all that have its target among their sources
    are marked; it assigns ``zᵢ := (sᵢ, βᵢ + ∂ᵢf(s)·α)`` and is marked.
    """
    zero = {node.name: over.const(zero_of(node.obj)) for node in graph.nodes}
    memory = {node.name: (r, zero[node.name]) for node, r in zip(graph.inputs, x, strict=True)}
    yield State(dict(memory), frozenset())
    for edge in graph.hyperedges:
        w = edge.value(over)(*(memory[z.name][0] for z in edge.sources))
        memory[edge.target.name] = (w, zero[edge.target.name])
        yield State(dict(memory), frozenset())
    for y, alpha in zip(graph.outputs, dy, strict=True):
        memory[y.name] = (memory[y.name][0], over.add(memory[y.name][1], alpha))
    marked: frozenset[int] = frozenset()
    yield State(dict(memory), marked)
    while (found := ready(graph, marked)) is not None:
        edge = graph.hyperedges[found]
        u, alpha = memory[edge.target.name]
        s = tuple(memory[z.name][0] for z in edge.sources)
        for i, slope in edge.slopes(over):
            r, beta = memory[edge.sources[i].name]
            memory[edge.sources[i].name] = (r, over.add(beta, slope(alpha, s, u)))
        marked |= {found}
        yield State(dict(memory), marked)


def ready(graph: Graph, marked: frozenset[int]) -> int | None:
    """An unmarked hyperedge that all that use its target have been marked after."""
    waiting = {
        node.name
        for i, edge in enumerate(graph.hyperedges)
        if i not in marked
        for node in edge.sources
    }
    unmarked = (i for i in reversed(range(len(graph))) if i not in marked)
    return next((i for i in unmarked if graph.hyperedges[i].target.name not in waiting), None)


def bp(graph: Graph, a: str = "a") -> Graph:
    """2.3, Fig. 2: the graph of the gradient, with n + 1 inputs and 1 + n outputs.

    A copy of G, and the backward phase drawn as hyperedges. ``|bp(G)| = O(|G|)``.
    """
    (y,) = graph.outputs
    seed = GraphNode(a, y.obj)
    drawing = Drawing(numbered("d"), list(graph.hyperedges))
    cotangents: dict[str, GraphNode] = {y.name: seed}
    for edge in reversed(graph.hyperedges):
        alpha = cotangents.get(edge.target.name)
        for i, slope in edge.slopes(drawing) if alpha is not None else ():
            z = edge.sources[i].name
            more = slope(alpha, edge.sources, edge.target)
            cotangents[z] = drawing.add(cotangents[z], more) if z in cotangents else more
    found = (cotangents.get(node.name) or drawing.const(zero_of(node.obj)) for node in graph.inputs)
    outputs = (y, *found)
    return Graph((*graph.inputs, seed), tuple(drawing.hyperedges), outputs)


def evaluation(graph: Graph, x: Point, over: Carrier) -> Any:
    """Forward evaluation: the numbers at the outputs."""
    return evaluated(graph.term(), over)(*x)
