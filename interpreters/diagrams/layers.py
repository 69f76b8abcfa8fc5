"""The places of boxes and wires: a diagram in layers, from the left to the right.

A box stands one layer behind the boxes that it takes wires from; a wire that passes a layer has a
place in it, as a box has. Layers are sorted by the mean of what each place is wired to, in the
layer before and in the layer after in turn, until wires cross little (Sugiyama, Tagawa and Toda,
1981); then each place moves as close to that mean as their order lets it.

    sin x * y + x           0: x, y    1: copy, y    2: sin, x, y    3: x, *    4: +    5: result
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from interpreters.diagrams.strings import Box, Diagram, Wire

Point = tuple[float, float]
LETTER, LINE, PORT = 7.3, 24.0, 16.0
"""Pixels of a letter, of a line of text, and between two wires of a box."""
GAP, SPACE, MARGIN = 28.0, 14.0, 12.0
"""Between layers, between two places of a layer, and around what stands in a box."""
HEAD, BACK = 20.0, 18.0
"""What is written on top of a box that holds a diagram; a wire that is led back below it."""
SWEEPS = 12


class Edge(NamedTuple):
    """A wire at a place: where it meets it, what is at its other end, and where it meets that."""

    here: int
    place: Place
    there: int


@dataclass(eq=False)
class Place:
    """A rectangle in a layer: a box, the end of a wire at a border, or a wire that passes."""

    width: float
    height: float
    enters: list[float]
    """How far below its top wires enter it, on the left."""
    leaves: list[float]
    """How far below its top they leave it, on the right."""
    box: Box | None = None
    inside: tuple[Layout, ...] = ()
    x: float = 0.0
    y: float = 0.0
    borders: tuple[float, float] = (0.0, 0.0)
    """The left and the right end of its layer."""
    before: list[Edge] = field(default_factory=list)
    after: list[Edge] = field(default_factory=list)

    def wished(self, *, before: bool) -> float:
        """The height at which its wires to one side would be level."""
        if before:
            ends = [e.place.y + e.place.leaves[e.there] - self.enters[e.here] for e in self.before]
        else:
            ends = [e.place.y + e.place.enters[e.there] - self.leaves[e.here] for e in self.after]
        return sum(ends) / len(ends)


@dataclass(eq=False)
class Layout:
    """A diagram with its places, and the way of each wire from place to place."""

    diagram: Diagram
    layers: list[list[Place]]
    inputs: list[Place]
    outputs: list[Place]
    ways: list[tuple[Wire, list[Place], int]] = field(default_factory=list)
    """The places of each wire, and where it enters the last."""
    width: float = 0.0
    height: float = 0.0

    @property
    def boxes(self) -> Iterator[Place]:
        """The places that are boxes."""
        return (place for layer in self.layers for place in layer if place.box is not None)


def laid_out(diagram: Diagram) -> Layout:
    """Give each box and wire of a diagram its place, those of the diagrams inside it first."""
    done: dict[int, Layout] = {}
    for page in reversed(list(diagram.within())):
        boxes = [_sized(box, tuple(done[id(inner)] for inner in box.inner)) for box in page.boxes]
        layout = _ranked(page, boxes)
        _stacked(layout.layers)
        for sweep in range(SWEEPS):
            _sorted(layout, before=sweep % 2 == 0, ends=page is not diagram)
            _fan(layout)
        for sweep in range(SWEEPS):
            _levelled(layout.layers, before=sweep % 2 == 0)
            _fan(layout)
        _set(layout)
        done[id(page)] = layout
    return done[id(diagram)]


def _sized(box: Box, inside: tuple[Layout, ...]) -> Place:
    entering, leaving = len(box.inputs), len(box.outputs)
    if not inside:
        width = {"copy": 9.0, "split": 3.0, "pair": 3.0, "eval": 14.0}.get(box.kind)
        height = max(LINE - 4 * (width is not None), PORT * max(entering, leaving))
        width = LETTER * max(2, len(box.label)) + 10 if width is None else width
        return Place(width, height, _spread(entering, height), _spread(leaving, height), box)
    tops = list(tops_of(inside))
    height = tops.pop() + BACK * (box.feedback is not None)
    width = max(layout.width for layout in inside) + 2 * MARGIN
    width = max(width, LETTER * len(box.label) + 2 * MARGIN)
    first = inside[0]
    if box.kind == "cond":
        enters = [HEAD / 2, *_spread(entering - 1, height)]
        leaves = [height / 2]
    else:
        enters = [tops[0] + place.y + place.leaves[0] for place in first.inputs[:entering]]
        last = first.outputs[-1]
        leaves = [tops[0] + last.y + last.enters[0]] if box.kind == "loop" else [height / 2]
    return Place(width, height, enters, leaves, box, inside)


def tops_of(inside: Sequence[Layout]) -> Iterator[float]:
    """How far below its top the diagrams in a box begin, and where the box ends."""
    top = 0.0
    for layout in inside:
        top += HEAD
        yield top
        top += layout.height + MARGIN
    yield top


def _spread(count: int, height: float) -> list[float]:
    return [height * (index + 0.5) / count for index in range(count)]


def _end(name: str) -> Place:
    """The end of a wire at a border, which has its name above it."""
    return Place(LETTER * len(name) + 8 * bool(name), LINE, [LINE - 7], [LINE - 7])


def _ranked(page: Diagram, boxes: list[Place]) -> Layout:
    """Put each place into its layer: a constant into the last before it is used."""
    inputs, outputs = [_end(wire.label) for wire in page.inputs], [_end("") for _ in page.outputs]
    origin = {id(wire): (place, 0) for place, wire in zip(inputs, page.inputs, strict=True)}
    rank = {id(place): 0 for place in inputs}
    for place, box in zip(boxes, page.boxes, strict=True):
        origin.update((id(wire), (place, index)) for index, wire in enumerate(box.outputs))
        rank[id(place)] = 1 + max((rank[id(origin[id(w)][0])] for w in box.inputs), default=0)
    last = 1 + max(rank.values(), default=0)
    used: dict[int, int] = {}
    for place, box in reversed(list(zip(boxes, page.boxes, strict=True))):
        if not box.inputs:
            rank[id(place)] = max(1, used.get(id(place), last) - 1)
        for wire in box.inputs:
            giver = id(origin[id(wire)][0])
            used[giver] = min(used.get(giver, last), rank[id(place)])
    rank.update((id(place), last) for place in outputs)
    layers: list[list[Place]] = [[] for _ in range(last + 1)]
    for place in (*inputs, *boxes, *outputs):
        layers[rank[id(place)]].append(place)
    layout = Layout(page, layers, inputs, outputs)
    users = [(place, box.inputs) for place, box in zip(boxes, page.boxes, strict=True)]
    users += [(place, [wire]) for place, wire in zip(outputs, page.outputs, strict=True)]
    for place, wires in users:
        for port, wire in enumerate(wires):
            source, leaving = origin[id(wire)]
            between = range(rank[id(source)] + 1, rank[id(place)])
            passing = [Place(0.0, 4.0, [2.0], [2.0]) for _ in between]
            for layer, stop in zip(between, passing, strict=True):
                layers[layer].append(stop)
            way: list[Place] = [source, *passing, place]
            for left, right in pairwise(way):
                out, into = leaving if left is source else 0, port if right is place else 0
                left.after.append(Edge(out, right, into))
                right.before.append(Edge(into, left, out))
            layout.ways.append((wire, way, port))
    return layout


def _stacked(layers: Sequence[list[Place]]) -> None:
    """Put the places of each layer below each other."""
    for layer in layers:
        y = 0.0
        for place in layer:
            place.y = y
            y += place.height + SPACE


def _sorted(layout: Layout, *, before: bool, ends: bool) -> None:
    """Sort each layer by where its places wish to be; one that is wired to nothing stays.

    Only of a diagram that is in a box may the ``ends`` of wires at its borders change places.
    """
    layers = layout.layers if ends else layout.layers[1:-1]
    for layer in layers if before else reversed(layers):
        wishes = {
            id(place): place.wished(before=before) + place.height / 2
            for place in layer
            if (place.before if before else place.after)
        }
        movable = iter(sorted((p for p in layer if id(p) in wishes), key=lambda p: wishes[id(p)]))
        layer[:] = [next(movable) if id(place) in wishes else place for place in layer]
        _stacked([layer])


def _fan(layout: Layout) -> None:
    """Give the wires out of copies the order of where they go: all are the same."""
    for place in layout.boxes:
        assert place.box is not None
        if place.box.kind == "copy":
            _fanned(place)


def _fanned(place: Place) -> None:
    levels = [edge.place.y + edge.place.enters[edge.there] for edge in place.after]
    order = sorted(range(len(levels)), key=levels.__getitem__)
    for port, index in enumerate(order):
        edge = place.after[index]
        place.after[index] = edge._replace(here=port)
        other = edge.place.before
        ends = [(id(back.place), back.here) for back in other]
        at = ends.index((id(place), edge.there))
        other[at] = other[at]._replace(there=port)


def _levelled(layers: list[list[Place]], *, before: bool) -> None:
    """Move each place to where it wishes to be, as near as the order of its layer lets it.

    With the heights above it taken off, the places may not decrease: the nearest such numbers are
    means of runs of neighbours, found by merging runs that are out of order.
    """
    for layer in layers[1:] if before else layers[-2::-1]:
        above, runs = 0.0, list[tuple[float, int]]()
        offsets: list[float] = []
        for place in layer:
            wired = place.before if before else place.after
            wish = (place.wished(before=before) if wired else place.y) - above
            runs.append((wish, 1))
            while len(runs) > 1 and runs[-2][0] > runs[-1][0]:
                (right, many), (left, few) = runs.pop(), runs.pop()
                runs.append(((left * few + right * many) / (few + many), few + many))
            offsets.append(above)
            above += place.height + SPACE
        levels = (level for level, count in runs for _ in range(count))
        for place, offset, level in zip(layer, offsets, levels, strict=True):
            place.y = level + offset


def _set(layout: Layout) -> None:
    """Set the layers beside each other, and all of them against the top."""
    places = [place for layer in layout.layers for place in layer]
    top = min((place.y for place in places), default=0.0)
    x = 0.0
    for layer in layout.layers:
        width = max((place.width for place in layer), default=0.0)
        for place in layer:
            place.y -= top
            passes = place.box is None and place not in layout.inputs
            place.width = width if passes else place.width
            place.borders = x, x + width
            place.x = x + (0.0 if layer is layout.layers[0] else (width - place.width) / 2)
        x += width + GAP
    layout.width = max(0.0, x - GAP)
    layout.height = max((place.y + place.height for place in places), default=0.0)
