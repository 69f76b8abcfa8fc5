"""Products of vectors, matrices and tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from combinators.derivatives import Multilinear
from combinators.errors import ShapeMismatch
from combinators.objects import Object, Tensor
from combinators.operation import declare
from combinators.primitives.arithmetic import multiply
from combinators.primitives.axes import ravel, several_axes, swapaxes
from combinators.primitives.shape import reshape, shape_of, transpose
from combinators.primitives.typing import broadcast, common_number, same_dtype, tensor
from combinators.tracing.emit import apply
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


def _matmul_cost(arguments: Sequence[Tensor], result: Object) -> int:
    return 2 * tensor(result).size * arguments[0].shape[-1]


def _absorbing(x: Any, y: Any) -> Any:
    """``x @ y``, each product of two numbers being ``scale``'s: 0 wherever one of them is."""
    return apply(MATMUL, x, y, absorbing=True)


MATMUL = declare(
    "matmul",
    _matmul_type,
    Multilinear(
        (
            lambda g, x, y, absorbing=False: _absorbing(g, swapaxes(y, -1, -2)),
            lambda g, x, y, absorbing=False: _absorbing(swapaxes(x, -1, -2), g),
        ),
        tangents=(("absorbing", True),),
    ),
    promote=common_number,
    cost=_matmul_cost,
    infix="@",
)


Labels = tuple[int, ...]


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
    shape = product.shape
    if len(a) == 1:
        shape = (*shape[:-2], shape[-1])
    if len(b) == 1:
        shape = shape[:-1]
    return product if shape == product.shape else reshape(product, shape)


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
        pairs = (tuple(range(len(a) - axes, len(a))), tuple(range(axes)))
    else:
        first, second = axes
        pairs = (several_axes(first, a), several_axes(second, b))
    if [a[i] for i in pairs[0]] != [b[j] for j in pairs[1]]:
        raise _unfit("tensordot", a, b)
    left = list(range(len(a)))
    right = [len(a) + j for j in range(len(b))]
    for i, j in zip(*pairs, strict=True):
        right[j] = left[i]
    result = [i for i in left + right if not (i in left and i in right)]
    return contract(x, y, tuple(left), tuple(right), tuple(result))
