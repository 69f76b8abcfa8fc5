"""What a loop only adds up is summed after it: the same numbers, for no more than they cost."""

from typing import Any

import numpy as np
import pytest

import diffcurry as dc
from combinators.kit.tree import distinct_nodes
from combinators.objects import Tensor, components
from combinators.simplify import simplify
from combinators.simplify.sums import numbers
from combinators.terms import Lam, Prim
from combinators.type_folds import row_of
from diffcurry import fun
from interpreters.carriers.fractions import Fractions
from interpreters.cost import counted
from interpreters.staging.programs import gradient
from tests.combinators.simplify.test_random_programs import value

N = 5
EXACT = Fractions()
LAYERS: dict[str, tuple[Any, Any]] = {
    "a matrix, and a vector": (lambda h, x, w: w @ (h * x), ((4,), (4,), (4, 4))),
    "a vector, and a matrix": (lambda h, x, w: (h * x) @ w, ((4,), (4,), (4, 4))),
    "a batch of rows": (lambda h, x, w: (h * x) @ w, ((2, 4), (2, 4), (4, 4))),
    "a batch of columns": (lambda h, x, w: w @ (h * x), ((8, 2), (8, 2), (8, 8))),
    "weights twice": (lambda h, x, w: w @ (w @ (h * x)), ((4,), (4,), (4, 4))),
    "weights transposed": (lambda h, x, w: (h * x) @ w.T, ((2, 4), (2, 4), (4, 4))),
    "two layers": (lambda h, x, w, u: (h @ w) * (x @ u), ((2, 4), (2, 3), (4, 4), (3, 4))),
    "a bias": (lambda h, x, w, b: (h * x) @ w + b, ((2, 4), (2, 4), (4, 4), (4,))),
    "a number": (lambda h, x, w, b: (h * x) @ w + b, ((2, 4), (2, 4), (4, 4), ())),
    "kept axes": (lambda h, x, w, b: (h * x) @ w + b, ((2, 4), (2, 4), (4, 4), (1, 4))),
}
"""A step, and the shapes of state, row and weights."""


def loss_of(name: str, length: int = N, **options: Any) -> Lam:
    layer, (state, row, *weights) = LAYERS[name]

    def loss(xs, *ws):
        return np.sum(dc.fold(lambda h, x: layer(h, x, *ws), np.ones(state), xs, **options))

    return fun(loss, Tensor((length, *row)), *map(Tensor, weights)).program().lam


def both(lam: Lam) -> tuple[Lam, Lam]:
    """The gradient in the weights, with the sums in the loop and after it."""
    made = gradient(lam, tuple(range(1, len(lam.params))))
    return simplify(made, without=["loop-sums"]), simplify(made)


def exactly(lam: Lam) -> list[Any]:
    """What a program gives at some numbers."""
    random = np.random.default_rng(3)
    args = [
        EXACT.lift(random.integers(-2, 3, param.type.shape).astype(float), param.type)
        for param in lam.params
    ]
    return flat(value(lam, tuple(args), EXACT))


def flat(result: Any) -> list[Any]:
    if isinstance(result, tuple):
        return [number for part in result for number in flat(part)]
    return list(np.asarray(result, dtype=object).reshape(-1))


def loops(lam: Lam) -> list[Prim]:
    nodes = distinct_nodes(lam)
    return [n for n in nodes if isinstance(n, Prim) and n.operation.name in ("fold", "scan")]


def backwards(lam: Lam) -> Prim:
    (found,) = (loop for loop in loops(lam) if loop.operation.keywords.get("reverse"))
    return found


@pytest.mark.parametrize("name", LAYERS)
def test_a_sum_after_the_loop_is_the_same_exactly_and_costs_no_more(name):
    inside, after = both(loss_of(name))
    assert exactly(inside) == exactly(after)
    assert components(backwards(inside).args[1].type) is not None
    assert components(backwards(after).args[1].type) is None  # the state's cotangent is left
    assert counted(after).total < counted(inside).total
    assert counted(after).moved < counted(inside).moved


@pytest.mark.parametrize("name", LAYERS)
def test_what_is_stacked_is_no_larger_than_the_rows(name):
    inside, after = both(loss_of(name))
    stacked = components(backwards(after).type)
    rows = row_of(backwards(inside).args[-1].type)
    assert stacked is not None
    assert numbers(stacked.parts[1]) <= numbers(rows) * N


@pytest.mark.parametrize("shapes", [((9, 2), (9, 2), (2, 2)), ((4, 2), (4, 2), (4, 4))])
def test_sums_stay_where_the_factors_are_larger(shapes, monkeypatch):
    layer = (lambda h, x, w: (h * x) @ w) if shapes[2] == (2, 2) else lambda h, x, w: w @ (h * x)
    monkeypatch.setitem(LAYERS, "wide", (layer, shapes))
    inside, after = both(loss_of("wide"))
    assert str(inside) == str(after)


def test_segments_of_checkpoints_sum_for_themselves():
    inside, after = both(loss_of("a matrix, and a vector", 12, checkpoint=3))
    assert exactly(inside) == exactly(after)
    stacks = [components(loop.type) for loop in loops(after) if loop.operation.name == "scan"]
    sizes = [numbers(stack.parts[1]) for stack in stacks if stack is not None]
    assert sizes
    assert max(sizes) <= max(12 // 3, 3) * 4 * 2
    assert counted(after).moved < counted(inside).moved


def test_a_loop_in_a_loop_gives_its_sums_to_the_outer_one():
    def loss(xs, w):
        inner = lambda h, rows: dc.fold(lambda g, x: w @ (g * x), h, rows)
        return np.sum(dc.fold(inner, np.ones(4), xs))

    inside, after = both(fun(loss, Tensor((3, 4, 4)), Tensor((4, 4))).program().lam)
    assert exactly(inside) == exactly(after)
    assert counted(after).total < counted(inside).total


def test_rows_that_are_only_added_leave_nothing_of_the_loop():
    def loss(xs, w):
        return np.sum(dc.fold(lambda c, x: c + w * x, 0.0, xs))

    lam = fun(loss, Tensor((N,)), Tensor(())).program().lam
    inside, after = both(lam)
    assert exactly(inside) == exactly(after)


def test_the_users_own_sums_keep_their_order():
    def total(v):
        return dc.fold(lambda c, x: (c[0] + x, c[1] * x), (0.0, 1.0), v)

    lam = fun(total, Tensor((3,))).program().lam
    assert "sum" not in repr(simplify(lam))
    assert repr(simplify(lam, fast_math=True)) == (
        "λv. (sum[axis=(0,)] v, fold (λ(c, x). c * x) 1 v)"
    )
    assert "sum" not in repr(simplify(lam, fast_math=True, without=["loop-adds"]))


def test_a_sum_that_the_loop_reads_stays_in_it():
    def seen(v):
        return dc.scan(lambda c, x: (c + x, c), 0.0, v)

    def doubled(v):
        return dc.fold(lambda c, x: (c[0] + x, c[1] * c[0]), (0.0, 1.0), v)

    for f in (seen, doubled):
        lam = fun(f, Tensor((3,))).program().lam
        assert repr(simplify(lam, fast_math=True)) == repr(simplify(lam))


def test_what_is_not_finite_stays_so():
    layer, (state, row, weights) = LAYERS["a batch of rows"]
    xs, w = np.ones((3, *row)), np.ones(weights)
    xs[1, 0, 0], xs[2, 1, 1] = np.inf, np.nan

    def loss(xs, w):
        return np.sum(dc.fold(lambda h, x: layer(h, x, w), np.ones(state), xs))

    found = dc.grad(loss, argnums=1)
    inside, after = both(found.inner.program(xs, w).lam)
    expected = dc.grad(lambda w: loss(xs, w)).evaluate((w,))
    np.testing.assert_array_equal(found(xs, w), expected)
    assert np.isnan(expected).any()
    assert inside.type is after.type
