"""Every equation by itself: its left side uses it, and both sides mean the same."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import diffcurry as dc
from combinators.bulk import EQUATIONS, bulk
from combinators.primitives.structural import plus
from diffcurry.decorator import fun
from tests.combinators.bulk.measure import measure
from tests.combinators.bulk.running import assert_close, in_bulk, value

K = 3
X = np.array([0.5, -1.5, 2.0])
Y = np.array([1.0, 3.0, -0.25])
A = np.arange(12.0).reshape(3, 4) / 7 - 0.6
D = np.array([2, 0, 5])
C = np.array([3.0, 1.0, 2.0])
SIDES: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "build1-itself": (lambda x, y, a, d: dc.build(K, lambda i: i), lambda x, y, a, d: dc.iota(K)),
    "build1-invariant": (
        lambda x, y, a, d: dc.build(K, lambda i: np.sin(x)),
        lambda x, y, a, d: dc.replicate(K, np.sin(x)),
    ),
    "build1-let": (
        lambda x, y, a, d: dc.build(K, lambda i: _twice(np.sin(x[i]))),
        lambda x, y, a, d: _shared(dc.build(K, lambda i: np.sin(x[i]))),
    ),
    "build1-cond": (
        lambda x, y, a, d: dc.build(K, lambda i: dc.cond(x[i] > 0, lambda: x[i], lambda: y[i])),
        lambda x, y, a, d: np.where(x > 0, x, y),
    ),
    "build1-op": (
        lambda x, y, a, d: dc.build(K, lambda i: x[i] + np.exp(y[i])),
        lambda x, y, a, d: x + np.exp(y),
    ),
    "build1-sumOuter": (
        lambda x, y, a, d: dc.build(K, lambda i: np.sum(a[i])),
        lambda x, y, a, d: np.sum(np.transpose(a), 0),
    ),
    "build1-gather": (
        lambda x, y, a, d: dc.build(K, lambda i: dc.gather((3,), a[i], lambda j: d[j])),
        lambda x, y, a, d: dc.gather((K, 3), a, lambda i, j: (i, d[j])),
    ),
    "build1-scatter": (
        lambda x, y, a, d: dc.build(K, lambda i: dc.scatter((3,), a[i], lambda j: j * d[i])),
        lambda x, y, a, d: dc.scatter((K, 3), a, lambda i, j: (i, j * d[i])),
    ),
    "build1-stack": (
        lambda x, y, a, d: dc.build(K, lambda i: np.stack([x[i], y[i]])),
        lambda x, y, a, d: np.transpose(np.stack([x, y])),
    ),
    "build1-replicate": (
        lambda x, y, a, d: dc.build(K, lambda i: dc.replicate(2, x[i])),
        lambda x, y, a, d: np.transpose(dc.replicate(2, x)),
    ),
    "build1-tr": (
        lambda x, y, a, d: dc.build(K, lambda i: np.transpose(a * x[i])),
        lambda x, y, a, d: np.transpose(a * np.reshape(x, (K, 1, 1)), (0, 2, 1)),
    ),
    "build1-reshape": (
        lambda x, y, a, d: dc.build(K, lambda i: np.reshape(a[i], (2, 2))),
        lambda x, y, a, d: np.reshape(a, (K, 2, 2)),
    ),
    "index-let": (
        lambda x, y, a, d: dc.build(
            K, lambda i: dc.build(K, lambda j: _twice(x * y[i] + x[j]))[d[i], 1]
        ),
        lambda x, y, a, d: dc.build(K, lambda i: _inside(d[i], 2.0 * (x[1] * y[i] + x[d[i]]))),
    ),
    "index-index": (
        lambda x, y, a, d: dc.build(K, lambda i: (a * x[i])[d[i]][i]),
        lambda x, y, a, d: dc.build(K, lambda i: (a * x[i])[d[i], i]),
    ),
    "index-cond": (
        lambda x, y, a, d: dc.build(
            K, lambda i: dc.cond(x[i] > 0, lambda: y * x[i], lambda: x + y[i])[d[i]]
        ),
        lambda x, y, a, d: dc.build(
            K, lambda i: _inside(d[i], np.where(x[i] > 0, y[d[i]] * x[i], x[d[i]] + y[i]))
        ),
    ),
    "index-build1": (
        lambda x, y, a, d: dc.build(K, lambda i: dc.build(K, lambda j: x[j] * y[i] + 1.0)[d[i]]),
        lambda x, y, a, d: dc.build(K, lambda i: _inside(d[i], x[d[i]] * y[i] + 1.0)),
    ),
    "gather-build1": (
        lambda x, y, a, d: dc.build((K, K), lambda i, j: np.exp(x[i] * y[j]))[1:, [2, 0]],
        lambda x, y, a, d: dc.build((2, 2), lambda i, j: np.exp(x[1 + i] * y[2 - 2 * j])),
    ),
    "index-op": (
        lambda x, y, a, d: dc.build(K, lambda i: (np.exp(x) + y[i])[d[i]]),
        lambda x, y, a, d: dc.build(K, lambda i: _inside(d[i], np.exp(x)[d[i]] + y[i])),
    ),
    "index-sumOuter": (
        lambda x, y, a, d: dc.build(K, lambda i: np.sum(a * x[i], 0)[d[i]]),
        lambda x, y, a, d: dc.build(K, lambda i: np.sum(a[:, d[i]] * x[i])),
    ),
    "index-stack": (
        lambda x, y, a, d: dc.build(K, lambda i: np.stack([x * y[i], x + y[i]])[d[i] // 2, i]),
        lambda x, y, a, d: dc.build(K, lambda i: np.stack([x[i] * y[i], x[i] + y[i]])[d[i] // 2]),
    ),
    "index-replicate": (
        lambda x, y, a, d: dc.build(K, lambda i: dc.replicate(4, x * y[i])[i]),
        lambda x, y, a, d: dc.build(K, lambda i: x * y[i]),
    ),
    "index-tr": (
        lambda x, y, a, d: dc.build(K, lambda i: np.transpose(a * x[i])[d[i], i]),
        lambda x, y, a, d: dc.build(K, lambda i: (a * x[i])[i, d[i]]),
    ),
    "index-reshape": (
        lambda x, y, a, d: dc.build(K, lambda i: np.reshape(a * x[i], (12,))[d[i]]),
        lambda x, y, a, d: dc.build(K, lambda i: (a * x[i])[d[i] // 4, d[i] % 4]),
    ),
    "index-gather": (
        lambda x, y, a, d: dc.build(K, lambda i: dc.gather((K,), x * y[i], lambda j: d[j])[i]),
        lambda x, y, a, d: dc.build(K, lambda i: (x * y[i])[d[i]]),
    ),
    "index-slice": (
        lambda x, y, a, d: dc.build(K, lambda i: (a * x[i])[1:][i // 2, 3]),
        lambda x, y, a, d: dc.build(K, lambda i: (a * x[i])[1 + i // 2, 3]),
    ),
    "build1-index-variable": (
        lambda x, y, a, d: dc.build(K, lambda i: x[d[i]]),
        lambda x, y, a, d: dc.gather((K,), x, lambda i: d[i]),
    ),
    "build1-index-constant": (
        lambda x, y, a, d: dc.build(K, lambda i: dc.index(C, d[i])),
        lambda x, y, a, d: np.stack([C[2] + 0.0 * x[0], C[0] + 0.0 * x[0], 0.0 * x[0]]),
    ),
    "build1-index-stack": (
        lambda x, y, a, d: dc.build(K, lambda i: np.stack([x[1], y[2]])[d[i]]),
        lambda x, y, a, d: dc.gather((K,), np.stack([x[1], y[2]]), lambda i: d[i]),
    ),
    "build1-index-scatter": (
        lambda x, y, a, d: dc.build(K, lambda i: dc.scatter((4,), x, lambda j: d[j])[d[i]]),
        lambda x, y, a, d: dc.gather((K,), dc.scatter((4,), x, lambda j: d[j]), lambda i: d[i]),
    ),
    "gather-affine": (
        lambda x, y, a, d: dc.build(K, lambda i: a[2 - i, i + 1]),
        lambda x, y, a, d: np.stack([a[2, 1], a[1, 2], a[0, 3]]),
    ),
    "build1-reduce": (
        lambda x, y, a, d: dc.build(K, lambda i: np.max(a[i] * y[i])),
        lambda x, y, a, d: np.max(a * np.reshape(y, (K, 1)), 1),
    ),
    "build1-along": (
        lambda x, y, a, d: dc.build(K, lambda i: np.cumsum(a[i])),
        lambda x, y, a, d: np.cumsum(a, 1),
    ),
    "build1-slice": (
        lambda x, y, a, d: dc.build(K, lambda i: a[i][1:3]),
        lambda x, y, a, d: a[:, 1:3],
    ),
    "build1-embed": (
        lambda x, y, a, d: dc.build(K, lambda i: dc.grad(lambda r: np.sum(r[1:3] ** 2))(a[i])),
        lambda x, y, a, d: np.concatenate([0.0 * a[:, :1], 2.0 * a[:, 1:3], 0.0 * a[:, 3:]], 1),
    ),
    "build1-matmul": (
        lambda x, y, a, d: dc.build(4, lambda i: np.transpose(a) @ (a[:, i] * x)),
        lambda x, y, a, d: np.transpose(np.transpose(a) @ (a * np.reshape(x, (K, 1)))),
    ),
    "build1-plus": (
        lambda x, y, a, d: dc.build(K, lambda i: plus(a[i], a[0])),
        lambda x, y, a, d: a + a[0],
    ),
    "build1-build1": (
        lambda x, y, a, d: dc.build((K, 4), lambda i, j: a[i, j] * x[i]),
        lambda x, y, a, d: a * np.reshape(x, (K, 1)),
    ),
    "sum-product": (
        lambda x, y, a, d: dc.build(4, lambda j: np.sum(dc.build(K, lambda p: x[p] * a[p, j]))),
        lambda x, y, a, d: x @ a,
    ),
    "build1-fold": (
        lambda x, y, a, d: dc.build(K, lambda i: dc.fold(lambda c, r: c * r + x[i], y[i], a[i])),
        lambda x, y, a, d: dc.fold(lambda c, r: c * r + x, y, np.transpose(a)),
    ),
    "build1-app": (
        lambda x, y, a, d: dc.build(K, lambda i: _twice_as_function(x[i])),
        lambda x, y, a, d: 2.0 * x,
    ),
}
NO_MORE = {"index-nothing"}
"""This is no step of the walk: a key that is used up."""


def _twice(value: Any) -> Any:
    return value + value


def _shared(values: Any) -> Any:
    return dc.build(K, lambda i: values[i] + values[i])


def _inside(index: Any, value: Any) -> Any:
    return np.where(np.logical_and(index >= 0, index < K), value, 0.0)


_twice_as_function = fun(lambda t: t + t)


@pytest.mark.parametrize("name", SIDES)
def test_an_equation_is_used_and_both_sides_mean_the_same(name: str) -> None:
    left, right = SIDES[name]
    args = (X, Y, A, D)
    made, fired = in_bulk(left, *args)
    names = {one.rule for one in fired}
    assert name in names
    assert names <= {one.name for one in EQUATIONS}
    assert_close(value(made, *args), value(fun(right).program(*args).lam, *args))


def test_every_equation_has_its_instance() -> None:
    names = [one.name for one in EQUATIONS]
    assert len(set(names)) == len(names)
    assert set(names) == set(SIDES) | NO_MORE | {"build1-split"}
    assert all("⇝" in repr(one) for one in EQUATIONS)


@pytest.mark.parametrize("name", SIDES)
def test_what_is_to_be_done_becomes_less(name: str) -> None:
    lam = fun(SIDES[name][0]).program(X, Y, A, D).lam
    assert measure(bulk(lam)) < measure(lam)
