"""Einstein's sums, by contractions of two arrays."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from combinators.errors import ShapeMismatch
from combinators.primitives.axes import moveaxis, normal_axis
from combinators.primitives.conversion import astype
from combinators.primitives.products import contract
from combinators.primitives.reduction import sum
from combinators.primitives.shape import reshape, shape_of, transpose
from combinators.primitives.windows import part
from combinators.tracing.emit import dtype_of
from combinators.tracing.traced import library

Labelled = tuple[Any, str]
"""An array, and a letter for each of its axes."""


@library("einsum")
def einsum(subscripts: str, *operands: Any) -> Any:
    """Einstein's sum, as ``einsum("ij,jk->ik", a, b)``; ``...`` stands for leading axes.

    Several operands are contracted two at a time, from the left.
    """
    inputs, result = _parsed(subscripts, [len(shape_of(x)) for x in operands])
    _check_extents(subscripts, inputs, operands)
    labelled = [_distinct(x, labels) for x, labels in zip(operands, inputs, strict=True)]
    done, *todo = labelled
    while todo:
        second, *todo = todo
        later = "".join(labels for _, labels in todo) + result
        done = _contracted(done, second, later)
    x, labels = _only(done, result)
    return transpose(x, [labels.index(label) for label in result])


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
    """The diagonal where a letter stands twice."""
    if np.result_type(dtype_of(x)) == np.bool_:
        x = astype(x, np.int64)
    for letter in dict.fromkeys(labels):
        while labels.count(letter) > 1:
            a, b = labels.index(letter), labels.rindex(letter)
            x = diagonal(x, 0, a, b)
            labels = "".join(c for i, c in enumerate(labels) if i not in (a, b)) + letter
    return x, labels


def _only(labelled: Labelled, kept: str) -> Labelled:
    """The sum over the axes whose letters are not ``kept``."""
    x, labels = labelled
    axes = [i for i, letter in enumerate(labels) if letter not in kept]
    return (sum(x, axes), "".join(c for c in labels if c in kept)) if axes else (x, labels)


def _contracted(first: Labelled, second: Labelled, later: str) -> Labelled:
    x, left = _only(first, second[1] + later)
    y, right = _only(second, left + later)
    result = "".join(letter for letter in dict.fromkeys(left + right) if letter in later)
    codes = [tuple(map(ord, labels)) for labels in (left, right, result)]
    return contract(x, y, codes[0], codes[1], codes[2]), result
