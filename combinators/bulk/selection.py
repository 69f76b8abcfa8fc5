"""Selection: ``index x ix`` at all indices at once.

An own axis that is indexed by an affine index of one build becomes that build's axis of a slice of
``x``, among zeros where it sticks out; axes that go in step are a diagonal; two indices that slide
over one axis make windows. None of these has a table:

    build 3 (λi. x[2 * i + 1])                     slice[start=1, step=2, extent=3] x
    build 4 (λi. x[i - 1])                         embed[start=1] (slice[extent=3] x)
    build 3 (λi. a[i, i])                          slice[step=4] (reshape[9] a)
    build 3 (λi. build 4 (λj. x[4 * i + j]))       reshape[3, 4] x, by ``digits``
    build 3 (λi. build 2 (λj. x[i + j]))           windows of x, by ``sliding``

Any other index is a table of integers, and the elements are taken at it (Fig. 11 of 003): an axis
that the array and the table share is taken at its own positions,
``gather (k ::: sh) … (λ(i ::: is). i ::: ix)``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from combinators.bulk.affine import (
    Index,
    Key,
    arithmetic,
    index_of,
    is_within,
    masked,
    narrowed,
    number,
    validity,
)
from combinators.bulk.block import (
    Affine,
    Array,
    Atom,
    Axis,
    Block,
    Label,
    Tensors,
    batch,
    extent_of,
    in_order,
    shape_of,
)
from combinators.literal import Literal
from combinators.terms import Const


def selected(block: Block, rep: Tensors, key: Key) -> Tensors:
    """``rep`` at these indices, which have no own axes."""
    if not isinstance(rep, Affine):
        return _Selecting(block, block.array(rep)).at(key)
    valid = validity(block, key, rep.type)
    slopes = {label: slope for label, slope in rep.slopes.items() if label not in key}
    found: Tensors = Affine(rep.offset, slopes, narrowed(rep.type, key))
    for label, slope in rep.slopes.items():
        if isinstance(label, int) and label in key:
            step = arithmetic(block, "multiply", key[label].at, number(slope))
            found = arithmetic(block, "add", found, step)
    return masked(block, found, valid)


class _Selecting:
    """One array, whose axes are indexed one after the other."""

    def __init__(self, block: Block, array: Array) -> None:
        self.block, self.obj, self.array = block, array.type, array

    def at(self, key: Key) -> Tensors:
        """Affine indices first, which make the array smaller; the others together.

        An axis that is put off is indexed for nothing, but may be so outside.
        """
        obj = self.obj
        off = {axis: index for axis, index in key.items() if axis not in self.array.labels}
        hard = {axis: i for axis, i in key.items() if not self._is_easy(axis, i, key)}
        left = self._diagonals({a: i for a, i in hard.items() if a in self.array.labels})
        if left:
            self._gather(left)
        found = Array(self.array.term, self.array.labels, narrowed(obj, key))
        return masked(self.block, found, validity(self.block, off, obj))

    def _is_easy(self, axis: int, index: Index, key: Key) -> bool:
        """Index an axis without a table, if that can be."""
        if axis not in self.array.labels:
            return True
        if not isinstance(index.at, Affine):
            return False
        others = {label for a, other in key.items() if a != axis for label in other.at.labels}
        taken = others.union(self.array.labels)
        if not taken.isdisjoint(index.at.slopes):
            return False
        ways = digits(index.at)
        if ways is not None:
            self._split(axis, index.at.offset, ways)
            return True
        way = sliding(index.at.slopes)
        if way is None:
            return False
        x = windows(
            self.block, self.array.term, self.array.labels.index(axis), way, index.at.offset
        )
        self._becomes(axis, x, way.tiled, way.running)
        return True

    def _becomes(self, axis: int, x: Atom, *labels: Axis) -> None:
        """``x`` has these axes where the array has ``axis``."""
        before = self.array.labels
        at = before.index(axis)
        self.array = Array(x, (*before[:at], *labels, *before[at + 1 :]), self.obj)

    def _split(self, axis: int, offset: int, ways: list[Way]) -> None:
        """``x[s·i + r]`` is ``r`` in the rows of ``x`` that are ``s`` long, as often as can be.

        At last ``x[offset]``, or ``x[offset + s·i]`` among zeros, becomes the axis of ``i``.
        """
        block, at = self.block, self.array.labels.index(axis)
        x = self.array.term
        for done, (label, slope, width) in enumerate(ways[:-1], 1):
            step, count = abs(slope), label.extent
            low = sum(min(0, s) * (a.extent - 1) for a, s, _ in ways[done:])
            offset += low + min(0, slope) * (count - 1)
            x = block.covered(x, at, offset, step * count)
            x = block.reshaped(x, (*shape_of(x)[:at], count, step, *shape_of(x)[at + 1 :]))
            x = block.part(x, at + 1, 0, 1, width)
            x = x if slope > 0 else block.part(x, at, count - 1, -1, count)
            at, offset = at + 1, -low
        extent = shape_of(x)[at]
        labels = tuple(label for label, _, _ in ways)
        if ways:
            (label, slope, _) = ways[-1]
            inside = _inside(offset, slope, label.extent, extent)
            x = block.part(x, at, offset + slope * inside.start, slope, len(inside))
            x = block.padded(x, at, inside.start, label.extent)
        elif 0 <= offset < extent:
            shape = shape_of(x)
            x = block.reshaped(block.part(x, at, offset, 1, 1), (*shape[:at], *shape[at + 1 :]))
        else:
            self.array = Array(Const(Literal(0, self.obj.dtype)), (), self.obj)
            return
        self._becomes(axis, x, *labels)

    def _diagonals(self, key: Key) -> Key:
        """Axes that one index drives together, ``x[i, i]``, are a window of both laid flat."""
        drivers: dict[Label, list[Label]] = {}
        for axis, index in key.items():
            if isinstance(index.at, Affine) and len(index.at.slopes) == 1:
                drivers.setdefault(next(iter(index.at.slopes)), []).append(axis)
        for label, axes in drivers.items():
            assert isinstance(label, Axis)
            both = axes if label not in self.array.labels else [*axes, label]
            driven: dict[Label, Index] = dict(key.items())
            driven[label] = Index(index_of(label))
            if len(both) == 2 and self._flatten(both, driven, label):
                key = {axis: index for axis, index in key.items() if axis not in axes}
        return key

    def _flatten(self, both: list[Label], at: Mapping[Label, Index], label: Axis) -> bool:
        """Take the diagonal that two indices run along, if all of it is there."""
        array, block = self.array, self.block
        first, second = sorted(both, key=array.labels.index)
        n, m = extent_of(first, self.obj), extent_of(second, self.obj)
        p, q = at[first].at, at[second].at
        assert isinstance(p, Affine)
        assert isinstance(q, Affine)
        start, step = p.offset * m + q.offset, p.slopes[label] * m + q.slopes[label]
        if step == 0 or not (is_within(p, n) and is_within(q, m)):
            return False
        rest = [a for a in array.labels if a not in both]
        place = array.labels.index(first)
        x = block.ordered(array, (*rest[:place], first, second, *rest[place:]), full=True)
        flat = block.reshaped(x, (*shape_of(x)[:place], n * m, *shape_of(x)[place + 2 :]))
        taken = block.part(flat, place, start, step, label.extent)
        self.array = Array(taken, (*rest[:place], label, *rest[place:]), self.obj)
        return True

    def _gather(self, key: Key) -> None:
        """Take the elements at tables of indices."""
        tables = {axis: self.block.array(index.at) for axis, index in key.items()}
        rows = in_order(label for table in tables.values() for label in table.labels)
        wanted: dict[Label, Array] = dict(tables.items())
        for label in batch(self.array.labels):
            if label in rows:
                wanted[label] = self.block.array(index_of(label))
        taken = sorted(wanted, key=self.array.labels.index)
        rest = [label for label in self.array.labels if label not in wanted]
        is_last = all(axis.last for axis in batch(rows)) and len(batch(rows)) == len(rows)
        start = len(rest) if is_last else self.array.labels.index(taken[0])
        order = [*rest[:start], *taken, *rest[start:]]
        x = self.block.ordered(self.array, order, full=False)
        indices = [self.block.ordered(wanted[label], rows, full=False) for label in taken]
        result = self.block.apply("take", x, *indices, axis=start)
        self.array = Array(result, (*rest[:start], *rows, *rest[start:]), self.obj)


def _inside(offset: int, slope: int, count: int, extent: int) -> range:
    """The ``t`` in ``[0, count)`` for which ``offset + slope * t`` is in ``[0, extent)``."""
    if slope < 0:
        return _inside(extent - 1 - offset, -slope, count, extent)
    first = max(0, -(offset // slope))
    last = min(count, (extent - 1 - offset) // slope + 1)
    return range(first, last) if first < last else range(0)


WASTE = 4
"""Rows may be so many times as long as what is read of them."""
Way = tuple[Axis, int, int]
"""An index, its step, and the width of what is below it."""


def digits(index: Affine) -> list[Way] | None:
    """The indices from the largest step down.

    None where one reaches into the next, or rows would be much longer than what is read of them.
    """
    found: list[Way] = []
    width = 1
    for label, slope in sorted(index.slopes.items(), key=lambda item: abs(item[1])):
        if isinstance(label, int) or (not label.extent and len(index.slopes) > 1):
            return None
        if found and not width <= abs(slope) <= WASTE * width:
            return None
        found.append((label, slope, width))
        width += abs(slope) * (label.extent - 1)
    return found[::-1]


class Sliding(NamedTuple):
    """``x[offset + step·i + direction·j]``: a window for each ``i``, along which ``j`` runs."""

    tiled: Axis
    step: int
    running: Axis
    direction: int

    @property
    def length(self) -> int:
        """How much of ``x`` the windows cover."""
        return abs(self.step) * (self.tiled.extent - 1) + self.running.extent


def sliding(slopes: Mapping[Label, int]) -> Sliding | None:
    """How two indices slide, if they do: one of them by single steps, the other seldom."""
    axes = batch(slopes)
    if len(slopes) != 2 or len(axes) != 2 or any(axis.extent < 2 for axis in axes):
        return None
    ways = [
        Sliding(tiled, slopes[tiled], running, slopes[running])
        for tiled, running in (axes, axes[::-1])
        if abs(slopes[running]) == 1
    ]
    best = min(ways, key=lambda way: way.tiled.extent * way.length, default=None)
    return best if best is not None and best.length <= WASTE * best.running.extent else None


def windows(block: Block, x: Atom, at: int, way: Sliding, offset: int) -> Atom:
    """``x`` with two axes in place of its axis ``at``: the tiled one, and the one that runs."""
    count, width, length = way.tiled.extent, way.running.extent, way.length
    step, low = way.step, offset + min(0, way.step) * (count - 1)
    low += min(0, way.direction) * (width - 1)
    row = block.covered(x, at, low, length)
    if way.direction < 0:
        row, step = block.part(row, at, length - 1, -1, length), -step
    before, after = shape_of(row)[:at], shape_of(row)[at + 1 :]
    rows = count + (-(-count * step // length) if step > 0 else 0)
    one = block.reshaped(row, (*before, 1, length, *after))
    tiled = block.broadcast(one, (*before, rows, length, *after))
    flat = block.reshaped(tiled, (*before, rows * length, *after))
    first = max(0, -step) * (count - 1)
    cut = block.part(flat, at, first, 1, count * (length + step))
    sheared = block.reshaped(cut, (*before, count, length + step, *after))
    return block.part(sheared, at + 1, 0, 1, width)
