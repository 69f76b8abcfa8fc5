"""Stacks, replications, transposes and reshapes: most of them only change labels."""

from __future__ import annotations

import math

from combinators.bulk.block import Block
from combinators.bulk.laying import extent_of, forced, laid, own_axes, raised
from combinators.bulk.rule import Site
from combinators.bulk.values import Array, Label, Labels, Rep, batch, in_order, relabelled
from combinators.objects import Tensor


def along(site: Site) -> Array:
    """What joins or runs along an own axis; every operand gets the axes that any has."""
    axis = site.parameters["axis"]
    arrays = [forced(site.block, rep) for rep in site.reps]
    labels = in_order((axis, *(label for array in arrays for label in array.labels)))
    args = [laid(site.block, array, labels, full=True) for array in arrays]
    operation = site.of(axis=labels.index(axis)).operation
    return Array(site.block.operate(operation, *args, place=site.place), labels, site.type)


def broadcasted(site: Site) -> Rep:
    """``replicate``: new axes are put off."""
    (rep,), out = site.reps, site.type
    more = len(out.shape) - len(rep.type.shape)
    if out.shape[more:] == rep.type.shape:
        moved: dict[Label, Label] = {a: a + more for a in range(len(rep.type.shape))}
        return relabelled(rep, moved, out)
    return raised(site.block, forced(site.block, rep), out)


def transposed(site: Site) -> Rep:
    """Labels change."""
    axes = site.parameters["axes"]
    moved: dict[Label, Label] = {axis: number for number, axis in enumerate(axes)}
    return relabelled(site.reps[0], moved, site.type)


def reshaped(site: Site) -> Rep:
    """Axes of extent 1 come and go; else batch axes go in front."""
    (rep,), out = site.reps, site.type
    moved = _aligned(rep.type.shape, out.shape)
    if moved is not None and all(rep.type.shape[a] != 1 for a in rep.labels if isinstance(a, int)):
        return relabelled(rep, moved, out)
    array = forced(site.block, rep)
    if moved is not None:
        return _squeezed(site.block, array, moved, out)
    front = batch(in_order(array.labels))
    x = laid(site.block, array, (*front, *own_axes(array.type)), full=True)
    shape = (*(axis.extent for axis in front), *out.shape)
    return Array(site.block.reshaped(x, shape), (*front, *own_axes(out)), out)


def _aligned(given: tuple[int, ...], wanted: tuple[int, ...]) -> dict[Label, Label] | None:
    """Where the axes go, if only axes of extent 1 come and go."""
    if 0 in given or [n for n in given if n != 1] != [n for n in wanted if n != 1]:
        return None
    places = [axis for axis, n in enumerate(wanted) if n != 1]
    return dict(zip([axis for axis, n in enumerate(given) if n != 1], places, strict=True))


def _squeezed(block: Block, array: Array, moved: dict[Label, Label], out: Tensor) -> Rep:
    kept: Labels = tuple(a for a in array.labels if not isinstance(a, int) or a in moved)
    shape = tuple(math.prod((extent_of(label, array.type),)) for label in kept)
    return relabelled(Array(block.reshaped(array.term, shape), kept, array.type), moved, out)
