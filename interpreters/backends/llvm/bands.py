"""Matrices that are 0 but on diagonals: what is computed of them is computed of the diagonals.

    (eye · v) * 2 + embed (eye · w)        two vectors, written along diagonals of a cleared matrix

A node of such a matrix is the dense one, which is made where somebody wants it; beside it stands
what it is made of, and what follows from that asks for no zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from combinators.objects import Tensor
from interpreters.backends.llvm.graph import GraphBuilder, Node
from interpreters.backends.llvm.indices import variable_

LEAST, MOST = 64, 2
"""The size of a constant that is looked at, and how many diagonals it may have."""


class Band(NamedTuple):
    """A diagonal: its numbers, and where the first stands."""

    numbers: Node
    row: int
    column: int


Bands = tuple[Band, ...]


def banded(
    graph: GraphBuilder, name: str, args: Sequence[Node], obj: Tensor, keywords: dict[str, Any]
) -> Node | None:
    """The node of a primitive of such matrices; None of what makes others."""
    if len(obj.shape) != 2 or obj.dtype[0] != "f":
        return None
    given = [_bands_of(graph, x) for x in args]
    first, *rest = given or [None]
    if first is None and not any(rest):
        return None
    match name:
        case "negative" if first:
            return _matrix(graph, _each(graph, first, "negative"), obj)
        case "add" if first and rest[0]:
            return _matrix(graph, (*first, *rest[0]), obj)
        case "subtract" if first and rest[0]:
            return _matrix(graph, (*first, *_each(graph, rest[0], "negative")), obj)
        case "transpose" if first and keywords["axes"] == (1, 0):
            return _matrix(graph, tuple(Band(b.numbers, b.column, b.row) for b in first), obj)
        case "embed" if first and keywords["step"] == (1, 1):
            r, c = keywords["start"]
            moved = tuple(Band(b.numbers, b.row + r, b.column + c) for b in first)
            return _matrix(graph, moved, obj)
        case "scale" if (first is None) != (rest[0] is None):
            return _scaled(graph, first or rest[0] or (), args[first is not None], obj)
    return None


def _bands_of(graph: GraphBuilder, x: Node) -> Bands | None:
    if x not in graph.bands and x.op == "constant" and x.size >= LEAST and len(x.shape) == 2:
        graph.bands[x] = _found(graph, x.par.value)
    return graph.bands.get(x)


def _found(graph: GraphBuilder, array: np.ndarray[Any, Any]) -> Bands | None:
    """The diagonals of an array, if it is nothing but few."""
    rows, columns = np.nonzero(array != 0)
    offsets = np.unique(columns - rows)
    if not 0 < len(offsets) <= MOST:
        return None
    return tuple(
        Band(graph.constant(np.diagonal(array, k).copy()), max(-k, 0), max(k, 0))
        for k in map(int, offsets)
    )


def _each(graph: GraphBuilder, bands: Bands, name: str) -> Bands:
    return tuple(
        b._replace(numbers=graph.pointwise(name, [b.numbers], b.numbers.shape, b.numbers.dtype))
        for b in bands
    )


def _scaled(graph: GraphBuilder, bands: Bands, other: Node, obj: Tensor) -> Node:
    """Times what stands at the same places: a zero absorbs."""
    whole, found = graph.broadcast(other, obj.shape), []
    for numbers, row, column in bands:
        at = tuple(variable_(0)._replace(constant=start) for start in (row, column))
        there = graph.view(whole, at, numbers.shape)
        product = graph.pointwise("scale", [numbers, there], numbers.shape, obj.dtype)
        found.append(Band(product, row, column))
    return _matrix(graph, tuple(found), obj)


def _matrix(graph: GraphBuilder, bands: Bands, obj: Tensor) -> Node:
    """The dense matrix, where somebody wants it."""
    sums: dict[tuple[int, int, int], Node] = {}
    for numbers, row, column in bands:
        key = (row, column, numbers.size)
        before = sums.get(key)
        sums[key] = numbers if before is None else graph.add(before, numbers)
    width = obj.shape[1]
    pieces = [(x, ((row * width + column,), (width + 1,))) for (row, column, _), x in sums.items()]
    flat = graph.assembly(pieces, (obj.size,), obj.dtype)
    if flat.op == "fill":
        return graph.reshape(flat, obj.shape)
    made = graph.node("reshape", (flat,), None, obj.shape, obj.dtype)
    graph.bands[made] = tuple(Band(x, row, column) for (row, column, _), x in sums.items())
    return made
