"""Parts of an array put in their places by few operations (law K4).

Parts that were taken in the same way, at other indices, are stacked and put at once: many indexings
cost as much as what they take, not as the array.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    for group in _groups([_indexed(part, obj) for part in parts]):
        whole = _put(group, obj)
        total = whole if total is None else atoms.plus(total, whole)
    return atoms.zeros(obj) if total is None else total


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
    lifted = [_reshaped(row, (1, *obj.shape)) for row in rows]
    return atoms.primitive(Operation(named("concatenate"), (("axis", 0),)), *lifted)


def _reshaped(x: Atom, shape: Shape) -> Atom:
    obj = x.type
    if isinstance(obj, Tensor) and obj.shape == shape:
        return x
    return atoms.primitive(Operation(named("reshape"), (("shape", shape),)), x)
