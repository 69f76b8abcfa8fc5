"""What the builds around an operation, and an index of it, make of its operands.

``build1`` (Fig. 9 of 003) takes batched operands. Pointwise operations align axes; stacks,
replications, transposes and reshapes mostly change labels; gathers and scatters at tables that
depend on builds take and put at the builds' own positions, too:

    build1 k (λi. scatter sh (t i) (λj. ix i j))  ⇝  put t [0, …, k-1] ix

``index`` (Fig. 10) hands a *key*, which gives some of the own axes an index, to the operands: each
gets what of it concerns its own axes, and axes that are indexed are of extent 1 from there on.

    index (sum[axis=1] (exp a)) [i]         a : Tensor[3, 4, 5], the key {0: i}
    ⇝  sum[axis=1] (exp (index a [i]))      the operand's key {0: i}; exp a : Tensor[1, 4, 5]

Reductions and matrix products are in ``contraction``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from combinators.bulk.affine import NO_KEY, Index, Key, affine, index_of, linear, number
from combinators.bulk.batches import Rep, axes_of
from combinators.bulk.block import (
    Affine,
    Array,
    Atom,
    Axis,
    Block,
    Label,
    Product,
    Shape,
    Tensors,
    batch,
    extent_of,
    in_order,
    own_labels,
    relabelled,
    rows_axis,
    shape_of,
)
from combinators.bulk.contraction import matmul, reduced, summed
from combinators.bulk.equations import CLAUSES, Clause, Site, batched
from combinators.bulk.selection import selected
from combinators.objects import Tensor
from combinators.operation import PRIMITIVES, Pointwise, Primitive
from combinators.primitives.checks import CHECKS
from combinators.primitives.signatures import pointwise as pointwise_type
from combinators.primitives.signatures import predicate
from combinators.terms import Prim

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
    return site.block.pointwise(site.operation, site.reps, site.place)


def _factor(site: Site, rep: Tensors, out: Tensor) -> Array | Product:
    if isinstance(rep, Product) and rep.type is out:
        return rep
    return site.block.as_operand(site.block.array(rep), out)


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
    arrays = [site.block.array(rep) for rep in site.reps]
    labels = in_order((axis, *(label for array in arrays for label in array.labels)))
    args = [site.block.ordered(array, labels, full=True) for array in arrays]
    return site.line(args, labels, axis=labels.index(axis))


@batched("broadcast_to", equation="build1-replicate")
def _broadcast(site: Site) -> Tensors:
    """New axes are put off."""
    (rep,), out = site.reps, site.type
    more = len(out.shape) - len(rep.type.shape)
    if out.shape[more:] == rep.type.shape:
        return relabelled(rep, {a: a + more for a in own_labels(rep.type)}, out)
    return site.block.as_operand(site.block.array(rep), out)


@batched("transpose", equation="build1-tr")
def _transposed(site: Site) -> Tensors:
    moved = {axis: number for number, axis in enumerate(site.parameters["axes"])}
    return relabelled(site.reps[0], moved, site.type)


@batched("reshape")
def _reshaped(site: Site) -> Tensors:
    """Axes of extent 1 come and go; else the own axes stand side by side."""
    (rep,), out = site.reps, site.type
    moved = _aligned(rep.type.shape, out.shape)
    if moved is not None and all(rep.type.shape[a] != 1 for a in rep.labels if isinstance(a, int)):
        return relabelled(rep, moved, out)
    array = site.block.array(rep)
    if moved is not None:
        ones = [a for a in own_labels(array.type) if a not in moved]
        return relabelled(site.block.squeezed(array, ones), moved, out)
    builds = batch(array.labels)
    x = site.block.ordered(array, in_order((*builds, *own_labels(array.type))), full=True)
    labels = in_order((*builds, *own_labels(out)))
    shape = tuple(extent_of(label, out) for label in labels)
    return Array(site.block.reshaped(x, shape), labels, out)


def _aligned(given: Shape, wanted: Shape) -> dict[int, int] | None:
    """Where the axes go, if only axes of extent 1 come and go."""
    if 0 in given or [n for n in given if n != 1] != [n for n in wanted if n != 1]:
        return None
    places = [axis for axis, n in enumerate(wanted) if n != 1]
    return dict(zip([axis for axis, n in enumerate(given) if n != 1], places, strict=True))


@batched("slice")
def _sliced(site: Site) -> Array:
    """An axis that is put off stays so."""
    array, out = site.block.array(site.reps[0]), site.type
    start, step = _along_own(site, "start", array, 0), _along_own(site, "step", array, 1)
    extent = tuple(extent_of(label, out) for label in array.labels)
    return Array(site.block.window(array.term, start, step, extent), array.labels, out)


def _along_own(site: Site, name: str, array: Array, other: int) -> tuple[int, ...]:
    values = site.parameters[name]
    return tuple(values[label] if isinstance(label, int) else other for label in array.labels)


@batched("embed")
def _embedded(site: Site) -> Array:
    """What is put among zeros, in each place of the builds."""
    given, out = site.block.array(site.reps[0]), site.type
    wide = [axis for axis, n in enumerate(given.type.shape) if n != out.shape[axis]]
    array = site.block.with_axes(given, tuple(wide))
    start, step = _along_own(site, "start", array, 0), _along_own(site, "step", array, 1)
    shape = tuple(extent_of(label, out) for label in array.labels)
    if shape == shape_of(array.term) and all(stride == 1 for stride in step):
        return Array(array.term, array.labels, out)
    return site.line([array.term], array.labels, start=start, step=step, shape=shape)


@batched("plus")
def _added(site: Site) -> Rep | None:
    """The sum of two cotangents that are tensors: one of cotangents again if neither is spread."""
    if not all(isinstance(rep.type, Tensor) for rep in site.reps):
        return None
    x, y = (site.block.array(rep) for rep in site.reps)
    alike = set(x.labels) == set(y.labels)
    return site.block.pointwise(site.operation if alike else "add", (x, y), site.place)


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
    count, rank = len(indices), max(len(index.type.shape) for index in indices)
    rows = out.shape[axis : axis + rank]
    size = out.size // max(1, math.prod(rows))
    builds = [rows_axis(extent, size) for extent in rows]
    key = {axis + n: Index(_as_scalar(block, i, rows, builds)) for n, i in enumerate(indices)}
    moved: dict[Label, Label] = {
        own - rank + count: own for own in range(axis + rank, len(out.shape))
    }
    return key, {**moved, **{label: axis + n for n, label in enumerate(builds)}}


def _as_scalar(block: Block, index: Tensors, rows: Shape, builds: list[Axis]) -> Tensors:
    """An array of indices as one index in builds of ``rows``."""
    more, obj = len(rows) - len(index.type.shape), Tensor((), index.type.dtype)
    wide = [axis for axis, n in enumerate(index.type.shape) if n == 1 and rows[axis + more] != 1]
    names = {axis: builds[axis + more] for axis in own_labels(index.type) if axis not in wide}
    if isinstance(index, Affine):
        kept = {label: slope for label, slope in index.slopes.items() if label not in wide}
        return relabelled(Affine(index.offset, kept, index.type), names, obj)
    return relabelled(block.squeezed(block.array(index), wide), names, obj)


@batched("put", equation="build1-scatter")
def _scattered(site: Site) -> Tensors:
    """A scatter at indices that depend on builds puts into a place of each."""
    x, *indices = [site.block.array(rep) for rep in site.reps]
    axis, extents = site.parameters["axis"], site.parameters["extents"]
    count, rank = len(extents), max(len(index.type.shape) for index in indices)
    rows = tuple(range(axis, axis + rank))
    builds = batch(in_order(a for index in indices for a in index.labels))
    array = site.block.with_axes(x, (*builds, *rows))
    rest = in_order(label for label in array.labels if label not in (*builds, *rows))
    front = [label for label in rest if not isinstance(label, int) or label < axis]
    back = [label for label in rest if isinstance(label, int) and label >= axis]
    inner = Tensor(x.type.shape[axis : axis + rank], "int64")
    order = (*builds, *range(rank))
    terms: list[Atom] = []
    for table in (*(site.block.array(index_of(build)) for build in builds), *indices):
        lifted = site.block.as_operand(table, inner)
        terms.append(site.block.ordered(lifted, order, full=not terms))
    source = site.block.ordered(array, (*front, *builds, *rows, *back), full=False)
    wide = (*(build.extent for build in builds), *extents)
    behind = tuple(label - rank + count for label in back)
    labels = (*front, *builds, *range(axis, axis + count), *behind)
    return site.line([source, *terms], labels, axis=len(front), extents=wide)


# ---- index (Fig. 10) -----------------------------------------------------------------------------


def of_operand(key: Key, shape: Shape, out: Shape) -> Key:
    """An index of what operands broadcast to, as one of an operand."""
    more = len(out) - len(shape)
    zero = Index(number(0), sure=True)
    return {
        axis - more: zero if shape[axis - more] == 1 and out[axis] != 1 else index
        for axis, index in key.items()
        if axis >= more
    }


_REDUCTIONS = ("sum", "max", "min", "prod", "logsumexp", "argmax", "argmin")
_EQUATIONS = {
    **dict.fromkeys(_REDUCTIONS, "index-sumOuter"),
    "concatenate": "index-stack",
    "broadcast_to": "index-replicate",
    "transpose": "index-tr",
    "reshape": "index-reshape",
}


def indexing_of(primitive: Primitive) -> str | None:
    """The equation by which an index goes down into a primitive; None where it stays."""
    found = _EQUATIONS.get(primitive.name)
    return "index-op" if found is None and is_elementwise(primitive) else found


Pushed = tuple[list[Key], Key]
"""The keys of the operands, and what is indexed after the line."""


def pushed(block: Block, term: Prim, key: Key) -> Pushed | None:
    """What the index of a line becomes that goes down; None where it is in normal form."""
    known, name, given = term.operation.keywords, term.operation.name, shape_of(term.args[0])
    if name == "transpose":
        return [{known["axes"][axis]: index for axis, index in key.items()}], NO_KEY
    if name == "reshape":  # a linear index, taken apart again
        inner = linear(block, given, shape_of(term), key)
        return None if inner is None else ([inner], NO_KEY)
    if name == "concatenate":  # every part, at the other axes
        inner = {axis: index for axis, index in key.items() if axis != known["axis"]}
        left = {axis: index for axis, index in key.items() if axis == known["axis"]}
        return ([inner] * len(term.args), left) if inner else None
    if name in _REDUCTIONS:  # the axes that are left are those; of ``keepdims`` there is one each
        axes, keeps = known["axis"], known["keepdims"]
        kept = [axis for axis in range(len(given)) if keeps or axis not in axes]
        inner = {kept[axis]: index for axis, index in key.items() if kept[axis] not in axes}
        return [inner], {axis: index for axis, index in key.items() if kept[axis] in axes}
    return [of_operand(key, shape_of(arg), shape_of(term)) for arg in term.args], NO_KEY
