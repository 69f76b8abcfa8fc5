"""Gathers and scatters at tables that may depend on builds."""

from __future__ import annotations

from combinators.bulk.affine import index_of
from combinators.bulk.block import Axis, Block
from combinators.bulk.laying import extent_of, forced, laid, raised, spread
from combinators.bulk.masking import Index, Key
from combinators.bulk.rule import Site
from combinators.bulk.selecting import selected
from combinators.bulk.values import (
    Affine,
    Array,
    Label,
    Rep,
    Tensors,
    batch,
    in_order,
    relabelled,
)
from combinators.objects import Tensor


def gathered(site: Site) -> Rep:
    """``build sh (λis. index x ix)``, which a gather is: its rows are builds for a while."""
    x, *indices = site.reps
    axis, out = site.parameters["axis"], site.type
    count, rank = len(indices), max(len(index.type.shape) for index in indices)
    rows = out.shape[axis : axis + rank]
    temporary = [site.block.axis(extent) for extent in rows]
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
    array = forced(block, index)
    if any(axis in array.labels for axis in wide):
        kept_labels = tuple(label for label in array.labels if label not in wide)
        shape = tuple(extent_of(label, array.type) for label in kept_labels)
        array = Array(block.reshaped(array.term, shape), kept_labels, array.type)
    return relabelled(array, names, obj)


def scattered(site: Site) -> Rep:
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
