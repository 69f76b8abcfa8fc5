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
from combinators.bulk.batches import (
    Affine,
    Array,
    Label,
    Product,
    Rep,
    Tensors,
    array_of,
    as_operand,
    axes_of,
    batch,
    extent_of,
    in_order,
    in_order_of,
    own_labels,
    pointwise,
    relabelled,
    squeezed,
    with_axes,
)
from combinators.bulk.block import Atom, Axis, Block, shape_of
from combinators.bulk.contraction import matmul, reduced, summed
from combinators.bulk.equations import CLAUSES, Clause, Site, batched
from combinators.bulk.selection import selected
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
    return as_operand(site.block, array_of(site.block, rep), out)


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
    arrays = [array_of(site.block, rep) for rep in site.reps]
    labels = in_order((axis, *(label for array in arrays for label in array.labels)))
    args = [in_order_of(site.block, array, labels, full=True) for array in arrays]
    operation = site.of(axis=labels.index(axis)).operation
    return Array(site.block.operate(operation, *args, place=site.place), labels, site.type)


@batched("broadcast_to", equation="build1-replicate")
def broadcasted(site: Site) -> Tensors:
    """``replicate``: new axes are put off."""
    (rep,), out = site.reps, site.type
    more = len(out.shape) - len(rep.type.shape)
    if out.shape[more:] == rep.type.shape:
        return relabelled(rep, {a: a + more for a in range(len(rep.type.shape))}, out)
    return as_operand(site.block, array_of(site.block, rep), out)


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
    array = array_of(site.block, rep)
    if moved is not None:
        ones = [a for a in own_labels(array.type) if a not in moved]
        return relabelled(squeezed(site.block, array, ones), moved, out)
    builds = batch(array.labels)
    x = in_order_of(site.block, array, in_order((*builds, *own_labels(array.type))), full=True)
    labels = in_order((*builds, *own_labels(out)))
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
    known, array = site.parameters, array_of(site.block, site.reps[0])
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
    known, given = site.parameters, array_of(site.block, site.reps[0])
    shape = known["shape"]
    wide = [axis for axis, n in enumerate(given.type.shape) if n != shape[axis]]
    array = with_axes(site.block, given, tuple(wide))
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
    x, y = (array_of(site.block, rep) for rep in site.reps)
    alike = set(x.labels) == set(y.labels)
    return pointwise(site.block, site.operation if alike else "add", (x, y), site.place)


@batched("take", equation="build1-gather")
def gathered(site: Site) -> Tensors:
    """``build sh (λis. index x ix)``, which a gather is."""
    x, *indices = site.reps
    key, moved = as_builds(site.block, site.parameters["axis"], indices, site.type)
    return relabelled(selected(site.block, x, key), moved, site.type)


def as_builds(
    block: Block, axis: int, indices: Sequence[Tensors], out: Tensor
) -> tuple[Key, dict[Label, Label]]:
    """The rows of a gather as builds for a while: what it asks for, and where the axes go then."""
    rank = max(len(index.type.shape) for index in indices)
    rows = out.shape[axis : axis + rank]
    size = out.size // max(1, math.prod(rows))
    builds = [block.rows(extent, size) for extent in rows]
    key = {
        axis + number: Index(_as_scalar(block, index, rows, builds))
        for number, index in enumerate(indices)
    }
    moved: dict[Label, Label] = {own: own + rank for own in range(axis, len(out.shape) - rank)}
    return key, {**moved, **{label: axis + number for number, label in enumerate(builds)}}


def _as_scalar(block: Block, index: Tensors, rows: tuple[int, ...], builds: list[Axis]) -> Tensors:
    """An array of indices as one index in builds of ``rows``."""
    more = len(rows) - len(index.type.shape)
    wide = [axis for axis, n in enumerate(index.type.shape) if n == 1 and rows[axis + more] != 1]
    obj = Tensor((), index.type.dtype)
    names: dict[Label, Label] = {
        axis: builds[axis + more] for axis in range(len(index.type.shape)) if axis not in wide
    }
    if isinstance(index, Affine):
        kept = {label: slope for label, slope in index.slopes.items() if label not in wide}
        return relabelled(Affine(index.offset, kept, index.type), names, obj)
    return relabelled(squeezed(block, array_of(block, index), wide), names, obj)


@batched("put", equation="build1-scatter")
def scattered(site: Site) -> Tensors:
    """A scatter at indices that depend on builds puts into a place of each."""
    x, *indices = [array_of(site.block, rep) for rep in site.reps]
    axis, extents, out = site.parameters["axis"], site.parameters["extents"], site.type
    rank = max(len(index.type.shape) for index in indices)
    rows = tuple(range(axis, axis + rank))
    builds = batch(in_order(a for index in indices for a in index.labels))
    array = with_axes(site.block, x, (*builds, *rows))
    before = [label for label in array.labels if label not in (*builds, *rows)]
    front = [label for label in in_order(before) if not isinstance(label, int) or label < axis]
    back = [label for label in in_order(before) if isinstance(label, int) and label >= axis]
    inner = Tensor(x.type.shape[axis : axis + rank], "int64")
    order = (*builds, *range(rank))
    positions = [array_of(site.block, index_of(build)) for build in builds]
    terms: list[Atom] = []
    for table in (*positions, *indices):
        lifted = as_operand(site.block, table, inner)
        terms.append(in_order_of(site.block, lifted, order, full=not terms))
    source = in_order_of(site.block, array, (*front, *builds, *rows, *back), full=False)
    wide = (*(extent_of(build, x.type) for build in builds), *extents)
    result = site.block.apply(
        "put", source, *terms, place=site.place, axis=len(front), extents=wide
    )
    count = len(extents)
    behind = tuple(label - rank + count for label in back)
    labels = (*front, *builds, *range(axis, axis + count), *behind)
    return Array(result, labels, out)
