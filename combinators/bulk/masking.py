"""Indices of own axes; those that may lie outside read 0, by a mask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from combinators.bulk.affine import is_within
from combinators.bulk.block import Atom, Block
from combinators.bulk.laying import forced, pointwise
from combinators.bulk.values import Affine, Array, Label, Tensors
from combinators.literal import Literal
from combinators.objects import Int, Tensor
from combinators.operation import Operation, named
from combinators.terms import Const


class Index(NamedTuple):
    """Where an axis is indexed; ``sure`` where what lies outside is masked later on."""

    at: Tensors
    sure: bool = False


Key = Mapping[int, Index]
"""The indices of some of the own axes."""


def without(obj: Tensor, key: Key) -> Tensor:
    """The type of what is left."""
    return Tensor((n for axis, n in enumerate(obj.shape) if axis not in key), obj.dtype)


def closed_up(obj: Tensor, key: Key) -> dict[Label, Label]:
    """The labels of the own axes that are left."""
    left = [axis for axis in range(len(obj.shape)) if axis not in key]
    return {axis: number for number, axis in enumerate(left)}


def is_sure(index: Index, extent: int) -> bool:
    """Whether an index lies inside, or is masked where it does not."""
    return index.sure or (isinstance(index.at, Affine) and is_within(index.at, extent))


def masked(block: Block, rep: Tensors, valid: Array) -> Tensors:
    """``rep`` where ``valid`` holds, and zeros elsewhere."""
    array = forced(block, rep)
    zero: Atom = Const(Literal(0, array.type.dtype))
    nothing = Array(zero, (), Tensor((), array.type.dtype))
    return pointwise(block, Operation(named("where")), (valid, array, nothing))


def validity(block: Block, key: Mapping[int, Index], obj: Tensor) -> Array | None:
    """Whether the indices that may lie outside of ``obj`` lie inside; None where all do."""
    valid: Array | None = None
    for axis, index in key.items():
        if is_sure(index, obj.shape[axis]):
            continue
        ends = (0, obj.shape[axis])
        low, high = (Array(block.number(end), (), Int) for end in ends)
        at = forced(block, index.at)
        tests = [
            pointwise(block, Operation(named("greater_equal")), (at, low)),
            pointwise(block, Operation(named("less")), (at, high)),
        ]
        for test in tests:
            both = Operation(named("logical_and"))
            valid = test if valid is None else pointwise(block, both, (valid, test))
    return valid
