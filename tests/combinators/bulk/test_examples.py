"""The programs of section 3.2 and others, written one element at a time, and what they become."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import diffcurry as dc
from diffcurry.decorator import fun
from tests.combinators.bulk.running import in_bulk, operations

N, M = 5, 7
rng = np.random.default_rng(0)
A, B, C = (rng.normal(size=(N, N)) for _ in range(3))
X, W = rng.normal(size=M), rng.normal(size=3)


def matmat(a: Any, b: Any) -> Any:
    (n, m), k = a.shape, b.shape[1]
    return dc.build((n, k), lambda i, j: np.sum(dc.build(m, lambda p: a[i, p] * b[p, j])))


def convolution(x: Any, w: Any) -> Any:
    n, m = x.shape[0], w.shape[0]
    return dc.build(n - m + 1, lambda i: np.sum(dc.build(m, lambda j: x[i + j] * w[j])))


def distances(x: Any, y: Any) -> Any:
    n, m = x.shape
    return dc.build((n, n), lambda i, j: np.sum(dc.build(m, lambda p: (x[i, p] - y[j, p]) ** 2)))


def attention(q: Any, k: Any, v: Any) -> Any:
    n, d = q.shape
    scores = dc.build((n, n), lambda i, j: np.sum(dc.build(d, lambda p: q[i, p] * k[j, p])))
    shares = dc.build((n, n), lambda i, j: np.exp(scores[i, j] - np.max(scores[i])))
    return dc.build(
        (n, d),
        lambda i, p: np.sum(dc.build(n, lambda j: shares[i, j] * v[j, p])) / np.sum(shares[i]),
    )


def stencil(x: Any) -> Any:
    return dc.build(x.shape[0], lambda i: x[i - 1] - 2.0 * x[i] + x[i + 1])


def test_matmat_is_one_product() -> None:
    made, _ = in_bulk(matmat, A, B)
    assert str(made) == "λ(a : Tensor[5, 5], b : Tensor[5, 5]).\n  a @ b"
    assert fun(matmat).cost(A, B).program.total == 2 * N**3


def test_its_gradient_is_two() -> None:
    def loss(a: Any, b: Any) -> Any:
        return np.sum(np.sin(matmat(a, b)))

    made = dc.grad(loss, (0, 1)).program(A, B).lam
    assert operations(made) == ["cos", *["matmul"] * 3, *["transpose"] * 2]
    bulk = dc.grad(lambda a, b: np.sum(np.sin(a @ b)), (0, 1))
    np.testing.assert_allclose(dc.grad(loss, (0, 1))(A, B)[0], bulk(A, B)[0])
    ours = fun(loss).cost(A, B).gradient
    theirs = fun(lambda a, b: np.sum(np.sin(a @ b))).cost(A, B).gradient
    assert ours is not None
    assert theirs is not None
    assert ours.total == theirs.total


def test_a_convolution_is_a_product_with_windows() -> None:
    made, _ = in_bulk(convolution, X, W)
    used = operations(made)
    assert used.count("matmul") == 1
    assert not {"take", "iota", "multiply", "sum"} & set(used)
    assert fun(convolution).cost(X, W).program.counts["matmul"] == 2 * 3 * (M - 2)


def test_distances_are_a_difference_and_a_sum() -> None:
    made, _ = in_bulk(distances, A, B)
    assert operations(made) == ["reshape", "square", "subtract", "sum"]
    assert fun(distances).cost(A, B).program.total == 3 * N**3


def test_attention_is_two_products() -> None:
    made, _ = in_bulk(attention, A, B, C)
    used = operations(made)
    assert used.count("matmul") == 2
    assert used.count("exp") == used.count("max") == used.count("sum") == 1
    assert not {"take", "multiply", "map"} & set(used)
    total = fun(attention).cost(A, B, C).program.total
    assert total == 2 * 2 * N**3 + 5 * N**2


def test_a_stencil_is_slices_among_zeros() -> None:
    made, _ = in_bulk(stencil, X)
    used = operations(made)
    assert used.count("slice") == used.count("embed") == 2
    assert "take" not in used
    assert fun(stencil).cost(X).program.total == 3 * M


@pytest.mark.parametrize(
    ("f", "args", "products"),
    [
        (lambda a, b, c: _sum2(lambda i, j, p, q: a[i, p] * b[p, q] * c[q, j]), (A, B, C), 2),
        (lambda a, b, c: _sum1(lambda i, j, p: a[i, p] * c[0, p] * b[p, j]), (A, B, C), 1),
        (lambda a, b, c: _sum1(lambda i, j, p: 2.0 * a[i, p] * b[j, p]), (A, B, C), 1),
        (lambda a, b, c: _sum1(lambda i, j, p: a[p, i] * b[j, p]), (A, B, C), 1),
        (lambda a, b, c: np.sum(dc.build(N, lambda p: a[0, p] * b[p, 0])), (A, B, C), 1),
        (lambda a, b, c: dc.map(lambda r, s: a @ r + s, b, c), (A, B, C), 1),
    ],
)
def test_contractions(f: Any, args: tuple[Any, ...], products: int) -> None:
    made, _ = in_bulk(f, *args)
    assert operations(made).count("matmul") == products
    assert "sum" not in operations(made)


def _sum1(body: Any) -> Any:
    return dc.build((N, N), lambda i, j: np.sum(dc.build(N, lambda p: body(i, j, p))))


def _sum2(body: Any) -> Any:
    return dc.build((N, N), lambda i, j: np.sum(dc.build((N, N), lambda p, q: body(i, j, p, q))))


def test_rows_are_multiplied_and_summed_without_a_product_of_their_matrices() -> None:
    """``Σⱼ a[i, j] b[i, j]`` costs n², and not the n³ of a product's diagonal."""

    def dots(a: Any, b: Any) -> Any:
        return dc.build(N, lambda i: np.sum(dc.build(N, lambda j: a[i, j] * b[i, j])))

    in_bulk(dots, A, B)
    assert fun(dots).cost(A, B).program.total == 2 * N**2
