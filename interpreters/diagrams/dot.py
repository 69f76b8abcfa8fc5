"""A diagram in DOT, Graphviz's language: for whoever wants it laid out or styled otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count

from combinators.kit.text import cut
from interpreters.diagrams.strings import LONGEST, Box, Diagram, Wire

SHAPES = {"copy": "triangle", "split": "point", "pair": "point", "const": "cds", "eval": "larrow"}
INSIDE = {"curry": "λ", "cond": "if"}


def dot(diagram: Diagram) -> str:
    """A graph: boxes are nodes, wires are edges, a diagram in a box is a cluster."""
    writer = _Writer()
    lines = [
        line for page in (diagram, *diagram.definitions.values()) for line in writer.whole(page)
    ]
    head = "rankdir=LR; node [shape=box, fontname=monospace];"
    return "\n".join(["digraph {", f"  {head}", *(f"  {line}" for line in lines), "}", ""])


class _Writer:
    """Writes diagrams in diagrams. They are few: what is longer than a page is in parts."""

    def __init__(self) -> None:
        self.numbers = count()
        self.node: dict[int, str] = {}
        """Where each wire comes from."""

    def whole(self, page: Diagram) -> Iterator[str]:
        """A diagram, and the ends of its results."""
        yield from self.cluster(page, page.name)
        for wire in page.outputs:
            yield self.edge(wire, end := self.fresh())
            yield f"{end} {_look('plaintext', cut(repr(wire.obj), LONGEST))};"

    def cluster(self, page: Diagram, label: str) -> Iterator[str]:
        """A diagram between its borders."""
        yield f"subgraph cluster_{next(self.numbers)} {{"
        yield f"  label={json.dumps(label, ensure_ascii=False)};"
        for wire in page.inputs:
            self.node[id(wire)] = node = self.fresh()
            yield f"  {node} {_look('plaintext', wire.label)};"
        for box in page.boxes:
            yield from (f"  {line}" for line in self.box(box))
        yield "}"

    def box(self, box: Box) -> Iterator[str]:
        """A node; of a box with diagrams inside, one to which their results lead."""
        node = self.fresh()
        shape = "point" if box.inner else SHAPES.get(box.kind, "box")
        yield f"{node} {_look(shape, box.label)};"
        inputs = box.inputs
        if box.kind == "cond" and box.inner:
            yield self.edge(inputs[0], node)
            inputs = inputs[1:]
        for inner in box.inner:
            yield from self.cluster(inner, inner.name or box.label or INSIDE.get(box.kind, ""))
            for outside, inside in zip(inputs, inner.inputs, strict=False):
                yield self.edge(outside, self.node[id(inside)])
            for wire in inner.outputs:
                yield self.edge(wire, node)
        for wire in () if box.inner else inputs:
            yield self.edge(wire, node)
        for wire in box.outputs:
            self.node[id(wire)] = node
        if box.feedback is not None:
            into = box.inner[0].inputs[box.feedback]
            yield self.edge(box.outputs[0], self.node[id(into)])

    def edge(self, wire: Wire, end: str) -> str:
        """A wire; that of a cotangent is dashed."""
        style = " [style=dashed]" if wire.is_cotangent else ""
        return f"{self.node[id(wire)]} -> {end}{style};"

    def fresh(self) -> str:
        """The name of a node."""
        return f"n{next(self.numbers)}"


def _look(shape: str, label: str) -> str:
    return f"[shape={shape}, label={json.dumps(label, ensure_ascii=False)}]"
