"""Computational graphs: Figures 1 and 2, and the three algorithms of section 2.

    z₁ … zₖ → w   a hyperedge, labelled f:  w = f(z₁ … zₖ)

A node is a variable, and a hyperedge is the line that computes it. An arrow of the category draws:
over the carrier of nodes, ``PlainFunctions`` gives for a program the hypergraph of its operations.
Functions and loops are unrolled; a branch on a number has no graph. Forward mode and
backpropagation yield the memory after each step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

from combinators.errors import NotDifferentiable
from combinators.literal import Literal
from combinators.objects import Object
from combinators.operation import Operation
from combinators.terms import Const, Lam, Prim, Term, Var, let, pack, prim
from papers.comparison import Outcome, Point, flat
from papers.plain_functions import Numbers, Partial, evaluated, partials, plus, zero_of

Memory = dict[str, tuple[Any, Any]]
"""``x := (s, t)``: a primal with its tangent (2.1), or its cotangent (2.2)."""


@dataclass(frozen=True)
class Hyperedge:
    """``z₁ … zₖ → w``, drawn as a triangle; a number of the program has no sources."""

    target: Var
    term: Prim | Const

    @property
    def sources(self) -> tuple[Any, ...]:
        """``z₁ … zₖ``."""
        return self.term.below()

    def value(self, over: Numbers, s: Point) -> Any:
        """``f(s)``."""
        if isinstance(self.term, Const):
            return over.const(self.term.literal)
        types = [node.type for node in self.sources]
        return over.operation(self.term.operation, types, self.target.type)(*s)

    def slopes(self, over: Numbers, *, backwards: bool = True) -> list[tuple[int, Partial]]:
        """``∂ᵢf``, of each source that moves the target."""
        if isinstance(self.term, Const):
            return []
        types = [node.type for node in self.sources]
        return partials(self.term.operation, types, self.target.type, over, backwards=backwards)


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
        lines = tuple((edge.target, edge.term) for edge in self.hyperedges)
        return Lam(self.inputs, let(lines, pack(self.outputs)))


@dataclass
class Drawing:
    """The carrier of nodes: what computes a number draws a hyperedge."""

    names: Iterator[str]
    hyperedges: list[Hyperedge] = field(default_factory=list)

    def drawn(self, term: Prim | Const) -> Var:
        """A new hyperedge's target."""
        target = Var(next(self.names), term.type)
        self.hyperedges.append(Hyperedge(target, term))
        return target

    def term(self, node: Any) -> Term:
        """A node as a term: what is drawn, written out."""
        made = next((edge.term for edge in self.hyperedges if edge.target is node), node)
        if not isinstance(made, Prim):
            return made
        return prim(made.type, made.operation, None, *map(self.term, made.args))

    def const(self, literal: Literal) -> Var:
        """A hyperedge without sources."""
        return self.drawn(Const(literal))

    def operation(self, operation: Operation, types: Sequence[Object], cod: Object) -> Any:
        """A hyperedge."""
        return lambda *nodes: self.drawn(prim(cod, operation, None, *nodes))

    def truth(self, number: Var) -> bool:
        """No node is true."""
        raise NotDifferentiable(
            "a graph (002, section 2) has no branches: write np.where, or take another system"
        )


def numbered(prefix: str) -> Iterator[str]:
    """``z1``, ``z2`` and so on."""
    return (f"{prefix}{number}" for number in count(1))


def graph_of(lam: Lam) -> Graph:
    """The graph of a program from numbers to a number (Fig. 1)."""
    drawing = Drawing(numbered("z"))
    y = evaluated(lam, drawing)(*lam.params)
    return Graph(lam.params, tuple(drawing.hyperedges), (y,))


def forward(graph: Graph, x: Point, dx: Point, over: Numbers) -> Iterator[Memory]:
    """2.1: dual numbers. The output's assignment is ``y := (⟦G⟧(x), D⟦G⟧(x)·dx)``.

    A step assigns ``w := (f(s), Σᵢ ∂ᵢf(s)·tᵢ)``.
    """
    memory: Memory = {z.name: (s, t) for z, s, t in zip(graph.inputs, x, dx, strict=True)}
    yield dict(memory)
    for edge in graph.hyperedges:
        s = tuple(memory[z.name][0] for z in edge.sources)
        w, obj = edge.value(over, s), edge.target.type
        t = over.const(zero_of(obj))
        for i, slope in edge.slopes(over, backwards=False):
            t = plus(over, obj, t, slope(memory[edge.sources[i].name][1], s, w))
        memory[edge.target.name] = (w, t)
        yield dict(memory)


class State(NamedTuple):
    """The memory of backpropagation, and which hyperedges are marked."""

    memory: Memory
    marked: frozenset[int] = frozenset()


def backprop(graph: Graph, x: Point, alpha: Any, over: Numbers) -> Iterator[State]:
    """2.2: every memory, from the first assignment to the gradient at the inputs.

    Backwards, an unmarked hyperedge is taken such that all that have its target among their sources
    are marked; it assigns ``zᵢ := (sᵢ, βᵢ + ∂ᵢf(s)·α)`` and is marked.
    """
    memory = {
        z.name: (r, over.const(zero_of(z.type))) for z, r in zip(graph.inputs, x, strict=True)
    }
    yield State(dict(memory))
    for edge in graph.hyperedges:
        s = tuple(memory[z.name][0] for z in edge.sources)
        memory[edge.target.name] = (edge.value(over, s), over.const(zero_of(edge.target.type)))
        yield State(dict(memory))
    (y,) = graph.outputs
    memory[y.name] = (memory[y.name][0], alpha)
    marked: frozenset[int] = frozenset()
    yield State(dict(memory), marked)
    while (found := ready(graph, marked)) is not None:
        edge = graph.hyperedges[found]
        u, alpha = memory[edge.target.name]
        s = tuple(memory[z.name][0] for z in edge.sources)
        for i, slope in edge.slopes(over):
            z = edge.sources[i]
            beta = memory[z.name][1]
            memory[z.name] = (s[i], plus(over, z.type, beta, slope(alpha, s, u)))
        marked |= {found}
        yield State(dict(memory), marked)


def ready(graph: Graph, marked: frozenset[int]) -> int | None:
    """An unmarked hyperedge that all that use its target have been marked after."""
    unmarked = [i for i in reversed(range(len(graph))) if i not in marked]
    waiting = {node.name for i in unmarked for node in graph.hyperedges[i].sources}
    return next((i for i in unmarked if graph.hyperedges[i].target.name not in waiting), None)


def bp(graph: Graph, a: str = "a") -> Graph:
    """2.3, Fig. 2: the graph of the gradient, with n + 1 inputs and 1 + n outputs.

    A copy of G, and the backward phase drawn as hyperedges. ``|bp(G)| = O(|G|)``.
    """
    (y,) = graph.outputs
    seed = Var(a, y.type)
    drawing = Drawing(numbered("d"), list(graph.hyperedges))
    cotangents: dict[str, Var] = {y.name: seed}
    for edge in reversed(graph.hyperedges):
        alpha = cotangents.get(edge.target.name)
        for i, slope in edge.slopes(drawing) if alpha is not None else ():
            z = edge.sources[i]
            more, beta = slope(alpha, edge.sources, edge.target), cotangents.get(z.name)
            cotangents[z.name] = plus(drawing, z.type, beta, more) if beta else more
    found = [cotangents.get(z.name) or drawing.const(zero_of(z.type)) for z in graph.inputs]
    return Graph((*graph.inputs, seed), tuple(drawing.hyperedges), (y, *found))


def gradient(lam: Lam, point: Point, covector: Any, over: Numbers) -> Outcome:
    """By backpropagation; its visits are hyperedges marked."""
    graph = graph_of(lam)
    *_, last = backprop(graph, point, covector, over)
    (y,) = graph.outputs
    slopes = [last.memory[x.name][1] for x in graph.inputs]
    return Outcome(last.memory[y.name][0], flat(lam, point, slopes), len(last.marked))
