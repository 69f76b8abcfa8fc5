"""Computational graphs: Figures 1 and 2, and the three algorithms of section 2.

    z₁ … zₖ → w   a hyperedge, labelled f:  w = f(z₁ … zₖ)

A node is a variable, and a hyperedge is the line that computes it. An arrow of the category draws:
over the carrier of nodes, ``PlainFunctions`` gives for a program the hypergraph of its operations.
Functions and loops are unrolled; a branch on a number has no graph. Forward mode and
backpropagation yield the memory after each step: it is one, and the next step changes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from combinators.block import Block
from combinators.errors import NotDifferentiable
from combinators.kit.text import Names
from combinators.literal import Literal
from combinators.objects import Object
from combinators.operation import Operation
from combinators.terms import Const, Lam, Prim, Term, Var, let, pack, prim
from papers.comparison import Outcome, Point, flat
from papers.plain_functions import ADD, Numbers, Partial, evaluated, partials, plus, zero_of

Memory = dict[str, tuple[Any, Any]]
"""``x := (s, t)``: a primal with its tangent (2.1), or its cotangent (2.2)."""
Hyperedge = tuple[Var, Term]
"""``z₁ … zₖ → w``, drawn as a triangle: w, and f of the zᵢ; a number has no sources."""


@dataclass(frozen=True)
class Graph:
    """A hypergraph with inputs and outputs; a hyperedge stands after those it needs."""

    inputs: tuple[Var, ...]
    hyperedges: tuple[Hyperedge, ...]
    outputs: tuple[Var, ...]

    def __len__(self) -> int:
        """``|G|``."""
        return len(self.hyperedges)

    def term(self) -> Lam:
        """A line a hyperedge."""
        return Lam(self.inputs, let(self.hyperedges, pack(self.outputs)))


def value(t: Term, s: Point, over: Numbers) -> Any:
    """``f(s)``."""
    if isinstance(t, Const):
        return over.const(t.literal)
    assert isinstance(t, Prim)
    return over.operation(t.operation, [z.type for z in t.args], t.type)(*s)


def slopes(t: Term, over: Numbers, *, backwards: bool = True) -> list[tuple[int, Partial]]:
    """``∂ᵢf``, of each source that moves the target."""
    if not isinstance(t, Prim):
        return []
    return partials(t.operation, [z.type for z in t.args], t.type, over, backwards=backwards)


class Drawing(Block):
    """The carrier of nodes: what computes a number draws a hyperedge."""

    def __init__(self, prefix: str, *hyperedges: Hyperedge) -> None:
        """Nodes ``z1``, ``z2`` and so on."""
        super().__init__(names=Names([prefix]))
        self.prefix, self.lines = prefix, [*hyperedges]

    def const(self, literal: Literal) -> Var:
        """A hyperedge without sources."""
        return self.bind(Const(literal), self.prefix)

    def operation(self, operation: Operation, types: Sequence[Object], cod: Object) -> Any:
        """A hyperedge."""
        return lambda *nodes: self.bind(prim(cod, operation, None, *nodes), self.prefix)

    def add(self, x: Var, y: Var) -> Var:
        """A hyperedge."""
        return self.bind(Prim(ADD, (x, y)), self.prefix)

    def truth(self, number: Var) -> bool:
        """No node is true."""
        raise NotDifferentiable(
            "a graph (002, section 2) has no branches: write np.where, or take another system"
        )

    def written(self, node: Any) -> Any:
        """A node as a term: what is drawn, written out."""
        made = next((t for target, t in self.lines if target is node), node)
        if not isinstance(made, Prim):
            return made
        return prim(made.type, made.operation, None, *map(self.written, made.args))


def graph_of(lam: Lam) -> Graph:
    """The graph of a program from numbers to a number (Fig. 1)."""
    drawing = Drawing("z")
    y = evaluated(lam, drawing)(*lam.params)
    return Graph(lam.params, tuple(drawing.lines), (y,))


def forward(graph: Graph, x: Point, dx: Point | None, over: Numbers) -> Iterator[Memory]:
    """2.1: dual numbers. The output's assignment is ``y := (⟦G⟧(x), D⟦G⟧(x)·dx)``.

    A step assigns ``w := (f(s), Σᵢ ∂ᵢf(s)·tᵢ)``; in 2.2, where there is no dx, ``w := (f(s), 0)``.
    """
    tangents = dx or [over.const(zero_of(z.type)) for z in graph.inputs]
    given = zip(graph.inputs, x, tangents, strict=True)
    memory: Memory = {z.name: (s, t) for z, s, t in given}
    yield memory
    for target, f in graph.hyperedges:
        s = tuple(memory[z.name][0] for z in f.below())
        w, t = value(f, s, over), over.const(zero_of(f.type))
        for i, slope in slopes(f, over, backwards=False) if dx else ():
            t = plus(over, f.type, t, slope(memory[f.below()[i].name][1], s, w))
        memory[target.name] = (w, t)
        yield memory


class State(NamedTuple):
    """The memory of backpropagation, and which hyperedges are marked."""

    memory: Memory
    marked: range = range(0)


def backprop(graph: Graph, x: Point, alpha: Any, over: Numbers) -> Iterator[State]:
    """2.2: every memory, from the first assignment to the gradient at the inputs.

    Backwards, an unmarked hyperedge is taken such that all that have its target among their sources
    are marked, as the last one is; it assigns ``zᵢ := (sᵢ, βᵢ + ∂ᵢf(s)·α)`` and is marked.
    """
    for memory in forward(graph, x, None, over):
        yield State(memory)
    (y,) = graph.outputs
    memory[y.name] = (memory[y.name][0], alpha)
    yield State(memory)
    for last in reversed(range(len(graph))):
        target, f = graph.hyperedges[last]
        (u, alpha), s = memory[target.name], tuple(memory[z.name][0] for z in f.below())
        for i, slope in slopes(f, over):
            z = f.below()[i]
            beta = memory[z.name][1]
            memory[z.name] = (s[i], plus(over, z.type, beta, slope(alpha, s, u)))
        yield State(memory, range(last, len(graph)))


def bp(graph: Graph, a: str = "a") -> Graph:
    """2.3, Fig. 2: the graph of the gradient, with n + 1 inputs and 1 + n outputs.

    A copy of G, and the backward phase drawn as hyperedges. ``|bp(G)| = O(|G|)``.
    """
    (y,) = graph.outputs
    seed, drawing = Var(a, y.type), Drawing("d", *graph.hyperedges)
    cotangents: dict[str, Var] = {y.name: seed}
    for target, f in reversed(graph.hyperedges):
        alpha = cotangents.get(target.name)
        for i, slope in slopes(f, drawing) if alpha is not None else ():
            z = f.below()[i]
            more, beta = slope(alpha, f.below(), target), cotangents.get(z.name)
            cotangents[z.name] = plus(drawing, z.type, beta, more) if beta else more
    found = [cotangents.get(z.name) or drawing.const(zero_of(z.type)) for z in graph.inputs]
    return Graph((*graph.inputs, seed), tuple(drawing.lines), (y, *found))


def gradient(lam: Lam, point: Point, covector: Any, over: Numbers) -> Outcome:
    """By backpropagation; its visits are hyperedges marked."""
    graph = graph_of(lam)
    *_, (memory, marked) = backprop(graph, point, covector, over)
    found = {x.name: memory[x.name][1] for x in graph.inputs}
    return Outcome(memory[graph.outputs[0].name][0], flat(lam, point, found), len(marked))
