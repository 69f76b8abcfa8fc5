"""How a sparse cotangent goes across a border: its layout, and the terms that are there.

A zero goes across as nothing, a part to be put into an array as that part, and a cotangent of a
product whose components are all there as one term, so that its parts are not written out again at
every border (a type that shares its components may be exponentially large when written out). Of
what is captured, ``(x : Real, a : Tensor[4], p : Real × Real)``, the cotangent
``{1: put row i, 2: {0: g, 1: h}}`` goes across so, and is made again on the other side::

    layout  Sparse(((1, Slots(Tensor[4], (put,))), (2, Dense(Real × Real))))
    terms   row, i, (g, h)

Parts of an array are put in their places by few operations (law K4): those that were taken in the
same way, at other indices, are stacked and put at once, so that many indexings cost as much as what
they take, not as the array. Rows side by side need no put: of the parts

    embed[start=1] a, embed[start=2] b, embed[start=1] c         obj = Tensor[4]

comes ``embed[start=1] (concatenate (a + c) b)``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from combinators.kit.recursion import Recursive, recurse
from combinators.literal import Literal
from combinators.objects import Object, Tensor, Unit, Vector
from combinators.operation import Operation, named
from combinators.primitives.structural import VECTOR
from combinators.terms import Const
from combinators.type_folds import parts_of
from interpreters.sparse_cotangents import Cotangent, Part, Scattered, opened
from interpreters.staging import atoms
from interpreters.staging.atoms import Atom

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


@dataclass(frozen=True)
class CotangentLayout:
    """What of a cotangent goes across."""


@dataclass(frozen=True)
class Zero(CotangentLayout):
    """Nothing."""


@dataclass(frozen=True)
class Dense(CotangentLayout):
    """One term of type ``obj``."""

    obj: Object


@dataclass(frozen=True)
class Sparse(CotangentLayout):
    """Some components."""

    parts: tuple[tuple[int, CotangentLayout], ...]


class Slot(NamedTuple):
    """A part that is to be put into an array."""

    operation: Operation
    types: tuple[Object, ...]


@dataclass(frozen=True)
class Slots(CotangentLayout):
    """Parts of a tensor of type ``obj``, and the dense rest where there is one."""

    obj: Tensor
    slots: tuple[Slot, ...]
    rest: bool


ZERO = Zero()


def layout_of(cotangent: Cotangent, obj: Object, most: int) -> CotangentLayout:
    """The layout of a cotangent of type ``obj``; of more than ``most`` terms, one dense term."""
    found: CotangentLayout = recurse(_layout_of(cotangent, obj))
    return Dense(obj) if count(found) > most else found


def layout_of_context(cotangent: Cotangent, obj: Object) -> CotangentLayout:
    """The layout of what a block captures, whose components go apart."""
    if type(cotangent) is not dict:
        return recurse(_layout_of(cotangent, obj))
    types = parts_of(obj) or ()
    found = [(i, recurse(_layout_of(cotangent[i], types[i]))) for i in sorted(cotangent)]
    held = tuple((i, below) for i, below in found if below != ZERO)
    return Sparse(held) if held else ZERO


def _layout_of(cotangent: Cotangent, obj: Object) -> Recursive[CotangentLayout]:
    if cotangent is None or obj is Unit:
        return ZERO
    if type(cotangent) is Scattered:
        slots = tuple(_slot(part) for part in cotangent.parts)
        return Slots(cotangent.obj, slots, cotangent.rest is not None)
    if type(cotangent) is not dict:
        return Dense(obj)
    types = parts_of(obj) or ()
    found: list[tuple[int, CotangentLayout]] = []
    for index in sorted(cotangent):
        below: CotangentLayout = yield _layout_of(cotangent[index], types[index])
        if below != ZERO:
            found.append((index, below))
    if not found:
        return ZERO
    whole = sum(part is not Unit for part in types) == len(found)
    if whole and all(isinstance(below, Dense) for _, below in found):
        return Dense(obj)
    return Sparse(tuple(found))


def _slot(part: Part) -> Slot:
    return Slot(part.operation, tuple(arg.type for arg in part.args))


def count(layout: CotangentLayout) -> int:
    """How many terms go across."""
    todo, total = [layout], 0
    while todo:
        match todo.pop():
            case Dense():
                total += 1
            case Slots(_, slots, rest):
                total += sum(len(slot.types) for slot in slots) + rest
            case Sparse(parts):
                todo.extend(below for _, below in parts)
    return total


def union(a: CotangentLayout, b: CotangentLayout) -> CotangentLayout:
    """What holds either."""
    return recurse(_union(a, b))


def _union(a: CotangentLayout, b: CotangentLayout) -> Recursive[CotangentLayout]:
    match a, b:
        case (Zero(), other) | (other, Zero()):
            return other
        case (Dense(), _):
            return a
        case (_, Dense()):
            return b
        case Slots(obj, first, rest), Slots(_, second, more):
            return Slots(obj, tuple((Counter(first) | Counter(second)).elements()), rest or more)
        case Sparse(ours), Sparse(theirs):
            parts = dict(ours)
            for index, below in theirs:
                parts[index] = yield _union(parts.get(index, ZERO), below)
            return Sparse(tuple(sorted(parts.items(), key=lambda part: part[0])))
        case _:
            raise AssertionError("a tensor's cotangent has no components")


def leaves(layout: CotangentLayout, cotangent: Cotangent) -> list[Atom]:
    """The terms of a cotangent that the layout holds, in order; zeros where it has none."""
    found: list[Atom] = []
    recurse(_leaves(layout, cotangent, found))
    return found


def _leaves(layout: CotangentLayout, cotangent: Cotangent, found: list[Atom]) -> Recursive[None]:
    match layout:
        case Dense(obj):
            found.append(dense(cotangent, obj))
        case Slots(obj, slots, rest):
            found.extend(_slot_leaves(slots, cotangent))
            if rest:
                found.append(dense(_rest(cotangent), obj))
        case Sparse(parts):
            given = {} if cotangent is None else opened(cotangent)
            for index, below in parts:
                yield _leaves(below, given.get(index), found)


def _slot_leaves(slots: tuple[Slot, ...], cotangent: Cotangent) -> Iterator[Atom]:
    given: dict[Slot, list[Part]] = {}
    for part in cotangent.parts if type(cotangent) is Scattered else ():
        given.setdefault(_slot(part), []).append(part)
    for slot in slots:
        held = given.get(slot)
        yield from held.pop(0).args if held else map(_zero_number, slot.types)


def _zero_number(obj: Object) -> Atom:
    assert isinstance(obj, Tensor)
    return Atom(Const(Literal.filled(0, obj)))


def _rest(cotangent: Cotangent) -> Cotangent:
    return cotangent.rest if type(cotangent) is Scattered else cotangent


def cotangent_of(layout: CotangentLayout, terms: Iterator[Atom]) -> Cotangent:
    """The cotangent that the terms of a layout make."""
    return recurse(_cotangent_of(layout, terms))


def _cotangent_of(layout: CotangentLayout, terms: Iterator[Atom]) -> Recursive[Cotangent]:
    match layout:
        case Dense():
            return next(terms)
        case Slots(obj, slots, rest):
            parts = [_part(slot, terms) for slot in slots]
            return Scattered(obj, parts, next(terms) if rest else None)
        case Sparse(parts):
            made: dict[int, Cotangent] = {}
            for index, below in parts:
                made[index] = yield _cotangent_of(below, terms)
            return made
        case _:
            return None


def _part(slot: Slot, terms: Iterator[Atom]) -> Part:
    args = tuple([next(terms) for _ in slot.types])
    return Part(slot.operation, tuple([arg.type for arg in args]), args)


def dense(cotangent: Cotangent, obj: Object) -> Atom:
    """The cotangent as one term of type ``obj``."""
    return recurse(_dense(cotangent, obj))


def _dense(cotangent: Cotangent, obj: Object) -> Recursive[Atom]:
    if cotangent is None:
        return atoms.zeros(obj) if obj is not Unit else atoms.tuple_of(())
    if type(cotangent) is Scattered:
        return scattered(cotangent.parts, cotangent.obj, cotangent.rest)
    if type(cotangent) is not dict:
        atom: Atom = cotangent
        return atom
    parts: list[Atom] = []
    for index, part in enumerate(parts_of(obj) or ()):
        parts.append((yield _dense(cotangent.get(index), part)))
    if isinstance(obj, Vector):
        return atoms.primitive(Operation(VECTOR), *parts)
    return atoms.product_of(parts, obj)
