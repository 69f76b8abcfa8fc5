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
    is_sure,
    is_within,
    left_after,
    masked,
    number,
    validity,
    without,
)
from combinators.bulk.batches import (
    Affine,
    Array,
    Label,
    Tensors,
    array_of,
    batch,
    extent_of,
    in_order,
    in_order_of,
    relabelled,
)
from combinators.bulk.block import Atom, Axis, Block, shape_of
from combinators.literal import Literal
from combinators.objects import Tensor
from combinators.terms import Const


def selected(block: Block, rep: Tensors, key: Key) -> Tensors:
    """``rep`` at these indices, which have no own axes; the other own axes keep their order."""
    if isinstance(rep, Affine):
        valid = validity(block, key, rep.type)
        found = _substituted(block, rep, key)
        return found if valid is None else masked(block, found, valid)
    selecting = _Selecting(block, array_of(block, rep))
    return selecting.at(key)


def _substituted(block: Block, rep: Affine, key: Key) -> Tensors:
    """``offset + slope * index``: affine again, where the index is."""
    slopes = {label: s for label, s in rep.slopes.items() if label not in key}
    rest = Affine(rep.offset, slopes, rep.type)
    found = relabelled(rest, left_after(key, len(rep.type.shape)), without(rep.type, key))
    for label, slope in rep.slopes.items():
        if isinstance(label, int) and label in key:
            step = arithmetic(block, "multiply", key[label].at, number(slope))
            found = arithmetic(block, "add", found, step)
    return found


class _Selecting:
    """One array, whose axes are indexed one after the other."""

    def __init__(self, block: Block, array: Array) -> None:
        self.block, self.obj = block, array.type
        self.array = array
        self.unsure: dict[int, Index] = {}
        """Indices of axes that are put off: they choose nothing, but may lie outside."""

    def at(self, key: Key) -> Tensors:
        """Affine indices first, which make the array smaller; the others together."""
        left = {axis: i for axis, i in key.items() if not self._is_easy(axis, i, key)}
        left = self._diagonals(left)
        todo = {axis: index for axis, index in left.items() if axis in self.array.labels}
        if todo:
            self._gather(todo)
        array = self.array
        assert not any(label in key for label in array.labels)
        rest = relabelled(array, left_after(key, len(self.obj.shape)), without(self.obj, key))
        valid = validity(self.block, self.unsure, self.obj)
        return rest if valid is None else masked(self.block, rest, valid)

    def _is_easy(self, axis: int, index: Index, key: Key) -> bool:
        """Index an axis without a table, if that can be."""
        extent = self.obj.shape[axis]
        if axis not in self.array.labels:
            if not is_sure(index, extent):
                self.unsure[axis] = index
            return True
        if not isinstance(index.at, Affine):
            return False
        if not index.at.slopes:
            self._pick(axis, index.at.offset)
            return True
        others = [other.at for a, other in key.items() if a != axis]
        if any(
            label in self.array.labels or any(label in other.labels for other in others)
            for label in index.at.slopes
        ):
            return False
        if len(index.at.slopes) > 1:
            return self._split(axis, index.at) or self._shear(axis, index.at)
        ((label, slope),) = index.at.slopes.items()
        assert isinstance(label, Axis)
        self._slide(axis, label, index.at.offset, slope)
        return True

    def _split(self, axis: int, index: Affine) -> bool:
        """``x[s·i + r]`` is ``r`` in the rows of ``x`` that are ``s`` long, as often as can be."""
        ways = digits(index)
        if ways is None:
            return False
        offset = index.offset
        for done, (label, slope, width) in enumerate(ways[:-1], 1):
            at, step, count = self.array.labels.index(axis), abs(slope), label.extent
            low = sum(min(0, s) * (a.extent - 1) for a, s, _ in ways[done:])
            offset += low + min(0, slope) * (count - 1)
            x = _covered(self.block, self.array.term, at, offset, step * count)
            shape = shape_of(x)
            x = self.block.reshaped(x, (*shape[:at], count, step, *shape[at + 1 :]))
            x = self.block.part(x, at + 1, 0, 1, width)
            x = x if slope > 0 else self.block.part(x, at, count - 1, -1, count)
            extents = (*self.obj.shape[:axis], width, *self.obj.shape[axis + 1 :])
            labels = (*self.array.labels[:at], label, *self.array.labels[at:])
            self.obj = Tensor(extents, self.obj.dtype)
            self.array, offset = Array(x, labels, self.obj), -low
        label, slope, _ = ways[-1]
        self._slide(axis, label, offset, slope)
        return True

    def _shear(self, axis: int, index: Affine) -> bool:
        """The windows that two indices slide over an axis, if they do."""
        way = sliding(index.slopes)
        if way is None:
            return False
        x = windows(self.block, self.array.term, self.array.labels.index(axis), way, index.offset)
        self._becomes(axis, x, way.tiled, way.running)
        return True

    def _becomes(self, axis: int, x: Atom, *labels: Axis) -> None:
        """``x`` has these axes where the array has ``axis``."""
        before = self.array.labels
        at = before.index(axis)
        self.array = Array(x, (*before[:at], *labels, *before[at + 1 :]), self.obj)

    def _pick(self, axis: int, position: int) -> None:
        """One element along an axis; zeros where there is none."""
        array, extent = self.array, self.obj.shape[axis]
        if not 0 <= position < extent:
            self.array = Array(Const(Literal(0, self.obj.dtype)), (), self.obj)
            return
        row = self.block.part(array.term, array.labels.index(axis), position, 1, 1)
        shape = tuple(extent_of(label, self.obj) for label in array.labels if label != axis)
        self._becomes(axis, self.block.reshaped(row, shape))

    def _slide(self, axis: int, label: Axis, offset: int, slope: int) -> None:
        """The elements ``offset + slope * i`` along an axis, which becomes the axis of ``i``."""
        array, extent = self.array, self.obj.shape[axis]
        inside = _inside(offset, slope, label.extent, extent)
        at = array.labels.index(axis)
        first = offset + slope * inside.start
        x = self.block.part(array.term, at, first, slope, len(inside))
        x = self.block.padded(x, at, inside.start, label.extent)
        self._becomes(axis, x, label)

    def _diagonals(self, key: dict[int, Index]) -> dict[int, Index]:
        """Axes that one index drives together, ``x[i, i]``, are a window of both laid flat."""
        for axis, index in list(key.items()):
            partner: Tensors
            other: Label
            label = _driver(index.at)
            if label is None or axis not in self.array.labels or axis not in key:
                continue
            others = [a for a, other in key.items() if a != axis and _driver(other.at) is label]
            if label in self.array.labels and not others:
                other, partner = label, index_of(label)
            elif len(others) == 1 and label not in self.array.labels:
                ((other,), partner) = others, key[others[0]].at
            else:
                continue
            if self._flatten((axis, index.at), (other, partner), label):
                key = {a: i for a, i in key.items() if a not in (axis, other)}
        return key

    def _flatten(self, one: tuple[Label, Tensors], two: tuple[Label, Tensors], label: Axis) -> bool:
        """Take the diagonal that two indices run along, if all of it is there."""
        array = self.array
        (first, p), (second, q) = sorted((one, two), key=lambda it: array.labels.index(it[0]))
        n, m = extent_of(first, self.obj), extent_of(second, self.obj)
        assert isinstance(p, Affine)
        assert isinstance(q, Affine)
        if not (is_within(p, n) and is_within(q, m)):
            return False
        rest = [a for a in array.labels if a not in (first, second)]
        at = array.labels.index(first)
        order = (*rest[:at], first, second, *rest[at:])
        x = in_order_of(self.block, array, order, full=True)
        shape = tuple(extent_of(a, self.obj) for a in order)
        flat = self.block.reshaped(x, (*shape[:at], n * m, *shape[at + 2 :]))
        start, step = p.offset * m + q.offset, p.slopes[label] * m + q.slopes[label]
        if step == 0:
            return False
        taken = self.block.part(flat, at, start, step, label.extent)
        self.array = Array(taken, (*rest[:at], label, *rest[at:]), self.obj)
        return True

    def _gather(self, key: Key) -> None:
        """Take the elements at tables of indices."""
        tables = {axis: array_of(self.block, index.at) for axis, index in key.items()}
        rows = in_order(label for table in tables.values() for label in table.labels)
        shared = [label for label in self.array.labels if label in rows]
        wanted: dict[Label, Array] = dict(tables.items())
        for label in shared:
            assert isinstance(label, Axis)
            wanted[label] = array_of(self.block, index_of(label))
        taken = sorted(wanted, key=self.array.labels.index)
        rest = [label for label in self.array.labels if label not in wanted]
        is_last = all(axis.last for axis in batch(rows)) and len(batch(rows)) == len(rows)
        start = len(rest) if is_last else self.array.labels.index(taken[0])
        order = [*rest[:start], *taken, *rest[start:]]
        x = in_order_of(self.block, self.array, order, full=False)
        indices = [in_order_of(self.block, wanted[label], rows, full=False) for label in taken]
        result = self.block.apply("take", x, *indices, axis=start)
        self.array = Array(result, (*rest[:start], *rows, *rest[start:]), self.obj)


def _driver(index: Tensors) -> Axis | None:
    """The one axis that an affine index depends on."""
    if not isinstance(index, Affine) or len(index.slopes) != 1:
        return None
    (label,) = index.slopes
    return label if isinstance(label, Axis) else None


def _inside(offset: int, slope: int, count: int, extent: int) -> range:
    """The ``t`` in ``[0, count)`` for which ``offset + slope * t`` is in ``[0, extent)``."""
    if slope < 0:
        return _inside(extent - 1 - offset, -slope, count, extent)
    first = max(0, -(offset // slope))
    last = min(count, (extent - 1 - offset) // slope + 1)
    return range(first, last) if first < last else range(0)


WASTE = 4
"""Rows may be so many times as long as what is read of them."""


def digits(index: Affine) -> list[tuple[Axis, int, int]] | None:
    """The indices from the largest step down, each with its step and the width of what is below.

    None where one reaches into the next, or rows would be much longer than what is read of them.
    """
    found: list[tuple[Axis, int, int]] = []
    width = 1
    for label, slope in sorted(index.slopes.items(), key=lambda item: abs(item[1])):
        if isinstance(label, int) or not label.extent:
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

    @property
    def is_frugal(self) -> bool:
        """Whether rows are not much longer than windows."""
        return self.length <= WASTE * self.running.extent


def sliding(slopes: Mapping[Label, int]) -> Sliding | None:
    """How two indices slide, if they do: one of them by single steps, the other seldom."""
    if len(slopes) != 2 or any(isinstance(label, int) or label.extent < 2 for label in slopes):
        return None
    axes = [label for label in slopes if isinstance(label, Axis)]
    ways = [
        Sliding(tiled, slopes[tiled], running, slopes[running])
        for tiled, running in (axes, axes[::-1])
        if abs(slopes[running]) == 1
    ]
    best = min(ways, key=lambda way: way.tiled.extent * way.length, default=None)
    return best if best is not None and best.is_frugal else None


def windows(block: Block, x: Atom, at: int, way: Sliding, offset: int) -> Atom:
    """``x`` with two axes in place of its axis ``at``: the tiled one, and the one that runs."""
    count, width, length = way.tiled.extent, way.running.extent, way.length
    step, low = way.step, offset + min(0, way.step) * (count - 1)
    low += min(0, way.direction) * (width - 1)
    row = _covered(block, x, at, low, length)
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


def _covered(block: Block, x: Atom, at: int, low: int, length: int) -> Atom:
    """The elements from ``low`` on, so many of them; zeros where there are none."""
    extent = shape_of(x)[at]
    start, stop = max(low, 0), min(low + length, extent)
    inside = max(0, stop - start)
    part = block.part(x, at, start, 1, inside)
    return block.padded(part, at, start - low if inside else 0, length)
