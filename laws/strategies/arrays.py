"""Ways to an arrow into a tensor: pointwise operations, sums, layouts, indices and products."""

from __future__ import annotations

import numpy as np

from combinators.literal import Literal
from combinators.morphisms import Constant, Morphism, Primitive, prod
from combinators.objects import Object, Tensor
from combinators.operation import Operation, named
from laws.strategies.making import Making

EXTENTS = (1, 2, 0, 3)
"""Of axes that are summed over."""


def pointwise(make: Making, dom: Object, cod: Tensor) -> Morphism:
    """A pointwise operation; an argument may be a number where the others are tensors."""
    name = make.choices.pick(sorted(make.signature.operations))
    arity = make.signature.operations[name]
    kinds = [cod]
    for _ in range(1, arity):
        kinds.append(make.choices.pick((cod, Tensor((), cod.dtype))) if cod.shape else cod)
    return make.applied(Operation(named(name)), dom, kinds)


def summed(make: Making, dom: Object, cod: Tensor) -> Morphism:
    """The sum along an axis."""
    axis = make.choices.below(len(cod.shape) + 1)
    source = _with_axis(cod, axis, make.choices.pick(EXTENTS))
    operation = Operation(named("sum"), (("axis", (axis,)), ("keepdims", False)))
    return make.applied(operation, dom, [source])


def spread(make: Making, dom: Object, cod: Tensor) -> Morphism:
    """A number, or one row, repeated."""
    shapes = ((), (1, *cod.shape[1:]), cod.shape[1:])
    source = Tensor(make.choices.pick(shapes), cod.dtype)
    return make.applied(Operation(named("broadcast_to"), (("shape", cod.shape),)), dom, [source])


def reshaped(make: Making, dom: Object, cod: Tensor) -> Morphism:
    """A tensor of another shape laid out anew."""
    source = Tensor((cod.size,) if len(cod.shape) != 1 else (1, cod.size), cod.dtype)
    return make.applied(Operation(named("reshape"), (("shape", cod.shape),)), dom, [source])


def transposed(make: Making, dom: Object, cod: Tensor) -> Morphism:
    """The axes in the opposite order."""
    axes = tuple(reversed(range(len(cod.shape))))
    source = Tensor(cod.shape[::-1], cod.dtype)
    return make.applied(Operation(named("transpose"), (("axes", axes),)), dom, [source])


def joined(make: Making, dom: Object, cod: Tensor) -> Morphism:
    """Two tensors one after the other."""
    axis = make.choices.below(len(cod.shape))
    before = make.choices.below(cod.shape[axis] + 1)
    kinds = [_extent(cod, axis, n) for n in (before, cod.shape[axis] - before)]
    return make.applied(Operation(named("concatenate"), (("axis", axis),)), dom, kinds)


def cut(make: Making, dom: Object, cod: Tensor) -> Morphism:
    """A window, or the rows from last to first."""
    axis, extent = make.choices.below(len(cod.shape)), cod.shape
    start, step = [0] * len(extent), [1] * len(extent)
    source = cod
    if make.choices.below(2) or not extent[axis]:
        start[axis], source = int(extent[axis] > 0), _extent(cod, axis, extent[axis] + 1)
    else:
        start[axis], step[axis] = extent[axis] - 1, -1
    window = (("start", tuple(start)), ("step", tuple(step)), ("extent", extent))
    return make.applied(Operation(named("slice"), window), dom, [source])


def taken(make: Making, dom: Object, cod: Tensor) -> Morphism:
    """Rows at indices, of which some may be equal, or outside, where they are 0."""
    rows = 1 + make.choices.below(2)
    wanted = (*range(rows), rows, -1)
    axis = 0
    several = cod.shape[:1]
    at = [make.choices.pick(wanted) for _ in range(int(np.prod(several, dtype=int)))]
    index = Literal(np.array(at, dtype=np.int64).reshape(several))
    source = Tensor((rows, *cod.shape[1:]), cod.dtype)
    parts = prod(dom, make.arrow(dom, source), Constant(dom, index))
    return parts >> Primitive(Operation(named("take"), (("axis", axis),)), (source, index.type))


def multiplied(make: Making, dom: Object, cod: Tensor) -> Morphism:
    """A product of matrices."""
    *batch, rows, columns = cod.shape
    inner = make.choices.pick((columns, *EXTENTS))
    kinds = [Tensor((*batch, rows, inner), cod.dtype), Tensor((inner, columns), cod.dtype)]
    return make.applied(Operation(named("matmul")), dom, kinds)


def _with_axis(cod: Tensor, axis: int, extent: int) -> Tensor:
    return Tensor((*cod.shape[:axis], extent, *cod.shape[axis:]), cod.dtype)


def _extent(cod: Tensor, axis: int, extent: int) -> Tensor:
    return Tensor((*cod.shape[:axis], extent, *cod.shape[axis + 1 :]), cod.dtype)
