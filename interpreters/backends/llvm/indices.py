"""Affine indices, and arrays as strides in a storage.

The element ``(i, j)`` of ``x[2:, ::-1].T``, with ``x`` of shape (5, 3), is that of ``x`` at
``(2 + j, 2 - i)``. Views are such maps and nothing else: a view of a view is one map, and the map
of a strided array is an offset and strides again.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

Shape = tuple[int, ...]


class Position(NamedTuple):
    """``constant + Σ coefficient · variable``; the variables are numbers, in order.

    A view counts its own axes 0, 1, …; the rounds of loops and of nests have larger numbers.
    """

    constant: int = 0
    terms: tuple[tuple[int, int], ...] = ()

    def scaled(self, factor: int, plus: int = 0) -> Position:
        """``factor · self + plus``."""
        terms = tuple((v, c * factor) for v, c in self.terms) if factor else ()
        return Position(self.constant * factor + plus, terms)

    def plus(self, other: Position) -> Position:
        """The sum."""
        if not other.terms:
            return Position(self.constant + other.constant, self.terms)
        found = dict(self.terms)
        for variable, factor in other.terms:
            found[variable] = found.get(variable, 0) + factor
        terms = tuple(sorted((v, c) for v, c in found.items() if c))
        return Position(self.constant + other.constant, terms)

    def at(self, values: Mapping[int, Position]) -> Position:
        """With some variables given."""
        found = Position(self.constant)
        for variable, factor in self.terms:
            value = values.get(variable)
            found = found.plus(
                variable_(variable, factor) if value is None else value.scaled(factor)
            )
        return found

    def factor(self, variable: int) -> int:
        """How much it grows with a variable."""
        return next((c for v, c in self.terms if v == variable), 0)


ZERO = Position()
Index = tuple[Position, ...]
"""Where an element is: a position along each axis."""
ROUNDS = 1 << 10
"""From here on variables are rounds, and not axes of a view."""


def variable_(number: int, factor: int = 1) -> Position:
    """A variable."""
    return Position(0, ((number, factor),))


def axes(rank: int) -> Index:
    """The axes of a view, each where it is."""
    return tuple(variable_(axis) for axis in range(rank))


def composed(inner: Index, outer: Index) -> Index:
    """The map of a view of a view: ``outer`` is that of the view on top."""
    values = dict(enumerate(outer))
    return tuple(position.at(values) for position in inner)


def broadcast(index: Index, shape: Shape, to: Shape) -> Index:
    """Where the element of an operand of ``shape`` is that meets ``index`` of a result."""
    if shape == to:
        return index
    lead = len(to) - len(shape)
    return tuple(
        ZERO if n == 1 and to[lead + axis] != 1 else index[lead + axis]
        for axis, n in enumerate(shape)
    )


def runs(given: Shape, wanted: Shape) -> list[tuple[list[int], list[int]]]:
    """The runs of axes of two shapes that have one product; axes of extent 1 are in none.

    >>> runs((2, 3, 4), (6, 1, 2, 2))
    [([0, 1], [0]), ([2], [2, 3])]
    """
    left = [axis for axis, n in enumerate(given) if n != 1]
    right = [axis for axis, n in enumerate(wanted) if n != 1]
    found: list[tuple[list[int], list[int]]] = []
    while left:
        a, b = [left.pop(0)], [right.pop(0)]
        p, q = given[a[0]], wanted[b[0]]
        while p != q:
            if p < q:
                a.append(left.pop(0))
                p *= given[a[-1]]
            else:
                b.append(right.pop(0))
                q *= wanted[b[-1]]
        found.append((a, b))
    return found


def unmerged(given: Shape, wanted: Shape) -> Index | None:
    """The map of a reshape that merges no axes; None of others.

    >>> unmerged((6, 4), (2, 3, 4))
    (Position(constant=0, terms=((0, 3), (1, 1))), Position(constant=0, terms=((2, 1),)))
    >>> unmerged((2, 3), (6,))
    """
    found = [ZERO] * len(given)
    for several, parts in runs(given, wanted):
        if len(several) > 1:
            return None
        step = 1
        for axis in reversed(parts):
            found[several[0]] = found[several[0]].plus(variable_(axis, step))
            step *= wanted[axis]
    return tuple(found)


def strides_of(shape: Shape) -> Shape:
    """Those of an array whose rows lie one behind the other, in elements."""
    found, step = [], 1
    for n in reversed(shape):
        found.append(step)
        step *= n
    return tuple(reversed(found))


@dataclass(eq=False)
class Storage:
    """A piece of memory.

    ``kind`` is ``param``, ``result``, ``constant``, ``field`` of a record, or ``work`` for what is
    ours while we run.
    """

    kind: str
    size: int
    """In bytes."""
    dtype: str
    number: int = 0
    """Which parameter, result or constant."""


@dataclass(frozen=True, eq=False)
class Strided:
    """An array in a storage: where its first element is, in elements, and how far the next are."""

    storage: Storage
    offset: Position
    strides: Shape
    shape: Shape
    dtype: str

    @classmethod
    def whole(cls, storage: Storage, shape: Shape, dtype: str) -> Strided:
        """All of a storage."""
        return cls(storage, ZERO, strides_of(shape), shape, dtype)

    def place(self, index: Sequence[Position]) -> Position:
        """Where an element is."""
        found = self.offset
        for position, stride in zip(index, self.strides, strict=True):
            found = found.plus(position.scaled(stride))
        return found

    def view(self, index: Index, shape: Shape) -> Strided:
        """The array of which this is the map to ours."""
        found = self.place(index)
        own = tuple(found.factor(axis) for axis in range(len(shape)))
        rest = tuple((v, c) for v, c in found.terms if v >= ROUNDS)
        return Strided(self.storage, Position(found.constant, rest), own, shape, self.dtype)

    def reshaped(self, shape: Shape) -> Strided | None:
        """The same elements in another shape, where they lie so."""
        strides = [0] * len(shape)
        for several, parts in runs(self.shape, shape):
            for before, after in itertools.pairwise(several):
                if self.strides[before] != self.strides[after] * self.shape[after]:
                    return None
            step = self.strides[several[-1]]
            for axis in reversed(parts):
                strides[axis] = step
                step *= shape[axis]
        return Strided(self.storage, self.offset, tuple(strides), shape, self.dtype)

    @property
    def is_contiguous(self) -> bool:
        """Whether its elements lie one behind the other."""
        given = zip(self.shape, self.strides, strides_of(self.shape), strict=True)
        return all(n == 1 or own == step for n, own, step in given)
