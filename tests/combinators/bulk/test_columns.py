"""Many rows of a few numbers are laid column by column, so that a map costs what columns do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import diffcurry as dc
from combinators.kit.tree import distinct_nodes
from combinators.objects import Tensor
from combinators.terms import Prim, Term
from diffcurry.decorator import fun
from tests.combinators.bulk.running import in_bulk, operations

N = 1500
RNG = np.random.default_rng(0)
CAMERAS, POINTS, SEEN = RNG.normal(size=(7, 7)), RNG.normal(size=(90, 3)), RNG.normal(size=(N, 2))
WHICH = np.arange(N) % 7, np.arange(N) % 90


def cross(a: Any, b: Any) -> Any:
    """The cross product."""
    parts = [a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return np.stack(parts)


def residual(camera: Any, point: Any, seen: Any) -> Any:
    """How far a point is seen from where it was: a bundle adjustment in small."""
    axis, moved, focal = camera[:3], point - camera[3:6], camera[6]
    angle = np.sqrt(axis @ axis)
    turned = moved * np.cos(angle) + cross(axis / angle, moved) * np.sin(angle)
    return turned[:2] / (4.0 + turned[2] ** 2) * focal - seen


def by_rows(cameras: Any, points: Any, seen: Any) -> Any:
    """A map over observations."""
    errors = dc.map(residual, cameras[WHICH[0]], points[WHICH[1]], seen)
    return np.sum(errors * errors)


def by_columns(cameras: Any, points: Any, seen: Any) -> Any:
    """The same with an array for each number of a row."""
    r, p = cameras[WHICH[0]], points[WHICH[1]]
    axis, focal = [r[:, i] for i in range(3)], r[:, 6]
    moved = [p[:, i] - r[:, 3 + i] for i in range(3)]
    angle = np.sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2])
    unit = [a / angle for a in axis]
    turned = [
        moved[k] * np.cos(angle) + (unit[i] * moved[j] - unit[j] * moved[i]) * np.sin(angle)
        for k, (i, j) in enumerate(((1, 2), (2, 0), (0, 1)))
    ]
    depth = 4.0 + turned[2] ** 2
    errors = [turned[i] / depth * focal - seen[:, i] for i in range(2)]
    return np.sum(errors[0] * errors[0]) + np.sum(errors[1] * errors[1])


def test_each_number_of_a_row_is_a_column() -> None:
    made, _ = in_bulk(by_rows, CAMERAS, POINTS, SEEN)
    computed = [
        node.type
        for node in distinct_nodes(made, kind=Term)
        if isinstance(node, Prim) and node.operation.name != "transpose"
    ]
    shapes = {obj.shape for obj in computed if isinstance(obj, Tensor)}
    assert (3, N) in shapes
    assert not [shape for shape in shapes if len(shape) == 2 and shape[0] == N]
    assert "matmul" not in operations(made)


def test_rows_and_columns_mean_the_same_and_do_as_much() -> None:
    results = [
        dc.value_and_grad(f, argnums=(0, 1))(CAMERAS, POINTS, SEEN) for f in (by_rows, by_columns)
    ]
    np.testing.assert_allclose(results[0][0], results[1][0])
    for one, other in zip(results[0][1], results[1][1], strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)
    rows, columns = (fun(f).cost(CAMERAS, POINTS, SEEN) for f in (by_rows, by_columns))
    assert rows.program.total <= 1.05 * columns.program.total
    assert rows.gradient.total <= 1.05 * columns.gradient.total


@pytest.mark.parametrize("last", [lambda x: x, lambda x: np.sum(x, 0), lambda x: x[5] * x[-1]])
@pytest.mark.parametrize(
    "f",
    [
        lambda r: np.stack([r[0], r[1] * r[2]]),
        lambda r: np.reshape(np.outer(r, r), (9,)),
        lambda r: np.cumsum(r)[::-1],
        lambda r: dc.fold(lambda c, x: c * x + r, r, r),
        lambda r: dc.scan(lambda c, x: (c + x * r, c[0] * r), r, r)[1],
        lambda r: dc.cond(r[0] > 0, lambda: r * 2.0, lambda: np.sin(r)),
        lambda r: dc.cond(np.sum(POINTS) > 0, lambda: r * 2.0, lambda: np.sin(r)),
        lambda r: POINTS @ r,
        lambda r: np.max(r, keepdims=True) - r,
        lambda r: dc.build((3, 3), lambda i, j: r[i] * r[j] + r[i - 1]),
        lambda r: dc.scatter(5, r, lambda i: i + 1),
        lambda r: dc.grad(lambda s: np.sum(s[1:] * s[:-1]) ** 2)(r),
        lambda r: r[np.argmax(r)] * r,
    ],
)
def test_whatever_is_done_with_rows(f: Any, last: Any) -> None:
    xs = RNG.normal(size=(N, 3))
    whole = lambda xs: last(dc.map(f, xs))
    made = dc.fun(whole)(xs)
    wanted = np.stack([dc.fun(f)(x) for x in xs[:20]])
    if made.shape[:1] == (N,):
        np.testing.assert_allclose(made[:20], wanted)
    parts = dc.grad(lambda xs: np.sum(np.sin(whole(xs))))(xs)
    few = dc.grad(lambda xs: np.sum(np.sin(last(dc.map(f, xs)))))(xs[:20])
    assert parts.shape == xs.shape
    assert few.shape == (20, 3)
    if made.shape[:1] == (N,):
        np.testing.assert_allclose(parts[:20], few, atol=1e-12)
