"""A diagram as a picture: SVG, which browsers, notebooks and editors show.

Boxes are boxes; a copy is a triangle, a constant a triangle with its number, ``eval`` a half
circle, and where a product is taken apart or made stands a bar. Wires of cotangents are dashed. A
wire shows its type where the pointer rests on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import pairwise

from combinators.kit.text import cut
from combinators.objects import Real
from interpreters.diagrams.layers import (
    BACK,
    LETTER,
    LINE,
    MARGIN,
    Layout,
    Place,
    Point,
    laid_out,
    tops_of,
)
from interpreters.diagrams.strings import LONGEST, Diagram, Wire

STYLE = """
.diagram text { font: 12px ui-monospace, monospace; fill: #222; }
.diagram .box { fill: #fff; stroke: #333; }
.diagram .inner { fill: #f4f6fb; stroke: #8893b5; }
.diagram .dot { fill: #333; stroke: none; }
.diagram .wire { fill: none; stroke: #2a5db0; stroke-width: 1.3; }
.diagram .cotangent { stroke: #c0392b; stroke-dasharray: 4 3; }
.diagram .sheet { fill: #fff; }
"""
_BORDER = 20.0


def svg(diagram: Diagram) -> str:
    """The picture of a diagram, and below it those of the functions that are called in it."""
    drawn: list[str] = []
    y, width = _BORDER, 0.0
    for page in (diagram, *diagram.definitions.values()):
        if page.name:
            drawn.append(_text((_BORDER, y), page.name))
            y += LINE
        layout = laid_out(page)
        drawn += _sheet(layout, _BORDER + MARGIN, y)
        longest = max((len(_type(wire)) for wire in page.outputs), default=0)
        width = max(width, layout.width + LETTER * longest + 2 * (_BORDER + MARGIN))
        y += layout.height + 2 * _BORDER
    size = f'width="{width:.0f}" height="{y:.0f}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="diagram" {size}>',
            f'<style>{STYLE}</style>\n<rect class="sheet" {size}/>',
            *drawn,
            "</svg>\n",
        ]
    )


def _sheet(layout: Layout, x: float, y: float) -> Iterator[str]:
    """A diagram between its borders, with all that is inside its boxes."""
    for place, wire in zip(layout.inputs, layout.diagram.inputs, strict=True):
        level = y + place.y + place.leaves[0]
        yield _wire(wire, [(x - MARGIN, level), (x, level)])
    for place, wire in zip(layout.outputs, layout.diagram.outputs, strict=True):
        right, level = x + place.x, y + place.y + place.enters[0]
        yield _wire(wire, [(right, level), (right + MARGIN, level)])
        yield _text((right + MARGIN + 4, level + 4), _type(wire))
    todo = [(layout, x, y)]
    while todo:
        here, left, top = todo.pop()
        for place in here.boxes:
            corner = left + place.x, top + place.y
            yield from _box(place, *corner)
            for inner, start in zip(place.inside, tops_of(place.inside), strict=False):
                todo.append((inner, corner[0] + MARGIN, corner[1] + start))
        for place, wire in zip(here.inputs, here.diagram.inputs, strict=True):
            level = top + place.y + place.leaves[0]
            if not place.after and here.diagram.name in ("then", "else"):
                continue
            yield _text((left + 4, level - 4), wire.label)
            yield _wire(wire, [(left, level), (left + place.width, level)])
        for wire, way, port in here.ways:
            yield _wire(wire, list(_points(way, port, left, top)))


def _points(way: Sequence[Place], port: int, x: float, y: float) -> Iterator[Point]:
    """The points of a wire: it is level within a layer, and bends between two."""
    for left, right in pairwise(way):
        into = port if right is way[-1] else 0
        edge = next(edge for edge in right.before if edge.here == into and edge.place is left)
        level = y + left.y + left.leaves[edge.there]
        yield x + left.x + left.width, level
        yield x + left.borders[1], level
        level = y + right.y + right.enters[into]
        yield x + right.borders[0], level
        yield x + right.x, level


def _box(place: Place, x: float, y: float) -> Iterator[str]:
    box, w, h = place.box, place.width, place.height
    assert box is not None
    low, middle = y + h, y + h / 2
    match box.kind:
        case _ if place.inside:
            yield _rectangle("inner", x, y, place)
            yield _text((x + 8, y + 13), box.label)
            yield from _within(place, x, y)
        case "copy":
            yield _shape("dot", [(x, middle), (x + w, y), (x + w, low)])
        case "split" | "pair":
            yield _rectangle("dot", x, y, place)
        case "eval":
            arc = f"M {x:.1f} {y:.1f} A {w:.1f} {h / 2:.1f} 0 0 1 {x:.1f} {low:.1f} Z"
            yield f'<path class="box" d="{arc}"/>'
        case "const":
            tip = [(x, middle), (x + 7, y + 3), (x + w, y + 3), (x + w, low - 3), (x + 7, low - 3)]
            yield _shape("box", tip)
            yield _text((x + 9, middle + 4), box.label)
        case _:
            yield _rectangle("box", x, y, place)
            yield _text((x + (w - LETTER * len(box.label)) / 2, middle + 4), box.label)


def _within(place: Place, x: float, y: float) -> Iterator[str]:
    """Wires between the border of a box and its diagrams; what begins or ends inside has a dot."""
    box, right = place.box, x + place.width
    assert box is not None
    names = ("then", "else") if box.kind == "cond" else ("",)
    ports = place.enters[1:] if box.kind == "cond" else place.enters
    for name, layout, start in zip(names, place.inside, tops_of(place.inside), strict=False):
        left, top = x + MARGIN, y + start
        yield _text((left, top - 6), name)
        for index, (end, wire) in enumerate(zip(layout.inputs, layout.diagram.inputs, strict=True)):
            level = top + end.y + end.leaves[0]
            if index < len(ports):
                if end.after or box.kind != "cond":
                    yield _wire(wire, [(x, y + ports[index]), (left, level)])
            else:
                yield _dot(left, level)
        for end, wire in zip(layout.outputs, layout.diagram.outputs, strict=True):
            at = left + end.x, top + end.y + end.enters[0]
            if box.kind == "curry":
                yield _dot(*at)
            else:
                yield _wire(wire, [at, (right, y + place.leaves[0])])
    if box.feedback is not None:
        yield _led_back(place, box.feedback, x, y)


def _led_back(place: Place, which: int, x: float, y: float) -> str:
    """The wire of a carry, or of a recursive function, back into the diagram inside."""
    (layout,), box, right = place.inside, place.box, x + place.width
    assert box is not None
    left, top = x + MARGIN, y + next(tops_of(place.inside))
    back = top + layout.inputs[which].y + layout.inputs[which].leaves[0]
    end = layout.outputs[0]
    recurs = box.kind == "curry"
    out = (right, y + place.leaves[0]) if recurs else (left + end.x, top + end.y + end.enters[0])
    low = y + place.height - BACK / 2
    turn = right - 3 if not recurs else right + 8
    path = (
        f"M {out[0]:.1f} {out[1]:.1f} C {turn:.1f} {out[1]:.1f} {turn:.1f} {low:.1f} "
        f"{out[0] - 6:.1f} {low:.1f} L {left:.1f} {low:.1f} "
        f"C {x:.1f} {low:.1f} {x:.1f} {back:.1f} {left:.1f} {back:.1f}"
    )
    return _path(layout.diagram.inputs[which], path)


def _wire(wire: Wire, points: Sequence[Point]) -> str:
    """A wire through points, level at each of them."""
    (x, y), *rest = points
    path = [f"M {x:.1f} {y:.1f}"]
    for right, level in rest:
        middle = (x + right) / 2
        curve = f"C {middle:.1f} {y:.1f} {middle:.1f} {level:.1f} {right:.1f} {level:.1f}"
        path.append(f"H {right:.1f}" if level == y else curve)
        x, y = right, level
    return _path(wire, " ".join(path))


def _path(wire: Wire, path: str) -> str:
    kind = "wire cotangent" if wire.is_cotangent else "wire"
    title = escape(cut(repr(wire.obj), 80))
    return f'<path class="{kind}" d="{path}"><title>{title}</title></path>'


def _type(wire: Wire) -> str:
    """The type of a result, where it is not Real."""
    return "" if wire.obj is Real else cut(repr(wire.obj), LONGEST)


def _rectangle(kind: str, x: float, y: float, place: Place) -> str:
    size = f'width="{place.width:.1f}" height="{place.height:.1f}"'
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" {size} rx="3"/>'


def _shape(kind: str, points: Iterable[Point]) -> str:
    return f'<polygon class="{kind}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>'


def _dot(x: float, y: float) -> str:
    return f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="2.5"/>'


def _text(at: Point, text: str) -> str:
    return f'<text x="{at[0]:.1f}" y="{at[1]:.1f}">{escape(text)}</text>' if text else ""
