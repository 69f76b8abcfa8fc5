"""Reductions over own axes; sums of products are contractions."""

from __future__ import annotations

from combinators.bulk.contraction import contracted
from combinators.bulk.laying import forced, spread
from combinators.bulk.rule import Site
from combinators.bulk.values import Array, Product, Tensors, relabelled


def summed(site: Site) -> Tensors:
    """A sum of a product is a contraction, if it can be."""
    (rep,), axes = site.reps, site.parameters["axis"]
    if isinstance(rep, Product):
        done = contracted(site.block, rep, axes)
        if done is not None:
            return _fewer(done, site)
    return reduced(site)


def reduced(site: Site) -> Tensors:
    """A reduction over own axes."""
    axes = site.parameters["axis"]
    array = spread(site.block, forced(site.block, site.reps[0]), axes)
    at = tuple(sorted(array.labels.index(axis) for axis in axes))
    result = array.term
    if at:
        operation = site.of(axis=at, keepdims=False).operation
        result = site.block.operate(operation, array.term, place=site.place)
    kept = tuple(label for label in array.labels if label not in axes)
    return _fewer(Array(result, kept, array.type), site)


def _fewer(array: Array, site: Site) -> Tensors:
    """What is left of the own axes, counted again; those of extent 1 that are kept are put off."""
    axes, out = site.parameters["axis"], site.type
    if site.parameters["keepdims"]:
        return Array(array.term, array.labels, out)
    left = [axis for axis in range(len(array.type.shape)) if axis not in axes]
    return relabelled(array, {axis: number for number, axis in enumerate(left)}, out)
