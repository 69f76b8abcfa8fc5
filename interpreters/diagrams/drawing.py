"""A λ as a finished diagram: nothing in it is unused, shared wires are copied, parts fit a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from combinators.kit.recursion import recurse
from combinators.morphisms import interpret
from combinators.terms import Lam
from combinators.translate import translate
from interpreters.diagrams.parts import in_parts
from interpreters.diagrams.strings import Box, Bundle, Diagram, Drawn, Strings, Wire, leaving


def string_diagram(lam: Lam, *, pulls: bool = False) -> Diagram:
    """The string diagram of a closed λ; of a rep-function, one that ``pulls``, with cotangents."""
    definitions: dict[str, Diagram] = {}
    found = Diagram(lam.name, definitions=definitions)
    found.inputs = [Wire(param.type, param.name) for param in lam.params]
    arrow = interpret(translate(lam.params, lam.body), Strings(definitions))
    found.outputs = leaving(found, recurse(_whole(arrow, found)), lam.body.type)
    for page in found.pages():
        drop_unused(page)
    pullback = found.outputs[-1].source
    if pulls and pullback is not None and pullback.inner:
        inner = pullback.inner[0]
        mark(inner, inner.inputs[len(pullback.inputs) :])
    in_parts(found)
    for page in found.pages():
        copy_shared(page)
    return found


def _whole(arrow: Drawn, page: Diagram) -> Any:
    return (yield arrow(page, Bundle(list(page.inputs))))


def drop_unused(page: Diagram) -> None:
    """Leave out boxes from which no wire goes on; all are without effect."""
    used = set(map(id, page.outputs))
    kept: list[Box] = []
    for box in reversed(page.boxes):
        if any(id(wire) in used for wire in box.outputs):
            kept.append(box)
            used.update(map(id, box.inputs))
    page.boxes = kept[::-1]


def mark(page: Diagram, wires: list[Wire]) -> None:
    """Mark cotangents: ``wires``, and all that is computed from them."""
    for wire in wires:
        wire.is_cotangent = True
    for box in page.boxes:
        if any(wire.is_cotangent for wire in box.inputs):
            for wire in box.outputs:
                wire.is_cotangent = True
            for inner in box.inner:
                # The test of a cond goes no further in than its box.
                inputs = box.inputs[1:] if box.kind == "cond" else box.inputs
                pairs = zip(inner.inputs, inputs, strict=False)
                mark(inner, [inside for inside, outside in pairs if outside.is_cotangent])


def copy_shared(page: Diagram) -> None:
    """Put a copy behind each wire that is used more than once."""
    users = [wire for box in page.boxes for wire in box.inputs] + page.outputs
    uses = Counter(map(id, users))
    copies: dict[int, Iterator[Wire]] = {}
    boxes: list[Box] = []

    def copied(wire: Wire) -> None:
        if (times := uses[id(wire)]) > 1:
            outputs = [Wire(wire.obj, is_cotangent=wire.is_cotangent) for _ in range(times)]
            box = Box("copy", "", [wire], outputs)
            for output in outputs:
                output.source = box
            boxes.append(box)
            copies[id(wire)] = iter(outputs)

    def taken(wires: list[Wire]) -> list[Wire]:
        return [next(copies[id(wire)]) if id(wire) in copies else wire for wire in wires]

    for wire in page.inputs:
        copied(wire)
    for box in page.boxes:
        box.inputs = taken(box.inputs)
        boxes.append(box)
        for wire in box.outputs:
            copied(wire)
    page.boxes, page.outputs = boxes, taken(page.outputs)
