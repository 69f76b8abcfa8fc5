"""Loops, choices and calls inside of builds: over all indices at once, or in a map of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import diffcurry as dc
from combinators.bulk import batched, bulk, has_map
from combinators.bulk.clauses import elementwise
from combinators.bulk.equations import CLAUSES
from combinators.objects import Fun, Real, Tensor
from combinators.operation import PRIMITIVES, Linear
from diffcurry.decorator import fun
from tests.combinators.bulk.running import in_bulk, operations, value

N = 4
rng = np.random.default_rng(1)
A, B = (rng.normal(size=(N, N)) for _ in range(2))
sinc = fun(lambda u, v: np.sin(u) * v)


def _polynomial(a: Any, i: Any) -> Any:
    return dc.fold(lambda c, r: c * r + a[i, 0], a[i, 1], a[i])


def _counting(a: Any, i: Any) -> Any:
    """The carry's last part is the same at every index."""

    def step(carry: Any, r: Any) -> Any:
        x, y, count = carry
        return y + r, x * a[i, 2], count + 1.0

    return dc.fold(step, (1.0, 2.0, 0.0), a[i])


def _running(a: Any, i: Any, j: Any) -> Any:
    return dc.scan(lambda c, r: (c * r + a[i, 0], {"c": c * a[j, i], "r": r}), a[i, 1], a[j])


BULK = {
    "fold": lambda a, b: dc.build(N, lambda i: _polynomial(a, i)),
    "fold of tuples": lambda a, b: dc.build(N, lambda i: _counting(a, i)),
    "fold over what all share": lambda a, b: dc.build(
        N, lambda i: dc.fold(lambda c, r: c * a[i, 0] + r, 0.0, b[0])
    ),
    "fold over rows of indices": lambda a, b: dc.build(
        N, lambda i: dc.fold(lambda c, k: c + a[i, k] * b[k, i], 0.0, dc.iota(N))
    ),
    "scan": lambda a, b: dc.build((N, N), lambda i, j: _running(a, i, j)),
    "fold of folds": lambda a, b: dc.build(
        N, lambda i: dc.fold(lambda c, r: dc.fold(lambda d, s: d * s[i] + c, r[0], b), a[i, i], a)
    ),
    "build in a fold": lambda a, b: dc.fold(
        lambda c, r: dc.build(N, lambda i: c[i] * r[i]), a[0], b
    ),
    "cond": lambda a, b: dc.build(
        N, lambda i: dc.cond(a[i, 0] > 0, lambda: np.sqrt(a[i, 0]), lambda: b[i, 1])
    ),
    "cond of containers": lambda a, b: dc.build(
        N, lambda i: dc.cond(a[i, 0] > 0, lambda: (a[i], i), lambda: (b[0], 7))
    ),
    "cond in a fold": lambda a, b: dc.build(
        N,
        lambda i: dc.fold(
            lambda c, r: dc.cond(c > r, lambda: c - r, lambda: c * a[i, 1]), 1.0, b[i]
        ),
    ),
    "call": lambda a, b: dc.build((N, N), lambda i, j: sinc(a[i, j], b[j, 0]) + sinc(a[0, 0], 2.0)),
    "map of maps": lambda a, b: dc.map(lambda r: dc.map(lambda t: t * t + r[0], r), a),
    "map of two": lambda a, b: dc.map(lambda r, s: np.dot(r, s), a, b),
    "gradients of rows": lambda a, b: dc.map(dc.grad(lambda r: np.sum(np.sin(r) * r[0])), a),
    "containers": lambda a, b: dc.map(
        lambda row: {"sum": row["x"] + row["y"][0], "x": row["x"]},
        dc.map(lambda i: {"x": a[i, 0], "y": b[i]}, dc.iota(N)),
    ),
    "recompute": lambda a, b: dc.build(
        N, lambda i: dc.recompute(lambda t: np.sin(t) * a[i, 0])(b[i, 1])
    ),
    "matrix and vectors": lambda a, b: dc.build(N, lambda i: a @ b[:, i]),
    "a loop that is the same": lambda a, b: dc.build(
        N, lambda i: a[i, 0] * dc.fold(lambda c, r: c + np.sum(r), 0.0, b)
    ),
}


@pytest.mark.parametrize("name", BULK)
def test_no_map_is_left(name: str) -> None:
    in_bulk(BULK[name], A, B)


@pytest.mark.parametrize("name", ["fold", "fold of tuples", "scan", "cond in a fold", "call"])
def test_gradients_through_them(name: str) -> None:
    def loss(a: Any, b: Any) -> Any:
        made = BULK[name](a, b)
        parts = made if isinstance(made, tuple) else (made,)
        flat = [part["c"] if isinstance(part, dict) else part for part in parts]
        return sum(np.sum(np.sin(part)) for part in flat)

    found = dc.grad(loss, (0, 1))(A, B)
    step = 1e-6
    for which in (0, 1):
        moved = [np.array(A), np.array(B)]
        moved[which][1, 2] += step
        up = loss_at(loss, moved)
        moved[which][1, 2] -= 2 * step
        slope = (up - loss_at(loss, moved)) / (2 * step)
        np.testing.assert_allclose(found[which][1, 2], slope, atol=1e-7)


def loss_at(loss: Any, args: list[Any]) -> Any:
    return value(fun(loss).program(*args).lam, *args)


def test_a_choice_that_checks_is_indexed() -> None:
    def f(a: Any) -> Any:
        def rows(i: Any, j: Any) -> Any:
            return dc.cond(a[i, 0] > 0, lambda: a[i] / a[j, i], lambda: a[j])[i]

        return dc.build((N, N), rows)

    function = fun(f, checked=True)
    np.testing.assert_allclose(function(A), fun(f)(A))
    assert has_map(function.program(A).bulk)


def test_a_scan_that_carries_nothing_is_a_map_and_so_in_bulk() -> None:
    def rows(a: Any, i: Any) -> Any:
        return dc.scan(lambda c, r: (c + 1.0, np.sum(r) * a[i, 0]), 0.0, a)[1]

    in_bulk(lambda a: dc.build(N, lambda i: rows(a, i)), A)


def test_a_loop_is_one_loop() -> None:
    made, _ = in_bulk(BULK["fold"], A, B)
    assert operations(made).count("fold") == 1


def test_what_all_indices_share_is_computed_once() -> None:
    f = fun(lambda a, b: dc.build(N, lambda i: a[i, 0] * np.sum(np.exp(b))))
    assert operations(f.program(A, B).bulk).count("exp") == 1
    assert f.cost(A, B).program.counts["exp"] == N * N


def test_a_test_that_all_share_stays_lazy() -> None:
    made, _ = in_bulk(
        lambda a, b: dc.build(N, lambda i: dc.cond(a[0, 0] > 0, lambda: a[i], lambda: b[i])), A, B
    )
    assert "where" not in operations(made)
    assert "if " in str(made)


def test_a_known_function_is_made_bulk_once() -> None:
    def f(a: Any, b: Any) -> Any:
        total = 0.0
        for column in range(N):
            total = total + dc.build(N, lambda i, c=column: sinc(a[i, c], b[c, i]))
        return total

    lam = fun(f).program(A, B).lam
    fired: list[Any] = []
    bulk(lam, trace=fired.append)
    calls = [one for one in fired if one.rule == "build1-app"]
    inside = [one for one in fired if one.before.type is Real and "sin" in repr(one.before)]
    assert len(calls) == N
    assert len([one for one in inside if one.rule == "build1-op"]) <= 2


def test_unknown_functions_stay_in_a_map_of_their_own() -> None:
    kind = Fun(Real, Real)
    lam = (
        fun(
            lambda h, a: dc.build((2, 3), lambda i, j: np.sin(h(a[i, j] * 2.0)) + a[j, i]),
            kind,
            Tensor((3, 3)),
        )
        .program()
        .lam
    )
    made = bulk(lam)
    maps = [name for name in operations(made) if name == "map"]
    assert len(maps) == 2
    assert operations(made).count("sin") == 1


def test_they_mean_the_same() -> None:
    def each(h: Any, a: Any) -> Any:
        return dc.build((2, 3), lambda i, j: np.sin(h(a[i, j] * 2.0)) + a[j, i])

    a = rng.normal(size=(3, 3))
    np.testing.assert_allclose(
        fun(each)(lambda t: 3.0 * t, a), np.sin(6.0 * a[:2]) + np.transpose(a)[:2]
    )


def test_functions_of_an_index_stay_in_a_map() -> None:
    def f(a: Any) -> Any:
        functions = dc.map(lambda r: fun(lambda t: t * r[0], Real), a)
        return functions[1](2.0)

    in_bulk(f, A, left=True)


def test_a_derivative_of_its_own_stays_in_a_map() -> None:
    squared = dc.with_derivative(lambda x: x * x, lambda x, g: g * 2.0 * x)
    f = fun(lambda a: np.sum(dc.build(N, lambda i: squared(a[i, 0]))))
    assert has_map(f.program(A).bulk)
    np.testing.assert_allclose(f(A), np.sum(A[:, 0] ** 2))
    np.testing.assert_allclose(dc.grad(f)(A)[:, 0], 2.0 * A[:, 0])


def test_primitives_of_others() -> None:
    try:

        @dc.primitive(
            Linear(lambda g, x: g),
            typing=lambda x: x,
            types=(Tensor((3,)),),
            check=False,
        )
        def bulk_shift(x: Any) -> Any:
            return np.roll(x, 0)

        f = fun(lambda a: dc.build(N, lambda i: bulk_shift(a[i])))
        assert has_map(f.program(A).bulk)
        np.testing.assert_allclose(f(A), A)
        batched("bulk_shift")(elementwise)
        assert not has_map(fun(f.function).program(A).bulk)
        np.testing.assert_allclose(fun(f.function)(A), A)
    finally:
        PRIMITIVES.pop("bulk_shift", None)
        CLAUSES.pop("bulk_shift", None)
