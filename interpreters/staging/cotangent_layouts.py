"""How a sparse cotangent goes across a border: its layout, and the terms that are there.

A zero goes across as nothing, a part to be put into an array as that part, and a cotangent of a
product whose components are all there as one term, so that its parts are not written out again at
every border (a type that shares its components may be exponentially large when written out). A
layout is the cotangent with types in the place of terms. Of what is captured,
``(x : Real, a : Tensor[4], p : Real × Real)``, the cotangent ``{1: put row i, 2: {0: g, 1: h}}``
goes across so, and is made again on the other side::

    layout  {1: ArraySlots(Tensor[4], (put,)), 2: Real × Real}
    terms   row, i, (g, h)

Parts of an array are put in their places by few operations (law K4): those that were taken in the
same way, at other indices, are stacked and put at once, so that many indexings cost as much as what
they take, not as the array. Rows side by side need no put: of the parts

    embed[start=1] a, embed[start=2] b, embed[start=1] c         obj = Tensor[4]

comes ``embed[start=1] (concatenate (a + c) b)``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from combinators.kit.recursion import Recursive, recurse
from combinators.literal import Literal
from combinators.objects import Object, Tensor, Unit, Vector
from combinators.operation import Operation, named
from combinators.primitives.structural import VECTOR
from combinators.terms import Const
from combinators.type_folds import parts_of, row_of
from interpreters.sparse_cotangents import Cotangent, Part, Scattered, nonzero, opened
from interpreters.staging import atoms
from interpreters.staging.atoms import Atom

Shape = tuple[int, ...]


def scattered(parts: Sequence[Part], obj: Tensor, rest: Any) -> Atom:
    """The sum of ``parts`` in their places and of ``rest``, a tensor of type ``obj``."""
    window, left = _side_by_side(parts, obj)
    groups: dict[Any, list[Part]] = {}
    for position, part in enumerate(_indexed(part, obj) for part in left):
        stacks = part.operation.name == "put" and part.operation.keywords["axis"] == 0
        key = (part.operation, tuple(arg.type for arg in part.args)) if stacks else position
        groups.setdefault(key, []).append(part)
    given = [one for one in (rest, window) if one is not None]
    whole = [*given, *map(_put, groups.values())]
    return reduce(atoms.plus, whole) if whole else atoms.zeros(obj)


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


def _put(group: Sequence[Part]) -> Atom:
    """Parts that were taken in the same way, stacked, with indices of one rank, and put at once."""
    operation, _, args = group[0]
    if len(group) > 1:
        rank = max(len(_shape(index)) for part in group for index in part.args[1:])
        columns = zip(*(_leveled(part.args, rank) for part in group), strict=True)
        args = tuple(_stacked(column) for column in columns)
    return atoms.primitive(operation, *args)


def _leveled(args: Sequence[Atom], rank: int) -> list[Atom]:
    """What is put, and its indices, of one rank: stacked, they broadcast as they did apart."""
    whole, *indices = args
    shapes = map(_shape, indices)
    return [
        whole,
        *(
            _reshaped(x, (*(1,) * (rank - len(s)), *s))
            for x, s in zip(indices, shapes, strict=True)
        ),
    ]


def _stacked(rows: Sequence[Atom]) -> Atom:
    """Along a new leading axis; constants as one constant."""
    literals = [row.term.literal.array for row in rows if isinstance(row.term, Const)]
    if len(literals) == len(rows):
        return Atom(Const(Literal(np.stack(literals))))
    return _joined([_reshaped(row, (1, *_shape(row))) for row in rows])


def _joined(windows: Sequence[Atom]) -> Atom:
    return atoms.primitive(Operation(named("concatenate"), (("axis", 0),)), *windows)


def _shape(x: Atom) -> Shape:
    assert isinstance(x.type, Tensor)
    return x.type.shape


def _reshaped(x: Atom, shape: Shape) -> Atom:
    """A reshape; of a constant a constant."""
    if _shape(x) == shape:
        return x
    if isinstance(x.term, Const):
        return Atom(Const(Literal(x.term.literal.array.reshape(shape))))
    return atoms.primitive(Operation(named("reshape"), (("shape", shape),)), x)


class Slot(NamedTuple):
    """A part that is to be put into an array."""

    operation: Operation
    types: tuple[Object, ...]

    @property
    def is_put(self) -> bool:
        """Whether it goes to indices, and is no window that stands still."""
        return self.operation.name == "put"

    def part(self, args: tuple[Atom, ...]) -> Part:
        """The part that these terms are."""
        return Part(self.operation, tuple([arg.type for arg in args]), args)

    def rounds(self, stacks: tuple[Atom, ...]) -> tuple[Atom, ...]:
        """Stacks of its terms as one part: the rounds are one more axis of its indices."""
        values, *indices = stacks
        axis = self.operation.keywords["axis"]
        shapes = [obj.shape for obj in self.types if isinstance(obj, Tensor)]
        rank = max(map(len, shapes[1:]))
        if axis:
            axes = (*range(1, axis + 1), 0, *range(axis + 1, len(shapes[0]) + 1))
            values = atoms.primitive(Operation(named("transpose"), (("axes", axes),)), values)
        moved = [
            _reshaped(stack, (_shape(stack)[0], *(1,) * (rank - len(shape)), *shape))
            for stack, shape in zip(indices, shapes[1:], strict=True)
        ]
        return values, *moved


class ArraySlots(NamedTuple):
    """Parts of a tensor of type ``obj``, and the dense rest where there is one."""

    obj: Tensor
    slots: tuple[Slot, ...]
    rest: bool

    @property
    def are_put(self) -> list[bool]:
        """Of each term: whether it is one of a part that is put at indices."""
        return [slot.is_put for slot in self.slots for _ in slot.types] + [False] * self.rest

    def terms(self, cotangent: Cotangent) -> Iterator[Atom]:
        """The terms of a cotangent; zeros in the place of parts that it has not."""
        is_scattered = type(cotangent) is Scattered
        given: dict[Slot, list[Part]] = {}
        for part in cotangent.parts if is_scattered else ():
            given.setdefault(_slot(part), []).append(part)
        for slot in self.slots:
            held = given.get(slot)
            yield from held.pop(0).args if held else map(_zero_number, slot.types)
        if self.rest:
            yield dense(cotangent.rest if is_scattered else cotangent, self.obj)

    def cotangent(self, terms: Iterator[Atom], *, stacked: bool = False) -> Scattered:
        """The cotangent that these terms make; ``stacked``, those to be put are of all rounds."""
        parts = []
        for slot in self.slots:
            args = tuple([next(terms) for _ in slot.types])
            parts.append(slot.part(slot.rounds(args) if stacked and slot.is_put else args))
        return Scattered(self.obj, parts, next(terms) if self.rest else None)


def _slot(part: Part) -> Slot:
    return Slot(part.operation, tuple(arg.type for arg in part.args))


def _zero_number(obj: Object) -> Atom:
    assert isinstance(obj, Tensor)
    return Atom(Const(Literal.filled(0, obj)))


Layout = Any
"""None, the type of one dense term, ``ArraySlots``, or a dict from components to their layouts."""


def layout_of(cotangent: Cotangent, obj: Object, most: int) -> Layout:
    """The layout of a cotangent of type ``obj``; of more than ``most`` terms, one dense term."""
    found = recurse(_layout_of(cotangent, obj))
    return obj if count(found) > most else found


def layout_of_context(cotangent: Cotangent, obj: Object) -> Layout:
    """The layout of what a block captures, whose components go apart."""
    if type(cotangent) is not dict:
        return recurse(_layout_of(cotangent, obj))
    types = parts_of(obj) or ()
    return nonzero((i, recurse(_layout_of(cotangent[i], types[i]))) for i in sorted(cotangent))


def _layout_of(cotangent: Cotangent, obj: Object) -> Recursive[Layout]:
    if cotangent is None or obj is Unit:
        return None
    if type(cotangent) is Scattered:
        return ArraySlots(
            cotangent.obj, tuple(map(_slot, cotangent.parts)), cotangent.rest is not None
        )
    if type(cotangent) is not dict or isinstance(obj, Tensor):
        return obj
    types = parts_of(obj) or ()
    found: list[tuple[int, Layout]] = []
    for index in sorted(cotangent):
        found.append((index, (yield _layout_of(cotangent[index], types[index]))))
    layout = nonzero(found)
    whole = layout and sum(part is not Unit for part in types) == len(layout)
    return obj if whole and all(isinstance(b, Object) for b in layout.values()) else layout


def _leaves(layout: Layout) -> Iterator[Object | ArraySlots]:
    todo = [layout]
    while todo:
        below = todo.pop()
        if type(below) is dict:
            todo += reversed(below.values())
        elif below is not None:
            yield below


def are_put(layout: Layout) -> list[bool]:
    """Of each term that goes across: whether it is one of a part that is put at indices."""
    found = [leaf.are_put if type(leaf) is ArraySlots else [False] for leaf in _leaves(layout)]
    return [each for leaf in found for each in leaf]


def count(layout: Layout) -> int:
    """How many terms go across."""
    return len(are_put(layout))


def union(a: Layout, b: Layout) -> Layout:
    """What holds either."""
    return recurse(_union(a, b))


def _union(a: Layout, b: Layout) -> Recursive[Layout]:
    if a is None or b is None:
        return b if a is None else a
    if isinstance(a, Object) or isinstance(b, Object):
        return a if isinstance(a, Object) else b
    if isinstance(a, ArraySlots):
        both: Counter[Slot] = Counter(a.slots)
        both |= Counter(b.slots)
        return ArraySlots(a.obj, tuple(both.elements()), a.rest or b.rest)
    parts = {}
    for index in sorted({*a, *b}):
        parts[index] = yield _union(a.get(index), b.get(index))
    return parts


def leaves(layout: Layout, cotangent: Cotangent) -> list[Atom]:
    """The terms of a cotangent that the layout holds, in order; zeros where it has none."""
    found: list[Atom] = []
    todo = [(layout, cotangent)]
    while todo:
        below, given = todo.pop()
        if type(below) is dict:
            parts = {} if given is None else opened(given)
            todo += [(part, parts.get(index)) for index, part in reversed(below.items())]
        elif type(below) is ArraySlots:
            found += below.terms(given)
        elif below is not None:
            found.append(dense(given, below))
    return found


def cotangent_of(layout: Layout, terms: Iterator[Atom], *, stacked: bool = False) -> Cotangent:
    """The cotangent that the terms of a layout make; ``stacked``, those ``are_put`` by rounds."""

    def leaf(below: Layout) -> Cotangent:
        if below is None:
            return None
        return below.cotangent(terms, stacked=stacked) if type(below) is ArraySlots else next(terms)

    return recurse(_cotangent_of(layout, leaf))


def _cotangent_of(layout: Layout, leaf: Callable[[Layout], Cotangent]) -> Recursive[Cotangent]:
    if type(layout) is not dict:
        return leaf(layout)
    made: dict[int, Cotangent] = {}
    for index, below in layout.items():
        made[index] = yield _cotangent_of(below, leaf)
    return made


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
    if isinstance(obj, Tensor):  # of a vector of values of the user's
        rows = [cotangent.get(i) or atoms.zeros(row_of(obj)) for i in range(obj.shape[0])]
        return _stacked(rows)
    parts: list[Atom] = []
    for index, part in enumerate(parts_of(obj) or ()):
        parts.append((yield _dense(cotangent.get(index), part)))
    if isinstance(obj, Vector):
        return atoms.primitive(Operation(VECTOR), *parts)
    return atoms.tuple_of(parts, obj)
