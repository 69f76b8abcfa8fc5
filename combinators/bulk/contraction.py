"""Sums of products as matrix products: ``Σₚ a[i, p] b[p, j]`` is ``a @ b``, whatever wrote it.

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

from combinators.bulk.block import Block
from combinators.bulk.laying import extent_of, laid, pointwise
from combinators.bulk.values import Array, Label, Labels, Product, in_order
from combinators.errors import Place
from combinators.objects import Tensor
from combinators.operation import Operation, named
from combinators.primitives.contraction import MATMUL

SMALL = 64
"""A stack of matrix products of fewer multiplications each is multiplied element by element."""


class _Pair(NamedTuple):
    """Two factors, and how their axes take part in their matrix product."""

    x: Array
    y: Array
    stacked: Labels
    mine: Labels
    yours: Labels
    summed: Labels

    @property
    def size(self) -> int:
        """How many products of numbers it takes."""
        return self.count(in_order((*self.x.labels, *self.y.labels)))

    def count(self, labels: Iterable[Label]) -> int:
        """How many numbers these axes hold."""
        return math.prod(extent_of(label, self.x.type) for label in labels)

    @property
    def is_matrix_product(self) -> bool:
        """Whether a matrix product is what it is."""
        if not self.summed:
            return False
        inner = (*self.mine, *self.yours, *self.summed)
        if self.stacked and not (self.mine or self.yours):
            return False
        return not self.stacked or self.count(inner) >= SMALL


def contracted(block: Block, product: Product, over: Iterable[Label]) -> Array | None:
    """``Σ`` of a product over these labels; None where it has an axis that no factor has."""
    summed = set(over)
    factors = list(product.factors)
    if not summed <= set(product.labels):
        return None
    while len(factors) > 1:
        pairs = [_paired(x, y, factors, summed) for x, y in combinations(factors, 2)]
        best = min(pairs, key=lambda pair: pair.size)
        done = _multiplied(block, best, product.place)
        rest = [f for f in factors if f is not best.x and f is not best.y]
        first = min(factors.index(best.x), factors.index(best.y))
        factors = [*rest[:first], done, *rest[first:]]
    (last,) = factors
    axes = [at for at, label in enumerate(last.labels) if label in summed]
    kept = tuple(label for label in last.labels if label not in summed)
    return Array(block.summed(last.term, axes), kept, last.type)


def _paired(x: Array, y: Array, factors: list[Array], summed: set[Label]) -> _Pair:
    later = {label for f in factors if f is not x and f is not y for label in f.labels}
    both = [label for label in in_order(x.labels) if label in y.labels]
    over = tuple(label for label in both if label in summed and label not in later)
    return _Pair(
        x,
        y,
        tuple(label for label in both if label not in over),
        tuple(label for label in in_order(x.labels) if label not in y.labels),
        tuple(label for label in in_order(y.labels) if label not in x.labels),
        over,
    )


def _multiplied(block: Block, pair: _Pair, place: Place | None) -> Array:
    if not pair.is_matrix_product:
        return pointwise(block, Operation(named("multiply")), (pair.x, pair.y), place)
    x, y, stacked, mine, yours, summed = pair
    if in_order((*mine, *yours)) != (*mine, *yours):
        x, y, mine, yours = y, x, yours, mine
    return matrix_product(block, MATMUL.plain, (x, y), (stacked, mine, yours, summed), place)


def matrix_product(
    block: Block,
    operation: Operation,
    factors: tuple[Array, Array],
    axes: tuple[Labels, Labels, Labels, Labels],
    place: Place | None = None,
) -> Array:
    """``x @ y`` with these axes stacked, left, right and summed over; several as one."""
    (x, y), (stacked, mine, yours, summed) = factors, axes
    obj = x.type

    def sizes(of: Tensor, *groups: Labels) -> tuple[int, ...]:
        return tuple(math.prod(extent_of(label, of) for label in group) for group in groups)

    batch = tuple(extent_of(label, obj) for label in stacked)
    left = block.reshaped(
        laid(block, x, (*stacked, *mine, *summed), full=True), (*batch, *sizes(obj, mine, summed))
    )
    right = block.reshaped(
        laid(block, y, (*stacked, *summed, *yours), full=True),
        (*batch, *sizes(y.type, summed, yours)),
    )
    product = block.operate(operation, left, right, place=place)
    shape = (
        *batch,
        *(extent_of(label, obj) for label in mine),
        *(extent_of(label, y.type) for label in yours),
    )
    return Array(block.reshaped(product, shape), (*stacked, *mine, *yours), obj)
