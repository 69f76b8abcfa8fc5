"""``index x ix`` at all indices at once: affine indices move nothing, others make a ``gather``.

An own axis that is indexed by an affine index of one build, ``x[2 * i + 1]``, becomes that build's
axis of a slice of ``x``; one that sticks out reads zeros. Any other index is a table of integers,
and the elements are taken at it (Fig. 11 of 003): an axis that the array and the table share is
taken at its own positions, ``gather (k ::: sh) … (λ(i ::: is). i ::: ix)``.
"""

from __future__ import annotations

from combinators.bulk.affine import arithmetic, index_of, is_within, number
from combinators.bulk.block import Axis, Block
from combinators.bulk.laying import extent_of, forced, laid
from combinators.bulk.masking import (
    Index,
    Key,
    closed_up,
    is_sure,
    masked,
    validity,
    without,
)
from combinators.bulk.sliding import sliding, windows
from combinators.bulk.values import Affine, Array, Label, Tensors, in_order, relabelled
from combinators.literal import Literal
from combinators.terms import Const


def selected(block: Block, rep: Tensors, key: Key) -> Tensors:
    """``rep`` at these indices, which have no own axes; the other own axes keep their order."""
    if isinstance(rep, Affine):
        valid = validity(block, key, rep.type)
        found = _substituted(block, rep, key)
        return found if valid is None else masked(block, found, valid)
    selecting = _Selecting(block, forced(block, rep))
    return selecting.at(key)


def _substituted(block: Block, rep: Affine, key: Key) -> Tensors:
    """``offset + slope * index``: affine again, where the index is."""
    obj = without(rep.type, key)
    slopes = {label: s for label, s in rep.slopes.items() if label not in key}
    found: Tensors = relabelled(Affine(rep.offset, slopes, rep.type), closed_up(rep.type, key), obj)
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
        rest = relabelled(array, closed_up(self.obj, key), without(self.obj, key))
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
            return self._shear(axis, index.at)
        ((label, slope),) = index.at.slopes.items()
        assert isinstance(label, Axis)
        self._slide(axis, label, index.at.offset, slope)
        return True

    def _shear(self, axis: int, index: Affine) -> bool:
        """The windows that two indices slide over an axis, if they do."""
        way = sliding(index.slopes)
        if way is None:
            return False
        array = self.array
        at = array.labels.index(axis)
        x = windows(self.block, array.term, at, way, index.offset)
        labels = (*array.labels[:at], way.tiled, way.running, *array.labels[at + 1 :])
        self.array = Array(x, labels, self.obj)
        return True

    def _pick(self, axis: int, position: int) -> None:
        """One element along an axis; zeros where there is none."""
        array, extent = self.array, self.obj.shape[axis]
        kept = tuple(label for label in array.labels if label != axis)
        if not 0 <= position < extent:
            zero = Const(Literal(0, self.obj.dtype))
            self.array = Array(zero, (), self.obj)
            return
        row = self.block.part(array.term, array.labels.index(axis), position, 1, 1)
        shape = tuple(extent_of(label, self.obj) for label in kept)
        self.array = Array(self.block.reshaped(row, shape), kept, self.obj)

    def _slide(self, axis: int, label: Axis, offset: int, slope: int) -> None:
        """The elements ``offset + slope * i`` along an axis, which becomes the axis of ``i``."""
        array, extent = self.array, self.obj.shape[axis]
        inside = _inside(offset, slope, label.extent, extent)
        at = array.labels.index(axis)
        first = offset + slope * inside.start
        x = self.block.part(array.term, at, first, slope, len(inside))
        x = self.block.padded(x, at, inside.start, label.extent)
        labels = (*array.labels[:at], label, *array.labels[at + 1 :])
        self.array = Array(x, labels, self.obj)

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
        x = laid(self.block, array, order, full=True)
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
        tables = {axis: forced(self.block, index.at) for axis, index in key.items()}
        rows = in_order(label for table in tables.values() for label in table.labels)
        shared = [label for label in self.array.labels if label in rows]
        wanted: dict[Label, Array] = dict(tables.items())
        wanted.update((label, self._own_positions(label)) for label in shared)
        taken = sorted(wanted, key=self.array.labels.index)
        start = self.array.labels.index(taken[0])
        rest = [label for label in self.array.labels if label not in wanted]
        order = [*rest[:start], *taken, *rest[start:]]
        x = laid(self.block, self.array, order, full=False)
        indices = [laid(self.block, wanted[label], rows, full=False) for label in taken]
        result = self.block.apply("take", x, *indices, axis=start)
        self.array = Array(result, (*rest[:start], *rows, *rest[start:]), self.obj)

    def _own_positions(self, label: Label) -> Array:
        assert isinstance(label, Axis)
        return forced(self.block, index_of(label))


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
