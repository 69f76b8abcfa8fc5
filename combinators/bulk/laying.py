"""Labelled arrays as arrays: axes put in an order, what was put off repeated, operands aligned."""

from __future__ import annotations

from collections.abc import Sequence

from combinators.bulk.block import Atom, Axis, Block, Shape, shape_of
from combinators.bulk.values import (
    Affine,
    Array,
    Label,
    Labels,
    Product,
    Tensors,
    batch,
    in_order,
    place_of,
)
from combinators.errors import Place
from combinators.objects import Int, Tensor
from combinators.operation import Operation, named


def extent_of(label: Label, obj: Tensor) -> int:
    """The extent of an axis of an array whose values have type ``obj``."""
    return obj.shape[label] if isinstance(label, int) else label.extent


def own_axes(obj: Tensor) -> Labels:
    """The labels of all own axes."""
    return tuple(range(len(obj.shape)))


def forced(block: Block, rep: Tensors) -> Array:
    """The numbers as an array: products are multiplied, indices written down."""
    match rep:
        case Array():
            return rep
        case Affine():
            return _tabulated(block, rep)
        case Product(left, right, _, place):
            return pointwise(block, Operation(named("multiply")), (left, right), place)


def laid(block: Block, array: Array, order: Sequence[Label], *, full: bool) -> Atom:
    """The array with its axes in this ``order``; what it lacks is of extent 1, or all there."""
    present = [label for label in order if label in array.labels]
    x = block.transposed(array.term, [array.labels.index(label) for label in present])
    if len(present) == len(order):
        return x
    lead = 0
    while lead < len(order) and order[lead] not in array.labels:
        lead += 1
    shape = tuple(
        extent_of(label, array.type) if label in array.labels else 1 for label in order[lead:]
    )
    x = block.reshaped(x, shape)
    if not full:
        return x
    return block.broadcast(x, tuple(extent_of(label, array.type) for label in order))


def spread(block: Block, array: Array, labels: Labels) -> Array:
    """The array with these axes too, where it lacks them."""
    if set(labels) <= set(array.labels):
        return array
    order = in_order((*array.labels, *labels))
    x = laid(block, array, order, full=True)
    assert not isinstance(x, tuple)
    return Array(x, order, array.type)


def raised(block: Block, array: Array, out: Tensor) -> Array:
    """The array as an operand of what gives ``out``: its own axes are counted from the last."""
    more = len(out.shape) - len(array.type.shape)
    stale = {
        axis
        for axis, n in enumerate(array.type.shape)
        if n == 1 and out.shape[axis + more] != 1 and axis in array.labels
    }
    obj = Tensor(out.shape, array.type.dtype)
    if not more and not stale:
        return Array(array.term, array.labels, obj)
    kept = tuple(label for label in array.labels if label not in stale)
    x = array.term
    if stale:
        x = block.reshaped(x, tuple(extent_of(label, array.type) for label in kept))
    return Array(x, tuple(a + more if isinstance(a, int) else a for a in kept), obj)


def pointwise(
    block: Block, operation: Operation, reps: Sequence[Tensors], place: Place | None = None
) -> Array:
    """An elementwise operation on arrays that may lack axes; what all lack, the result lacks."""
    out = operation.type(*[rep.type for rep in reps])
    assert isinstance(out, Tensor)
    arrays = [forced(block, rep) for rep in reps]
    labels = _alike(arrays, out)
    if labels is not None:
        line = block.operate(operation, *[array.term for array in arrays], place=place)
        return Array(line, labels, out)
    arrays = [raised(block, array, out) for array in arrays]
    order = in_order(label for array in arrays for label in array.labels)
    args = [laid(block, array, order, full=False) for array in arrays]
    result = block.operate(operation, *args, place=place)
    return Array(result, order, out)


def _alike(arrays: Sequence[Array], out: Tensor) -> Labels | None:
    """The labels that all have, or none, in order; None where something has to be moved."""
    found: Labels = ()
    for array in arrays:
        if array.labels:
            if array.type.shape != out.shape or (found and found != array.labels):
                return None
            found = array.labels
    return found if len(found) < 2 or in_order(found) == found else None


def _tabulated(block: Block, rep: Affine) -> Array:
    """A table of indices; those of batch axes are written where their build stands."""
    if rep.made:
        return rep.made[0]
    axes = batch(rep.slopes)
    is_everywhere = len(axes) == len(rep.slopes)
    if axes and is_everywhere:
        block = max(axes, key=place_of).block
    made: Array | None = None
    for label in in_order(rep.slopes):
        term: Atom = block.positions(extent_of(label, rep.type))
        slope = rep.slopes[label]
        if slope != 1:
            term = block.apply("multiply", term, block.number(slope))
        column = Array(term, (label,), rep.type)
        made = column if made is None else _plus(block, made, column)
    if made is None:
        made = Array(block.number(rep.offset), (), Int)
    elif rep.offset:
        made = _plus(block, made, Array(block.number(rep.offset), (), Int))
    table = Array(made.term, made.labels, rep.type)
    if is_everywhere:
        rep.made.append(table)
    return table


def _plus(block: Block, x: Array, y: Array) -> Array:
    return pointwise(block, Operation(named("add")), (x, y))


def whole(block: Block, array: Array) -> Atom:
    """An array without batch axes as it is to others: all its own axes, in order."""
    return laid(block, array, own_axes(array.type), full=True)


def plain(term: Atom) -> Array:
    """An array with its own axes in order."""
    assert isinstance(term.type, Tensor)
    return Array(term, own_axes(term.type), term.type)


__all__ = ["Axis", "Shape", "shape_of"]
