"""Batched values: what a term stands for while builds are undone, arrays whose axes bear labels.

Inside ``build1 k (λi. …)`` a term stands for all its values at once. The index ``i`` is an
``Axis``, and an array has labels, one for each of its axes: an ``Axis``, or the number of an axis
that the term itself has, its *own*. What does not depend on ``i`` has no such axis, so that
``replicate k t`` is put off until something needs it; own axes may be put off too. A transpose, and
the end of a build, only change labels. So of

    build 5 (λi. build 3 (λj. transpose a [i] * u[j]))        a : Tensor[3, 5], u : Tensor[3]

``transpose a`` is ``a`` with the labels ``(1, 0)``, indexed at ``i`` it is ``a`` with ``(0, i)``,
and at ``j`` with ``(j, i)``; ``u[j]`` is ``u`` with ``(j,)``. The product aligns them,

    transpose a * reshape[1, 3] u                             labels (i, j)

and the ends of both builds call its axes ``(0, 1)``.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import count
from typing import Any

from combinators import block
from combinators.errors import Place
from combinators.objects import Int, Tensor
from combinators.operation import Operation, named
from combinators.terms import Const, Prim, Term, Var, const

FEW, MANY = 32, 1024
"""Rows of at most so many numbers, and at least so many of them, are laid column by column."""
Shape = tuple[int, ...]
Atom = Var | Const


def shape_of(term: Term) -> Shape:
    """The shape of a tensor."""
    assert isinstance(term.type, Tensor)
    return term.type.shape


@dataclass(frozen=True, eq=False, slots=True)
class Axis:
    """The index of a build, which is a batch axis of what depends on it.

    Builds further in have larger serials. The axis of many small rows is laid ``last``, so that
    each number of a row is a column in memory.
    """

    extent: int
    last: bool = False
    serial: int = field(default_factory=count().__next__)

    def __repr__(self) -> str:
        """Its number and extent."""
        return f"i{self.serial}<{self.extent}"


Label = Axis | int
Labels = tuple[Label, ...]


def place_of(label: Label) -> tuple[int, int]:
    """Where a label stands among others: batch axes from the outermost build in, then own axes.

    The batch axes of many small rows come after these.
    """
    return (1, label) if isinstance(label, int) else (2 * label.last, label.serial)


def in_order(labels: Iterable[Label]) -> Labels:
    """Labels in the order in which they stand in a result, each once."""
    return tuple(sorted(set(labels), key=place_of))


def batch(labels: Iterable[Label]) -> tuple[Axis, ...]:
    """The batch axes among labels."""
    return tuple(label for label in labels if isinstance(label, Axis))


@dataclass(frozen=True, eq=False, slots=True)
class Array:
    """An atom, a label for each axis that it has, and the type of one of its values."""

    term: Var | Const
    labels: Labels
    type: Tensor


@dataclass(frozen=True, eq=False, slots=True)
class Affine:
    """Integers ``offset + Σ slope · label``; ``known`` are those of a constant."""

    offset: int
    slopes: Mapping[Label, int]
    type: Tensor
    known: Array | None = None

    @property
    def labels(self) -> Labels:
        """Those that it depends on."""
        return in_order(self.slopes)


@dataclass(frozen=True, eq=False, slots=True)
class Product:
    """A product that is not yet multiplied out, since a sum may contract it.

    Both sides have the own axes of the product, or lack them.
    """

    left: Array | Product
    right: Array | Product
    type: Tensor
    place: Place | None = None

    @property
    def factors(self) -> tuple[Array, ...]:
        """What is multiplied, from the left."""
        sides = (self.left, self.right)
        return tuple(f for s in sides for f in (s.factors if isinstance(s, Product) else (s,)))

    @property
    def labels(self) -> Labels:
        """Those of all factors."""
        return in_order(label for factor in self.factors for label in factor.labels)


Tensors = Array | Affine | Product


def rows_axis(extent: int, size: int) -> Axis:
    """The index of so many rows of at most this size."""
    return Axis(extent, last=extent >= MANY and 1 < size <= FEW)


def relabelled(rep: Tensors, new: Mapping[Any, Label], obj: Tensor) -> Tensors:
    """The same numbers with other labels, and so of another type: nothing is moved."""

    def changed(labels: Iterable[Label]) -> Labels:
        return tuple(new.get(label, label) for label in labels)

    match rep:
        case Array(term, labels):
            return Array(term, changed(labels), obj)
        case Affine(offset, slopes):
            return Affine(offset, dict(zip(changed(slopes), slopes.values(), strict=True)), obj)
        case Product(left, right, _, place):
            sides = relabelled(left, new, obj), relabelled(right, new, obj)
            assert not isinstance(sides[0], Affine)
            assert not isinstance(sides[1], Affine)
            return Product(sides[0], sides[1], obj, place)


def extent_of(label: Label, obj: Tensor) -> int:
    """The extent of an axis of an array whose values have type ``obj``."""
    return obj.shape[label] if isinstance(label, int) else label.extent


def own_labels(obj: Tensor) -> tuple[int, ...]:
    """The labels of all own axes."""
    return tuple(range(len(obj.shape)))


class Block(block.Block):
    """The lines of a block, and the moves of arrays that are written there."""

    def apply(self, name: str, *args: Term, place: Place | None = None, **parameters: Any) -> Var:
        """A line that applies a primitive."""
        return self.operate(Operation(named(name), tuple(parameters.items())), *args, place=place)

    def operate(self, operation: Operation, *args: Term, place: Place | None = None) -> Var:
        """A line that applies an operation."""
        return self.bind(Prim(operation, args, place))

    def transposed(self, x: Atom, axes: Sequence[int]) -> Atom:
        """``x`` with its axes in this order."""
        order = tuple(axes)
        return x if order == tuple(range(len(order))) else self.apply("transpose", x, axes=order)

    def reshaped(self, x: Atom, shape: Shape) -> Atom:
        """``x`` in this shape."""
        return x if shape_of(x) == shape else self.apply("reshape", x, shape=shape)

    def broadcast(self, x: Atom, shape: Shape) -> Atom:
        """``x`` repeated to this shape."""
        return x if shape_of(x) == shape else self.apply("broadcast_to", x, shape=shape)

    def part(self, x: Atom, axis: int, start: int, step: int, extent: int) -> Atom:
        """The elements ``start, start + step, …`` of ``x`` along ``axis``, so many of them."""
        shape = shape_of(x)
        if extent == shape[axis] and (extent == 0 or (start == 0 and step == 1)):
            return x
        starts, steps = [0] * len(shape), [1] * len(shape)
        starts[axis], steps[axis] = (start if extent else 0), (step if extent > 1 else 1)
        return self.window(x, starts, steps, (*shape[:axis], extent, *shape[axis + 1 :]))

    def window(self, x: Atom, start: Sequence[int], step: Sequence[int], extent: Shape) -> Atom:
        """A window of ``x``; all of it is ``x`` itself."""
        if extent == shape_of(x) and not any(start) and all(stride == 1 for stride in step):
            return x
        return self.apply("slice", x, start=tuple(start), step=tuple(step), extent=extent)

    def covered(self, x: Atom, axis: int, low: int, extent: int) -> Atom:
        """So many elements along ``axis`` from ``low`` on; zeros where there are none."""
        start = max(low, 0)
        inside = max(0, min(low + extent, shape_of(x)[axis]) - start)
        part = self.part(x, axis, start, 1, inside)
        return self.padded(part, axis, start - low if inside else 0, extent)

    def padded(self, x: Atom, axis: int, start: int, extent: int) -> Atom:
        """``x`` among zeros along ``axis``, where it begins at ``start``."""
        shape = shape_of(x)
        if shape[axis] == extent:
            return x
        starts = [0] * len(shape)
        starts[axis] = start if math.prod(shape) else 0
        whole = (*shape[:axis], extent, *shape[axis + 1 :])
        return self.apply("embed", x, start=tuple(starts), step=(1,) * len(shape), shape=whole)

    def array(self, rep: Tensors) -> Array:
        """The numbers as an array: products are multiplied, indices written down."""
        match rep:
            case Array():
                return rep
            case Affine():
                return rep.known or self._tabulated(rep)
            case Product(left, right, _, place):
                return self.pointwise("multiply", (left, right), place)

    def ordered(self, array: Array, order: Sequence[Label], *, full: bool) -> Atom:
        """The array with its axes in this ``order``; what it lacks is of extent 1, or all there."""
        present = [label for label in order if label in array.labels]
        x = self.transposed(array.term, [array.labels.index(label) for label in present])
        if len(present) == len(order):
            return x
        lead = order.index(present[0]) if present else len(order)
        shape = tuple(
            extent_of(label, array.type) if label in array.labels else 1 for label in order[lead:]
        )
        x = self.reshaped(x, shape)
        if not full:
            return x
        whole = tuple(extent_of(label, array.type) for label in order)
        alike = math.prod(whole) == math.prod(shape_of(x))
        return self.reshaped(x, whole) if alike else self.broadcast(x, whole)

    def with_axes(self, array: Array, labels: Labels) -> Array:
        """The array with these axes too, where it lacks them."""
        if set(labels) <= set(array.labels):
            return array
        order = in_order((*array.labels, *labels))
        return Array(self.ordered(array, order, full=True), order, array.type)

    def squeezed(self, array: Array, stale: Container[Label]) -> Array:
        """The array without these of its axes, which are of extent 1."""
        kept = tuple(label for label in array.labels if label not in stale)
        if kept == array.labels:
            return array
        shape = tuple(extent_of(label, array.type) for label in kept)
        return Array(self.reshaped(array.term, shape), kept, array.type)

    def as_operand(self, array: Array, out: Tensor) -> Array:
        """The array as an operand of what gives ``out``: its own axes are counted from the last."""
        if array.type.shape == out.shape:
            return array
        more = len(out.shape) - len(array.type.shape)
        stale = {a for a, n in enumerate(array.type.shape) if n == 1 and out.shape[a + more] != 1}
        kept = self.squeezed(array, stale)
        labels = tuple(a + more if isinstance(a, int) else a for a in kept.labels)
        return Array(kept.term, labels, Tensor(out.shape, array.type.dtype))

    def pointwise(
        self, operation: Operation | str, reps: Sequence[Tensors], place: Place | None = None
    ) -> Array:
        """An elementwise operation on arrays that may lack axes; what all lack, the result lacks.

        Outside of builds axes stay as they lie, where they all lie in one way.
        """
        if isinstance(operation, str):
            operation = Operation(named(operation))
        out = operation.type(*[rep.type for rep in reps])
        assert isinstance(out, Tensor)
        arrays = [self.as_operand(self.array(rep), out) for rep in reps]
        order = in_order(label for array in arrays for label in array.labels)
        lie = {array.labels for array in arrays if len(array.labels) == len(order)}
        order = order if len(lie) != 1 or batch(order) else lie.pop()
        args = [self.ordered(array, order, full=False) for array in arrays]
        return Array(self.operate(operation, *args, place=place), order, out)

    def _tabulated(self, rep: Affine) -> Array:
        """A table of indices."""
        columns = []
        for label in in_order(rep.slopes):
            term: Atom = self.apply("iota", length=extent_of(label, rep.type))
            if (slope := rep.slopes[label]) != 1:
                term = self.apply("multiply", term, const(slope, "int64"))
            columns.append(Array(term, (label,), rep.type))
        if rep.offset or not columns:
            columns.append(Array(const(rep.offset, "int64"), (), Int))
        made = reduce(lambda x, y: self.pointwise("add", (x, y)), columns)
        return Array(made.term, made.labels, rep.type)
