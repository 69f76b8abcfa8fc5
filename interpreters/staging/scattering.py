"""Parts of an array put in their places by few operations (law K4).

Parts that were taken in the same way, at other indices, are stacked and put at once: many indexings
cost as much as what they take, not as the array. Rows side by side need no put: of the parts

    embed[start=1] a, embed[start=2] b, embed[start=1] c         obj = Tensor[4]

comes ``embed[start=1] (concatenate (a + c) b)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from combinators.literal import Literal
from combinators.objects import Tensor
from combinators.operation import Operation, named
from combinators.terms import Const
from interpreters.staging import atoms
from interpreters.staging.atoms import Atom
from interpreters.tangents.scattered import Part

Shape = tuple[int, ...]


def scattered(parts: Sequence[Part], obj: Tensor, rest: Any) -> Atom:
    """The sum of ``parts`` in their places and of ``rest``, a tensor of type ``obj``."""
    total: Atom | None = rest
    window, left = _side_by_side(parts, obj)
    if window is not None:
        total = window if total is None else atoms.plus(total, window)
    for group in _groups([_indexed(part, obj) for part in left]):
        whole = _put(group, obj)
        total = whole if total is None else atoms.plus(total, whole)
    return atoms.zeros(obj) if total is None else total


def _side_by_side(parts: Sequence[Part], obj: Tensor) -> tuple[Atom | None, Sequence[Part]]:
    """Rows, and windows of rows, that have nothing between them, as one; and what is left."""
    windows: dict[tuple[int, int], Atom] = {}
    left = []
    for part in parts:
        rows = _rows(part, obj)
        if rows is None:
            left.append(part)
            continue
        place, given = rows
        windows[place] = atoms.plus(windows[place], given) if place in windows else given
    places = sorted(windows)
    apart = any(before[1] != after[0] for before, after in pairwise(places))
    if len(places) < 2 or apart or all(stop - start > 1 for start, stop in places):
        return None, parts
    whole = _joined([windows[place] for place in places])
    if whole.type is not obj:
        rank, start = len(obj.shape), (places[0][0], *(0,) * (len(obj.shape) - 1))
        known = (("start", start), ("step", (1,) * rank), ("shape", obj.shape))
        whole = atoms.primitive(Operation(named("embed"), known), whole)
    return whole, left


def _rows(part: Part, obj: Tensor) -> tuple[tuple[int, int], Atom] | None:
    """From which row of ``obj`` to which a part goes, if it is made of whole rows, and those."""
    known, given = part.operation.keywords, part.args[0]
    if not obj.shape or not isinstance(given.type, Tensor):
        return None
    if part.operation.name == "embed":
        shape = given.type.shape
        is_whole = shape[1:] == obj.shape[1:] and not any(known["start"][1:])
        start = known["start"][0]
        steps = is_whole and all(step == 1 for step in known["step"])
        return ((start, start + shape[0]), given) if steps else None
    index = part.args[1].term if len(part.args) == 2 else None
    if known["axis"] or not isinstance(index, Const) or index.literal.array.shape:
        return None
    start = int(index.literal.array)
    if not 0 <= start < obj.shape[0]:
        return None
    return (start, start + 1), _reshaped(given, (1, *obj.shape[1:]))


def _indexed(part: Part, obj: Tensor) -> Part:
    """A window of one row as a row put at an index, so that it stacks with others."""
    if part.operation.name != "embed" or not obj.shape:
        return part
    start, shape = part.operation.keywords["start"], part.args[0].type.shape
    if shape != (1, *obj.shape[1:]) or any(start[1:]):
        return part
    index = Atom(Const(Literal(np.int64(start[0]))))
    row = _reshaped(part.args[0], obj.shape[1:])
    put = Operation(named("put"), (("axis", 0), ("extents", obj.shape[:1])))
    return Part(put, (row.type, index.type), (row, index))


def _groups(parts: Sequence[Part]) -> list[list[Part]]:
    """Parts that stack, together."""
    groups: dict[Any, list[Part]] = {}
    for position, part in enumerate(parts):
        stacks = part.operation.name == "put" and part.operation.keywords["axis"] == 0
        key = (part.operation, tuple(arg.type for arg in part.args)) if stacks else position
        groups.setdefault(key, []).append(part)
    return list(groups.values())


def _put(group: Sequence[Part], obj: Tensor) -> Atom:
    operation = group[0].operation
    if len(group) == 1:
        return atoms.primitive(operation, *group[0].args)
    columns = zip(*(_level(part.args) for part in group), strict=True)
    return atoms.primitive(operation, *(_stacked(list(column)) for column in columns))


def _level(args: Sequence[Atom]) -> list[Atom]:
    """What is put, and its indices, of one rank: stacked, they broadcast as they did apart."""
    whole, *indices = args
    shapes = [index.type.shape for index in indices if isinstance(index.type, Tensor)]
    rank = max(map(len, shapes), default=0)
    leveled = [
        _moved(index, (*(1,) * (rank - len(shape)), *shape))
        for index, shape in zip(indices, shapes, strict=True)
    ]
    return [whole, *leveled]


def _moved(x: Atom, shape: Shape) -> Atom:
    """A reshape; of a constant a constant."""
    if isinstance(x.term, Const):
        return Atom(Const(Literal(x.term.literal.array.reshape(shape))))
    return _reshaped(x, shape)


def _stacked(rows: Sequence[Atom]) -> Atom:
    """Along a new leading axis; constants as one constant."""
    literals = [row.term.literal for row in rows if isinstance(row.term, Const)]
    if len(literals) == len(rows):
        return Atom(Const(Literal(np.stack([literal.array for literal in literals]))))
    obj = rows[0].type
    assert isinstance(obj, Tensor)
    return _joined([_reshaped(row, (1, *obj.shape)) for row in rows])


def _joined(windows: Sequence[Atom]) -> Atom:
    return atoms.primitive(Operation(named("concatenate"), (("axis", 0),)), *windows)


def _reshaped(x: Atom, shape: Shape) -> Atom:
    obj = x.type
    if isinstance(obj, Tensor) and obj.shape == shape:
        return x
    return atoms.primitive(Operation(named("reshape"), (("shape", shape),)), x)
