"""Products of vectors, matrices and tensors; Einstein's sums, by contractions of two arrays."""

from __future__ import annotations

import math
import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from combinators.errors import ShapeMismatch
from combinators.objects import Object, Tensor
from combinators.operation import Pair, Primitive, declare
from combinators.primitives.arithmetic import multiply, not_equal
from combinators.primitives.reductions import sum
from combinators.primitives.shapes import (
    astype,
    moveaxis,
    normal_axis,
    part,
    ravel,
    reshape,
    several_axes,
    shape_of,
    swapaxes,
    transpose,
)
from combinators.primitives.signatures import broadcast, common_number, same_dtype, tensor
from combinators.tracing.emit import apply, dtype_of
from combinators.tracing.traced import library


def _matmul_type(x: Object, y: Object, *, absorbing: bool = False) -> Object:
    a, b = tensor(x).shape, tensor(y).shape
    if len(a) < 2 or len(b) < 2 or a[-1] != b[-2]:
        raise _unfit("matmul", a, b)
    dtype = same_dtype(x, y)
    batch = broadcast(Tensor(a[:-2], dtype), Tensor(b[:-2], dtype))
    return Tensor((*batch, a[-2], b[-1]), dtype)


def _unfit(name: str, a: Sequence[int], b: Sequence[int]) -> ShapeMismatch:
    return ShapeMismatch(f"{name} sums over an axis that the shapes {a} and {b} have not in common")


def _absorbing(x: Any, y: Any) -> Any:
    """``x @ y``, each product of two numbers being ``scale``'s: 0 wherever one of them is."""
    return apply(MATMUL, x, y, absorbing=True)


def _matmul_back(g: Any, x: Any, y: Any, z: Any, *, absorbing: bool = False) -> tuple[Any, Any]:
    return _absorbing(g, swapaxes(y, -1, -2)), _absorbing(swapaxes(x, -1, -2), g)


MATMUL: Primitive = declare(
    "matmul",
    _matmul_type,
    Pair(
        (
            lambda v, x, y, z, absorbing=False: _absorbing(v, y),
            lambda v, x, y, z, absorbing=False: _absorbing(x, v),
        ),
        _matmul_back,
    ),
    promote=common_number,
    logic=lambda x, y: not_equal(apply(MATMUL, astype(x, np.int64), y), 0),
    cost=lambda arguments, z: 2 * tensor(z).size * arguments[0].shape[-1],
    infix="@",
)


Labels = Sequence[Any]
"""What the axes of an array are called, one by one: by letters, say."""


def contract(x: Any, y: Any, left: Labels, right: Labels, result: Labels) -> Any:
    """``einsum`` of two arrays, each label of one of which stands in the other or in ``result``."""
    extents = dict(zip((*left, *right), (*shape_of(x), *shape_of(y)), strict=True))
    mine = [label for label in left if label not in right]
    yours = [label for label in right if label not in left]
    batch = [label for label in left if label in right and label in result]
    summed = [label for label in left if label in right and label not in result]
    a = transpose(x, [left.index(label) for label in (*batch, *mine, *summed)])
    b = transpose(y, [right.index(label) for label in (*batch, *summed, *yours)])

    def sizes(*groups: Sequence[int]) -> list[int]:
        return [math.prod(extents[label] for label in group) for group in groups]

    shape = [extents[label] for label in batch]
    a = reshape(a, (*shape, *sizes(mine, summed)))
    b = reshape(b, (*shape, *sizes(summed, yours)))
    product = matmul(a, b) if summed else multiply(a, b)
    order = (*batch, *mine, *yours)
    spread = reshape(product, tuple(extents[label] for label in order))
    return transpose(spread, [order.index(label) for label in result])


@library("matmul")
def matmul(x: Any, y: Any) -> Any:
    """``x @ y``: of vectors, matrices, and stacks of matrices, whose leading axes broadcast."""
    a, b = shape_of(x), shape_of(y)
    if not a or not b or a[-1] != b[max(len(b) - 2, 0)]:
        raise _unfit("matmul", a, b)
    left = reshape(x, (1, *a)) if len(a) == 1 else x
    right = reshape(y, (*b, 1)) if len(b) == 1 else y
    product = apply(MATMUL, left, right)
    if len(a) > 1 and len(b) > 1:
        return product
    *batch, rows, columns = product.shape
    kept = (*batch, *(() if len(a) == 1 else (rows,)), *(() if len(b) == 1 else (columns,)))
    return reshape(product, kept)


@library("dot")
def dot(x: Any, y: Any) -> Any:
    """NumPy's ``dot``: the last axis of ``x`` with the last but one of ``y``."""
    a, b = shape_of(x), shape_of(y)
    if not a or not b:
        return multiply(x, y)
    if len(a) <= 2 and len(b) <= 2:
        return matmul(x, y)
    return tensordot(x, y, (-1, max(len(b) - 2, 0)))


@library("vdot")
def vdot(x: Any, y: Any) -> Any:
    """The inner product of ``x`` and ``y``, both laid flat."""
    return matmul(ravel(x), ravel(y))


@library("inner")
def inner(x: Any, y: Any) -> Any:
    """The last axis of ``x`` with the last of ``y``."""
    if not shape_of(x) or not shape_of(y):
        return multiply(x, y)
    return tensordot(x, y, (-1, -1))


@library("outer")
def outer(x: Any, y: Any) -> Any:
    """Each element of ``x`` times each of ``y``, both laid flat: a matrix."""
    return multiply(reshape(x, (-1, 1)), reshape(y, (1, -1)))


@library("tensordot")
def tensordot(x: Any, y: Any, axes: Any = 2) -> Any:
    """Sum over pairs of axes: the last ``axes`` of ``x`` with the first of ``y``, or as listed."""
    a, b = shape_of(x), shape_of(y)
    if isinstance(axes, int):
        if not 0 <= axes <= min(len(a), len(b)):
            raise _unfit("tensordot", a, b)
        axes = tuple(range(len(a) - axes, len(a))), tuple(range(axes))
    mine, yours = several_axes(axes[0], a), several_axes(axes[1], b)
    if [a[i] for i in mine] != [b[j] for j in yours]:
        raise _unfit("tensordot", a, b)
    left, right = list(range(len(a))), [len(a) + j for j in range(len(b))]
    for i, j in zip(mine, yours, strict=True):
        right[j] = i
    result = [label for label in left + right if (label in left) != (label in right)]
    return contract(x, y, left, right, result)


Labelled = tuple[Any, str]
"""An array, and a letter for each of its axes."""


@library("einsum")
def einsum(subscripts: str, *operands: Any) -> Any:
    """Einstein's sum, as ``einsum("ij,jk->ik", a, b)``; ``...`` stands for leading axes.

    Several operands are contracted two at a time, from the left.
    """
    inputs, result = _parsed(subscripts, [len(shape_of(x)) for x in operands])
    _check_extents(subscripts, inputs, operands)
    todo = [_distinct(x, labels) for x, labels in zip(operands, inputs, strict=True)]
    while len(todo) > 1:
        first, second, *todo = todo
        later = "".join(labels for _, labels in todo) + result
        todo.insert(0, _contracted(first, second, later))
    x, labels = _only(todo[0], result)
    whole = transpose(x, [labels.index(label) for label in result])
    are_booleans = np.result_type(*map(dtype_of, operands)) == np.bool_
    return not_equal(whole, 0) if are_booleans else whole


@library("diagonal")
def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The diagonal of the matrices that two axes span, along a new last axis."""
    shape = shape_of(x)
    a, b = normal_axis(axis1, shape), normal_axis(axis2, shape)
    moved = moveaxis(x, (a, b), (-2, -1))
    *kept, rows, columns = moved.shape
    count = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    flat = reshape(moved, (*kept, rows * columns))
    start = offset if offset >= 0 else -offset * columns
    return part(flat, len(kept), start, count, columns + 1 if count > 1 else 1)


@library("trace")
def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The sum of that diagonal."""
    return sum(diagonal(x, offset, axis1, axis2), -1)


def _parsed(subscripts: str, ranks: Sequence[int]) -> tuple[list[str], str]:
    """The letters of every operand's axes, and those of the result."""
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    parts = left.split(",")
    if len(parts) != len(ranks):
        raise ShapeMismatch(f"einsum({subscripts!r}) takes {len(parts)} arrays, not {len(ranks)}")
    spare = [letter for letter in string.ascii_letters if letter not in subscripts]
    fills = [
        rank - len(labels) + 3 if "..." in labels else 0
        for labels, rank in zip(parts, ranks, strict=True)
    ]
    dots = "".join(spare[: max(0, *fills)])
    inputs = [
        labels.replace("...", dots[len(dots) - fill :])
        for labels, fill in zip(parts, fills, strict=True)
    ]
    everything = "".join(inputs)
    if not arrow:
        once = sorted(letter for letter in set(everything) if everything.count(letter) == 1)
        right = "..." + "".join(letter for letter in once if letter not in dots)
    result = right.replace("...", dots)
    if not set(result) <= set(everything) or len(set(result)) != len(result):
        raise ShapeMismatch(f"einsum({subscripts!r}): each index of the result stands in it once")
    for labels, rank in zip(inputs, ranks, strict=True):
        if len(labels) != rank or (labels and not labels.isalpha()):
            raise ShapeMismatch(f"einsum({subscripts!r}) names {len(labels)} axes of {rank}")
    return inputs, result


def _check_extents(subscripts: str, inputs: Sequence[str], operands: Sequence[Any]) -> None:
    found: dict[str, int] = {}
    for labels, x in zip(inputs, operands, strict=True):
        for letter, n in zip(labels, shape_of(x), strict=True):
            if found.setdefault(letter, n) != n:
                shapes = " and ".join(str(shape_of(x)) for x in operands)
                raise ShapeMismatch(
                    f"einsum({subscripts!r}): {letter!r} has extents {found[letter]} and {n}, "
                    f"in arrays of shapes {shapes}"
                )


def _distinct(x: Any, labels: str) -> Labelled:
    """The diagonal where a letter stands twice; booleans as integers."""
    if np.result_type(dtype_of(x)) == np.bool_:
        x = astype(x, np.int64)
    for letter in dict.fromkeys(labels):
        while labels.count(letter) > 1:
            a, b = labels.index(letter), labels.rindex(letter)
            x = diagonal(x, 0, a, b)
            labels = labels[:a] + labels[a + 1 : b] + labels[b + 1 :] + letter
    return x, labels


def _only(labelled: Labelled, kept: str) -> Labelled:
    x, labels = labelled
    axes = [i for i, letter in enumerate(labels) if letter not in kept]
    return (sum(x, axes), "".join(c for c in labels if c in kept)) if axes else (x, labels)


def _contracted(first: Labelled, second: Labelled, later: str) -> Labelled:
    x, left = _only(first, second[1] + later)
    y, right = _only(second, left + later)
    result = "".join(letter for letter in dict.fromkeys(left + right) if letter in later)
    return contract(x, y, left, right, result), result
