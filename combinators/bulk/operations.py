"""Operations that the language of 003 has not, on labelled arrays: batch axes go along."""

from __future__ import annotations

from collections.abc import Sequence

from combinators.bulk.block import shape_of
from combinators.bulk.contraction import matrix_product
from combinators.bulk.laying import extent_of, forced, pointwise, spread
from combinators.bulk.rule import Site
from combinators.bulk.values import Array, Label, Rep, Whole, in_order
from combinators.objects import Tensor
from combinators.operation import Operation, named


def windowed(site: Site) -> Rep:
    """A slice; an axis that is put off stays so."""
    known, array = site.parameters, forced(site.block, site.reps[0])
    start, step = _along_own(array, known["start"], 0), _along_own(array, known["step"], 1)
    extent = tuple(
        known["extent"][label] if isinstance(label, int) else label.extent for label in array.labels
    )
    x = site.block.window(array.term, start, step, extent)
    return Array(x, array.labels, Tensor(known["extent"], array.type.dtype))


def _along_own(array: Array, values: Sequence[int], other: int) -> list[int]:
    return [values[label] if isinstance(label, int) else other for label in array.labels]


def embedded(site: Site) -> Rep:
    """What is put among zeros, in each place of the builds."""
    known, given = site.parameters, forced(site.block, site.reps[0])
    shape = known["shape"]
    wide = [axis for axis, n in enumerate(given.type.shape) if n != shape[axis]]
    array = spread(site.block, given, tuple(wide))
    out = Tensor(shape, array.type.dtype)
    result = array.term
    whole = tuple(extent_of(label, out) for label in array.labels)
    start, step = _along_own(array, known["start"], 0), _along_own(array, known["step"], 1)
    if whole != shape_of(array.term) or any(stride != 1 for stride in step):
        operation = site.of(start=tuple(start), step=tuple(step), shape=whole).operation
        result = site.block.operate(operation, array.term, place=site.place)
    return Array(result, array.labels, out)


def matmul(site: Site) -> Rep:
    """A contraction, whose left and right axes may be builds'."""
    x, y = (forced(site.block, rep) for rep in site.reps)
    out = site.operation.type(x.type, y.type)
    assert isinstance(out, Tensor)
    rank = len(out.shape)
    over = rank  # a label of its own for the axis that is summed over
    obj = Tensor((*out.shape, x.type.shape[-1]), out.dtype)
    left = spread(site.block, _placed(site, x, obj, (rank - 2, over)), (over,))
    right = spread(site.block, _placed(site, y, obj, (over, rank - 1)), (over,))
    a, b = (tuple(n for n in in_order(side.labels) if n != over) for side in (left, right))
    stacked = tuple(label for label in a if label in b)
    mine, yours = (tuple(n for n in side if n not in stacked) for side in (a, b))
    axes = (stacked, mine, yours, (over,))
    product = matrix_product(site.block, site.operation, (left, right), axes, site.place)
    return Array(product.term, product.labels, out)


def _placed(site: Site, array: Array, obj: Tensor, last: tuple[int, int]) -> Array:
    """An operand with the labels of the product, its last two axes being ``last``.

    Axes of extent 1 are put off, but for the one that is summed over.
    """
    rank, more = len(array.type.shape), len(obj.shape) - 1 - len(array.type.shape)
    moved: dict[Label, Label] = {axis: axis + more for axis in range(rank - 2)}
    moved.update({rank - 2: last[0], rank - 1: last[1]})
    stale = [a for a in range(rank) if array.type.shape[a] == 1 and moved[a] != len(obj.shape) - 1]
    kept = [label for label in array.labels if label not in stale]
    x = site.block.reshaped(array.term, tuple(extent_of(label, array.type) for label in kept))
    return Array(x, tuple(moved.get(label, label) for label in kept), obj)


def added(site: Site) -> Rep | None:
    """The sum of two cotangents that are tensors: one of cotangents again if neither is spread."""
    if not all(isinstance(rep.type, Tensor) for rep in site.reps):
        return None
    x, y = (forced(site.block, rep) for rep in site.reps)
    alike = set(x.labels) == set(y.labels)
    operation = site.operation if alike else Operation(named("add"))
    return pointwise(site.block, operation, (x, y), site.place)


def constant(site: Site) -> Rep:
    """What has no operands depends on no index."""
    obj = site.operation.type()
    line = site.block.operate(site.operation, place=site.place)
    if not isinstance(obj, Tensor):
        return Whole(line, obj)
    return Array(line, tuple(range(len(obj.shape))), obj)
