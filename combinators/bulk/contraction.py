"""Contraction: sums, and sums of products as matrix products, whatever wrote them.

    build 2 (λi. build 4 (λj. sum (build 3 (λp. a[i, p] * b[p, j]))))  ⇝  a @ b

A product of batched values is not multiplied out at once (``Product``): it keeps its factors, here
``a`` with the labels ``(i, p)`` and ``b`` with ``(p, j)``. When a sum over ``p`` comes, the label
is in both, and in nothing else, so it is summed by a matrix product; ``i`` and ``j`` are on its
left and its right, and a label of both that is not summed would be a stack of matrix products.

Products of many factors are contracted two at a time, the cheapest pair first. The sum runs in
another order than a loop would, factors are multiplied in another, and one that all terms have may
be multiplied with their sum; that is equal to rounding, and where nothing overflows. Each factor
is multiplied with the others as before, so that ``0 * inf`` is nan where it was, and sums and
differences inside of a factor stay as they are. Where two factors share no axis that is summed
over, or every axis, they are multiplied element by element.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

from combinators.bulk.block import (
    Array,
    Atom,
    Block,
    Label,
    Labels,
    Product,
    Tensors,
    batch,
    extent_of,
    in_order,
    relabelled,
)
from combinators.bulk.equations import Site
from combinators.errors import Place
from combinators.objects import Tensor
from combinators.operation import Operation
from combinators.primitives.contraction import MATMUL

SMALL, WRITTEN = 64, 8
"""A stack of matrix products of fewer multiplications each is multiplied element by element; the
second where it is written as a matrix product, which NumPy has for small ones too."""


class _Pair(NamedTuple):
    """Two factors, and the axes of both that their product sums over."""

    x: Array
    y: Array
    summed: Labels

    def count(self, labels: Iterable[Label]) -> int:
        """How many numbers these axes hold."""
        return math.prod(extent_of(label, self.x.type) for label in labels)

    @property
    def axes(self) -> tuple[Labels, Labels, Labels]:
        """Those of a stack of matrices, of rows, and of columns."""
        mine, yours = in_order(self.x.labels), in_order(self.y.labels)
        return (
            tuple(label for label in mine if label in yours and label not in self.summed),
            tuple(label for label in mine if label not in yours),
            tuple(label for label in yours if label not in mine),
        )

    def is_matrix_product(self, least: int = SMALL) -> bool:
        """Whether a matrix product is what it is, and not a stack of small ones."""
        stacked, rows, columns = self.axes
        inner = (*rows, *columns, *self.summed)
        is_large = bool(rows or columns) and self.count(inner) >= least
        return bool(self.summed) and (not stacked or is_large)

    def matrix_product(self, block: Block, operation: Operation, place: Place | None) -> Array:
        """``x @ y``, where several axes of one kind are as one."""
        stacked, mine, yours = self.axes
        lead = tuple(self.count([label]) for label in stacked)
        left, right = (
            block.reshaped(
                block.ordered(side, (*stacked, *rows, *columns), full=True),
                (*lead, self.count(rows), self.count(columns)),
            )
            for side, rows, columns in ((self.x, mine, self.summed), (self.y, self.summed, yours))
        )
        product = block.operate(operation, left, right, place=place)
        labels = (*stacked, *mine, *yours)
        shape = tuple(self.count([label]) for label in labels)
        return Array(block.reshaped(product, shape), labels, self.x.type)


def contracted(block: Block, product: Product, over: Iterable[Label]) -> Array | None:
    """``Σ`` of a product over these labels; None where it has an axis that no factor has."""
    summed = set(over)
    factors = list(product.factors)
    if not summed <= set(product.labels):
        return None
    while len(factors) > 1:
        pairs = [_paired(x, y, factors, summed) for x, y in combinations(factors, 2)]
        best = min(pairs, key=lambda pair: pair.count({*pair.x.labels, *pair.y.labels}))
        rest = [f for f in factors if f is not best.x and f is not best.y]
        first = min(factors.index(best.x), factors.index(best.y))
        if best.is_matrix_product():
            _, rows, columns = best.axes
            if in_order((*rows, *columns)) != (*rows, *columns):
                best = _Pair(best.y, best.x, best.summed)
            done = best.matrix_product(block, MATMUL.plain, product.place)
        else:
            done = block.pointwise("multiply", (best.x, best.y), product.place)
        factors = [*rest[:first], done, *rest[first:]]
    return _total(block, factors[0], summed)


def _paired(x: Array, y: Array, factors: list[Array], summed: set[Label]) -> _Pair:
    """Two of the factors; an axis that another has, too, is not summed over yet."""
    later = {label for f in factors if f is not x and f is not y for label in f.labels}
    over = summed.intersection(x.labels, y.labels) - later
    return _Pair(x, y, in_order(over))


def _total(block: Block, array: Array, over: set[Label]) -> Array:
    axes = tuple(at for at, label in enumerate(array.labels) if label in over)
    kept = tuple(label for label in array.labels if label not in over)
    if not axes:
        return array
    return Array(block.apply("sum", array.term, axis=axes, keepdims=False), kept, array.type)


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
    array = site.block.with_axes(site.block.array(site.reps[0]), axes)
    at = tuple(sorted(array.labels.index(axis) for axis in axes))
    kept = tuple(label for label in array.labels if label not in axes)
    result: Atom = array.term
    if at:
        result = site.line([array.term], kept, axis=at, keepdims=False).term
    return _fewer(Array(result, kept, array.type), site)


def _fewer(array: Array, site: Site) -> Tensors:
    """What is left of the own axes, counted again; those of extent 1 that are kept are put off."""
    axes, out = site.parameters["axis"], site.type
    if site.parameters["keepdims"]:
        return Array(array.term, array.labels, out)
    left = [axis for axis in range(len(array.type.shape)) if axis not in axes]
    return relabelled(array, {axis: number for number, axis in enumerate(left)}, out)


def matmul(site: Site) -> Tensors:
    """A contraction, whose left and right axes may be builds'."""
    block, (x, y), out = site.block, [site.block.array(rep) for rep in site.reps], site.type
    rank = over = len(out.shape)  # the axis that is summed over has a label of its own
    obj = Tensor((*out.shape, x.type.shape[-1]), out.dtype)
    left = block.with_axes(_placed(block, x, obj, (rank - 2, over)), (over,))
    right = block.with_axes(_placed(block, y, obj, (over, rank - 1)), (over,))
    pair = _paired(left, right, [], {over})
    if not batch(pair.axes[0]) or pair.is_matrix_product(WRITTEN):
        product = pair.matrix_product(block, site.operation, site.place)
    else:
        name = "scale" if site.parameters.get("absorbing") else "multiply"
        product = _total(block, block.pointwise(name, (left, right), site.place), {over})
    return Array(product.term, product.labels, out)


def _placed(block: Block, array: Array, obj: Tensor, last: tuple[int, int]) -> Array:
    """An operand with the labels of the product, its last two axes being ``last``.

    Axes of extent 1 are put off, but for the one that is summed over.
    """
    rank, more = len(array.type.shape), len(obj.shape) - 1 - len(array.type.shape)
    moved: dict[Label, Label] = {axis: axis + more for axis in range(rank - 2)}
    moved.update({rank - 2: last[0], rank - 1: last[1]})
    stale = [a for a in range(rank) if array.type.shape[a] == 1 and moved[a] != len(obj.shape) - 1]
    kept = block.squeezed(array, stale)
    return Array(kept.term, tuple(moved.get(label, label) for label in kept.labels), obj)
