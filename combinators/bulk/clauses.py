"""What ``build1`` of each operation is: its clause takes batched operands.

Pointwise operations align axes; stacks, replications, transposes and reshapes mostly change labels;
gathers and scatters at tables that depend on builds take and put at the builds' own positions, too:

    build1 k (λi. scatter sh (t i) (λj. ix i j))  ⇝  put t [0, …, k-1] ix

Reductions and matrix products are in ``contraction``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from combinators.bulk.affine import Index, Key, affine, index_of
from combinators.bulk.block import Axis, Block, shape_of
from combinators.bulk.contraction import matmul, reduced, summed
from combinators.bulk.equations import CLAUSES, Clause, Site, batched
from combinators.bulk.selection import selected
from combinators.bulk.values import (
    Affine,
    Array,
    Label,
    Product,
    Rep,
    Tensors,
    axes_of,
    batch,
    extent_of,
    forced,
    in_order,
    laid,
    own_axes,
    pointwise,
    raised,
    relabelled,
    spread,
    squeezed,
)
from combinators.objects import Tensor
from combinators.operation import PRIMITIVES, Pointwise, Primitive
from combinators.primitives.checks import CHECKS
from combinators.primitives.signatures import pointwise as pointwise_type
from combinators.primitives.signatures import predicate

MOST = 6
"""A product of more factors than these is multiplied out."""

_OURS = frozenset(
    name
    for name, primitive in PRIMITIVES.items()
    if primitive.typing in (pointwise_type, predicate)
) | {"where", "convert", "stop_gradient", *CHECKS}


def is_elementwise(primitive: Primitive) -> bool:
    """Whether a primitive works element by element: ours by their types, others by their rule."""
    if primitive.name in _OURS:
        return True
    return primitive.typing is pointwise_type and isinstance(primitive.derivative, Pointwise)


def elementwise(site: Site) -> Tensors:
    """``op`` of arrays; integers stay affine, and products inside of builds wait for a sum."""
    name, out = site.operation.name, site.type
    found = affine(name, site.reps, out)
    if found is not None:
        return found
    if name == "multiply" and any(map(axes_of, site.reps)):
        left, right = (_factor(site, rep, out) for rep in site.reps)
        product = Product(left, right, out, site.place)
        if len(product.factors) <= MOST:
            return product
    return pointwise(site.block, site.operation, site.reps, site.place)


def _factor(site: Site, rep: Tensors, out: Tensor) -> Array | Product:
    if isinstance(rep, Product) and rep.type is out:
        return rep
    return raised(site.block, forced(site.block, rep), out)


OP = Clause("build1-op", elementwise)
batched("sum", equation="build1-sumOuter")(summed)
batched("max", "min", "prod", "logsumexp", "argmax", "argmin", equation="build1-reduce")(reduced)
batched("matmul")(matmul)


def clause_of(primitive: Primitive) -> Clause | None:
    """What ``build1`` of a primitive is; None where it is not known to have a bulk form."""
    known = CLAUSES.get(primitive.name)
    return OP if known is None and is_elementwise(primitive) else known


@batched("concatenate", equation="build1-stack")
@batched("cumsum", "exclusive_cumprod", "recurrence", equation="build1-along")
def along(site: Site) -> Array:
    """What joins or runs along an own axis; every operand gets the axes that any has."""
    axis = site.parameters["axis"]
    arrays = [forced(site.block, rep) for rep in site.reps]
    labels = in_order((axis, *(label for array in arrays for label in array.labels)))
    args = [laid(site.block, array, labels, full=True) for array in arrays]
    operation = site.of(axis=labels.index(axis)).operation
    return Array(site.block.operate(operation, *args, place=site.place), labels, site.type)


@batched("broadcast_to", equation="build1-replicate")
def broadcasted(site: Site) -> Tensors:
    """``replicate``: new axes are put off."""
    (rep,), out = site.reps, site.type
    more = len(out.shape) - len(rep.type.shape)
    if out.shape[more:] == rep.type.shape:
        return relabelled(rep, {a: a + more for a in range(len(rep.type.shape))}, out)
    return raised(site.block, forced(site.block, rep), out)


@batched("transpose", equation="build1-tr")
def transposed(site: Site) -> Tensors:
    """Labels change."""
    moved = {axis: number for number, axis in enumerate(site.parameters["axes"])}
    return relabelled(site.reps[0], moved, site.type)


@batched("reshape")
def reshaped(site: Site) -> Tensors:
    """Axes of extent 1 come and go; else the own axes stand side by side."""
    (rep,), out = site.reps, site.type
    moved = _aligned(rep.type.shape, out.shape)
    if moved is not None and all(rep.type.shape[a] != 1 for a in rep.labels if isinstance(a, int)):
        return relabelled(rep, moved, out)
    array = forced(site.block, rep)
    if moved is not None:
        ones = [a for a in own_axes(array.type) if a not in moved]
        return relabelled(squeezed(site.block, array, ones), moved, out)
    builds = batch(array.labels)
    x = laid(site.block, array, in_order((*builds, *own_axes(array.type))), full=True)
    labels = in_order((*builds, *own_axes(out)))
    shape = tuple(extent_of(label, out) for label in labels)
    return Array(site.block.reshaped(x, shape), labels, out)


def _aligned(given: tuple[int, ...], wanted: tuple[int, ...]) -> dict[int, int] | None:
    """Where the axes go, if only axes of extent 1 come and go."""
    if 0 in given or [n for n in given if n != 1] != [n for n in wanted if n != 1]:
        return None
    places = [axis for axis, n in enumerate(wanted) if n != 1]
    return dict(zip([axis for axis, n in enumerate(given) if n != 1], places, strict=True))


@batched("slice")
def windowed(site: Site) -> Array:
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


@batched("embed")
def embedded(site: Site) -> Array:
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


@batched("plus")
def added(site: Site) -> Rep | None:
    """The sum of two cotangents that are tensors: one of cotangents again if neither is spread."""
    if not all(isinstance(rep.type, Tensor) for rep in site.reps):
        return None
    x, y = (forced(site.block, rep) for rep in site.reps)
    alike = set(x.labels) == set(y.labels)
    return pointwise(site.block, site.operation if alike else "add", (x, y), site.place)


@batched("take", equation="build1-gather")
def gathered(site: Site) -> Tensors:
    """``build sh (λis. index x ix)``, which a gather is: its rows are builds for a while."""
    x, *indices = site.reps
    axis, out = site.parameters["axis"], site.type
    count, rank = len(indices), max(len(index.type.shape) for index in indices)
    rows = out.shape[axis : axis + rank]
    size = out.size // max(1, math.prod(rows))
    temporary = [site.block.rows(extent, size) for extent in rows]
    key: Key = {
        axis + number: Index(as_scalar(site.block, index, rows, temporary))
        for number, index in enumerate(indices)
    }
    taken = selected(site.block, x, key)
    moved: dict[Label, Label] = {own: own + rank for own in range(axis, len(x.type.shape) - count)}
    moved.update({label: axis + number for number, label in enumerate(temporary)})
    return relabelled(taken, moved, out)


def as_scalar(
    block: Block, index: Tensors, rows: tuple[int, ...], temporary: list[Axis]
) -> Tensors:
    """An array of indices as one index in builds of ``rows``."""
    more = len(rows) - len(index.type.shape)
    wide = [axis for axis, n in enumerate(index.type.shape) if n == 1 and rows[axis + more] != 1]
    obj = Tensor((), index.type.dtype)
    names: dict[Label, Label] = {
        axis: temporary[axis + more] for axis in range(len(index.type.shape)) if axis not in wide
    }
    if isinstance(index, Affine):
        kept = {label: slope for label, slope in index.slopes.items() if label not in wide}
        return relabelled(Affine(index.offset, kept, index.type), names, obj)
    return relabelled(squeezed(block, forced(block, index), wide), names, obj)


@batched("put", equation="build1-scatter")
def scattered(site: Site) -> Tensors:
    """A scatter at indices that depend on builds puts into a place of each."""
    x, *indices = [forced(site.block, rep) for rep in site.reps]
    axis, extents, out = site.parameters["axis"], site.parameters["extents"], site.type
    rank = max(len(index.type.shape) for index in indices)
    rows = tuple(range(axis, axis + rank))
    builds = batch(in_order(a for index in indices for a in index.labels))
    array = spread(site.block, x, (*builds, *rows))
    before = [label for label in array.labels if label not in (*builds, *rows)]
    front = [label for label in in_order(before) if not isinstance(label, int) or label < axis]
    back = [label for label in in_order(before) if isinstance(label, int) and label >= axis]
    inner = Tensor(x.type.shape[axis : axis + rank], "int64")
    order = (*builds, *range(rank))
    positions = [forced(site.block, index_of(build)) for build in builds]
    tables = [raised(site.block, table, inner) for table in (*positions, *indices)]
    terms = [
        laid(site.block, table, order, full=number == 0) for number, table in enumerate(tables)
    ]
    source = laid(site.block, array, (*front, *builds, *rows, *back), full=False)
    wide = (*(extent_of(build, x.type) for build in builds), *extents)
    result = site.block.apply(
        "put", source, *terms, place=site.place, axis=len(front), extents=wide
    )
    count = len(extents)
    behind = tuple(label - rank + count for label in back)
    labels = (*front, *builds, *range(axis, axis + count), *behind)
    return Array(result, labels, out)
