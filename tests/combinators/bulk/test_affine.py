"""Indices that are affine in those of builds take slices, not tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import diffcurry as dc
from combinators.bulk.affine import affine, bounds
from combinators.bulk.block import Affine, Axis
from combinators.bulk.selection import sliding
from combinators.objects import Int, Tensor
from tests.combinators.bulk.running import in_bulk, operations

A = np.arange(20.0).reshape(4, 5)
X = np.arange(6.0) + 1.0
EMPTY = np.zeros((0, 5))
NO_TABLE: dict[str, tuple[Callable[..., Any], Any, str]] = {
    "all": (lambda x: dc.build(6, lambda i: x[i]), X, ""),
    "reversed": (lambda x: dc.build(6, lambda i: x[5 - i]), X, "slice"),
    "every second": (lambda x: dc.build(3, lambda i: x[2 * i + 1]), X, "slice"),
    "beyond the end": (lambda x: dc.build(8, lambda i: x[i]), X, "embed"),
    "before the beginning": (lambda x: dc.build(6, lambda i: x[i - 2]), X, "embed slice"),
    "backwards beyond": (lambda x: dc.build(9, lambda i: x[7 - i]), X, "embed slice"),
    "nowhere": (lambda x: dc.build(3, lambda i: x[i + 9]), X, "embed slice"),
    "transposed": (lambda a: dc.build((5, 4), lambda i, j: a[j, i]), A, "transpose"),
    "a row": (lambda a: dc.build(5, lambda j: a[2, j]), A, "reshape slice"),
    "a diagonal": (lambda a: dc.build(4, lambda i: a[i, i]), A, "reshape slice"),
    "beside it": (lambda a: dc.build(4, lambda i: a[i, i + 1]), A, "reshape slice"),
    "the other one": (lambda a: dc.build(4, lambda i: a[i, 3 - i]), A, "reshape slice"),
    "of a build's own row": (
        lambda a: dc.build(4, lambda i: (a[i] * 2.0)[i]),
        A,
        "multiply reshape slice",
    ),
    "at a table of positions": (lambda x: x[dc.iota(3) + 1] + dc.build(3, lambda i: x[i]), X, ""),
    "of nothing": (lambda a: dc.build((2, 5), lambda i, j: a[i, j]), EMPTY, "embed"),
    "no times": (lambda a: dc.build((0, 5), lambda i, j: a[i, j]), A, "slice"),
}


@pytest.mark.parametrize("name", NO_TABLE)
def test_there_is_no_table(name: str) -> None:
    f, x, expected = NO_TABLE[name]
    made, _ = in_bulk(f, x)
    assert not {"take", "iota"} & set(operations(made)), made
    if expected:
        assert operations(made) == expected.split()


@pytest.mark.parametrize("count", [2, 3, 9])
@pytest.mark.parametrize("width", [2, 5])
@pytest.mark.parametrize("step", [1, -1, 2, -3])
@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("offset", [0, 3, -2])
def test_windows(count: int, width: int, step: int, direction: int, offset: int) -> None:
    def windows(x: Any) -> Any:
        return dc.build((count, width), lambda i, j: x[offset + step * i + direction * j])

    made, _ = in_bulk(windows, X)
    way = sliding({Axis(count): step, Axis(width): direction})
    assert ("take" in operations(made)) == (way is None and abs(step) < width)


@pytest.mark.parametrize("offset", [0, -7, 5, 90])
@pytest.mark.parametrize(
    "at",
    [
        lambda i, j, k: 20 * i + 4 * j + k,
        lambda i, j, k: 22 * i - 4 * j + k,
        lambda i, j, k: -25 * i + 5 * j - k,
        lambda i, j, k: 3 * k + 12 * j - 70 * i,
    ],
)
def test_digits(at: Any, offset: int) -> None:
    """Rows, and rows of rows, that were laid flat."""

    def rows(x: Any) -> Any:
        return dc.build((3, 5, 4), lambda i, j, k: x[offset + at(i, j, k)])

    made, _ = in_bulk(rows, np.arange(60.0) + 1.0)
    assert "take" not in operations(made)


def test_what_was_laid_flat_is_reshaped() -> None:
    made, _ = in_bulk(lambda x: dc.build((2, 3), lambda i, j: x[3 * i + j]), X)
    assert operations(made) == ["reshape"]
    flat, _ = in_bulk(lambda a: dc.build((4, 5), lambda i, j: np.ravel(a * 2.0)[5 * i + j]), A)
    assert operations(flat) == ["multiply"]


def test_windows_of_rows_and_in_two_axes() -> None:
    def patches(a: Any) -> Any:
        return dc.build((3, 4, 2, 2), lambda i, j, p, q: a[i + p, j + q])

    made, _ = in_bulk(patches, A)
    assert "take" not in operations(made)
    in_bulk(lambda a: dc.build((3, 2), lambda i, p: a[i + p]), A)
    in_bulk(lambda a: dc.build((5, 3, 2), lambda r, i, p: np.sin(a[:, r])[i + p]), A)


@pytest.mark.parametrize(
    "f",
    [
        lambda a: dc.build((2, 3), lambda i, j: a[i + j, j]),
        lambda a: dc.build(9, lambda i: a[i, i]),
        lambda a: dc.build(4, lambda i: a[i // 2, i % 3]),
        lambda a: dc.build(4, lambda i: a[i * i, 0]),
        lambda a: dc.build(4, lambda i: a[(a[i, 0] / 5.0).astype(int), i]),
    ],
)
def test_other_indices_make_one(f: Any) -> None:
    made, _ = in_bulk(f, A)
    assert operations(made).count("take") == 1


def test_bounds() -> None:
    row = Tensor((5,), "int64")
    assert bounds(Affine(1, {0: -2}, row)) == (-7, 1)
    assert bounds(Affine(1, {0: -2}, Tensor((0,), "int64"))) is None


def test_what_might_wrap_is_not_affine() -> None:
    big = Affine(1 << 61, {}, Int)
    assert affine("add", (big, big), Int) is None
    assert affine("multiply", (big, Affine(2, {}, Int)), Int) is None
    small = affine("subtract", (big, Affine(1, {}, Int)), Int)
    assert small is not None
    assert small.offset == (1 << 61) - 1
