"""Long diagrams in parts, each drawn by itself: what a page can hold is what a person can read.

A function whose body is long is a box of its name, and its body stands beside the diagram; a row of
boxes that no function divides is cut into parts of equal length.

    50,000 boxes    part ─ part 1 ─ part 2 …, each of them again parts, of at most MOST boxes
"""

from __future__ import annotations

from combinators.kit.text import Names
from interpreters.diagrams.strings import Box, Diagram, Wire

MOST = 40
"""The boxes of a page, with those inside its boxes."""


def in_parts(whole: Diagram) -> None:
    """Cut what is too long, and add its parts to the definitions."""
    names = Names(whole.definitions)
    sizes: dict[int, int] = {}
    for root in (whole, *list(whole.definitions.values())):
        for page in reversed(list(root.within())):
            while len(page.boxes) > MOST:
                _cut(page, whole.definitions, names)
            size = 0
            for box in page.boxes:
                inside = sum(sizes.get(id(inner), 0) for inner in box.inner)
                if inside > MOST:
                    _fold(box, whole.definitions, names)
                    inside = 0
                size += 1 + inside
            sizes[id(page)] = size


def _fold(box: Box, definitions: dict[str, Diagram], names: Names) -> None:
    """Leave the name of a box, and put what is in it beside the diagram."""
    word = box.label or {"cond": "if", "curry": "λ"}.get(box.kind, box.kind)
    for inner in box.inner:
        inner.name = names.fresh(f"{word} {inner.name}".strip() if box.kind == "cond" else word)
        definitions[inner.name] = inner
    box.label, box.inner, box.feedback = " ".join(inner.name for inner in box.inner), (), None
    box.kind = "box"


def _cut(page: Diagram, definitions: dict[str, Diagram], names: Names) -> None:
    """Cut a row of boxes into parts; wires lead from each to those after it."""
    rows = [page.boxes[start : start + MOST] for start in range(0, len(page.boxes), MOST)]
    last: dict[int, int] = {id(wire): len(rows) for wire in page.outputs}
    for number, row in reversed(list(enumerate(rows))):
        for wire in (wire for box in row for wire in box.inputs):
            last.setdefault(id(wire), number)
    outside: dict[int, Wire] = {}
    parts: list[Box] = []
    for number, row in enumerate(rows):
        entering: dict[int, Wire] = {}
        made = {id(wire) for box in row for wire in box.outputs}
        part = Diagram(names.fresh("part"))
        taken: list[Wire] = []
        for box in row:
            for wire in box.inputs:
                if id(wire) not in made and id(wire) not in entering:
                    entering[id(wire)] = _copy(wire)
                    taken.append(outside.get(id(wire), wire))
            box.inputs = [entering.get(id(wire), wire) for wire in box.inputs]
        going = [w for box in row for w in box.outputs if last.get(id(w), -1) > number]
        part.inputs, part.boxes, part.outputs = list(entering.values()), list(row), going
        definitions[part.name] = part
        outside.update((id(wire), _copy(wire)) for wire in going)
        parts.append(Box("call", part.name, taken, [outside[id(wire)] for wire in going]))
    page.boxes = parts
    page.outputs = [outside.get(id(wire), wire) for wire in page.outputs]


def _copy(wire: Wire) -> Wire:
    return Wire(wire.obj, wire.name, is_cotangent=wire.is_cotangent)
