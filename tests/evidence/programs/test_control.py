"""Branches, loops and records in gradient programs."""

from typing import NamedTuple

import numpy as np
import pytest

import diffcurry as dc
from combinators.kit.tree import distinct_nodes
from combinators.morphisms import interpret
from combinators.terms import Cond
from combinators.translate import translate
from diffcurry import Bool, Int, Product, Real, Tensor
from interpreters.carriers.counting import Counting
from interpreters.carriers.numpy import NumPy
from interpreters.modes.primal import Primal
from interpreters.staging.programs import gradient
from tests.evidence.programs.ways import all_ways, run

EMPTY = np.zeros(0)


def counts(lam, *args):
    """How often a run computes each primitive."""
    carrier = Counting(NumPy())
    mode = Primal(carrier)
    with np.errstate(all="ignore"):
        mode.value(interpret(translate(lam.params, lam.body), mode), args)
    return carrier.counts


LOOPS = {
    "fold": (lambda w, xs: dc.fold(lambda c, x: np.sin(c * x), w, xs), 1.0),
    "scan": (lambda w, xs: dc.scan(lambda c, x: (c * w, c * x), w, xs)[0], 1.0),
    "scan's rows": (lambda w, xs: w + np.sum(dc.scan(lambda c, x: (c * w, c * x), w, xs)[1]), 1.0),
    "fold from the end": (
        lambda w, xs: dc.fold(lambda c, x: np.sin(c * x), w, xs, reverse=True),
        1.0,
    ),
    "scan's rows from the end": (
        lambda w, xs: w + np.sum(dc.scan(lambda c, x: (c * w, c * x), w, xs, reverse=True)[1]),
        1.0,
    ),
    "map": (lambda w, xs: np.sum(dc.map(lambda x: x * w, xs)) + w * w, 1.0),
    "a carry of functions": (
        lambda w, xs: dc.fold(
            lambda f, x: dc.fun(lambda t: f(t) * x, Real), dc.fun(lambda t: t * w, Real), xs
        )(w),
        1.0,
    ),
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_of_length_0(name):
    loop, _ = LOOPS[name]
    true = {"map": 4.0, "a carry of functions": 4.0}.get(name, 1.0)
    value, (slope, row) = dc.value_and_grad(loop, (0, 1))(2.0, EMPTY)
    assert (slope, row.shape) == (true, (0,))
    assert dc.jvp(loop, (2.0, EMPTY), (1.0, EMPTY)) == (value, true)
    second = dc.grad(dc.grad(loop))(2.0, EMPTY)
    assert second == (2.0 if true == 4.0 else 0.0)
    lam = gradient(dc.fun(loop).program(2.0, EMPTY).lam, (0, 1))
    assert run(lam, (2.0, EMPTY))[1][0] == true


@pytest.mark.parametrize("name", LOOPS)
def test_loops_are_not_unrolled(name):
    def lines(transform, n):
        return str(transform(LOOPS[name][0]).program(2.0, np.ones(n))).count("\n")

    for transform in (dc.grad, lambda f: dc.grad(dc.grad(f)), dc.vjp):
        assert lines(transform, 10) == lines(transform, 10_000)


@pytest.mark.parametrize("name", LOOPS)
def test_loops_are_differentiated_as_in_the_other_modes(name):
    loop, xs = LOOPS[name][0], np.array([0.5, -1.0, 2.0])
    found = dc.grad(loop, (0, 1))(0.75, xs)
    for mode in ("simple", "forward"):
        for ours, theirs in zip(found, dc.grad(loop, (0, 1), mode=mode)(0.75, xs), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-14)


def test_reverse_on_fold_and_scan_runs_from_the_last_row_to_the_first():
    """The items of a scan stay in the places of their rows."""
    xs = np.array([1.0, 2.0, 3.0])
    assert dc.fold(lambda c, x: 2.0 * c + x, 0.0, xs, reverse=True) == 1.0 + 2.0 * (2.0 + 2.0 * 3.0)
    last, items = dc.scan(lambda c, x: (c + x, c - x), 10.0, xs, reverse=True)
    assert (last, items.tolist()) == (16.0, [15.0 - 1.0, 13.0 - 2.0, 10.0 - 3.0])

    def either(w, xs, *, reverse):
        after, items = dc.scan(lambda c, x: (np.sin(c * x) + w, c * w), w, xs, reverse=reverse)
        again = dc.fold(lambda c, x: np.tanh(c + w * x), after, items, reverse=reverse)
        return again * after + items[0]

    def backwards(w, xs):
        return either(w, xs, reverse=True)

    def flipped(w, xs):
        after, items = dc.scan(lambda c, x: (np.sin(c * x) + w, c * w), w, np.flip(xs))
        return dc.fold(lambda c, x: np.tanh(c + w * x), after, items) * after + items[2]

    at, along = (0.75, np.array([0.5, -1.0, 2.0])), (1.0, np.array([0.25, 0.5, -1.0]))
    assert backwards(*at) == flipped(*at) != either(*at, reverse=False)
    wanted = dc.grad(flipped, (0, 1))(*at)
    for mode in ("dependent", "simple", "forward"):
        for ours, theirs in zip(dc.grad(backwards, (0, 1), mode=mode)(*at), wanted, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-13)
    np.testing.assert_allclose(
        dc.jvp(backwards, at, along)[1], dc.jvp(flipped, at, along)[1], rtol=1e-13
    )
    np.testing.assert_allclose(dc.hvp(backwards, at, along), dc.hvp(flipped, at, along), rtol=1e-12)
    all_ways(gradient(dc.fun(backwards).program(*at).lam, (0, 1)), at)


@pytest.mark.parametrize("every", [1, 2, 3, 4, 7])
def test_a_fold_from_the_end_with_checkpoints(every):
    def f(w, xs, **options):
        return dc.fold(lambda c, x: np.sin(c * x) + w * c, w, xs, reverse=True, **options)

    at = 0.75, np.array([0.5, -1.0, 2.0, 0.25])
    found = dc.grad(lambda w, xs: f(w, xs, checkpoint=every), (0, 1))(*at)
    for ours, theirs in zip(found, dc.grad(f, (0, 1))(*at), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-14)


def guarded_log(x):
    return dc.cond(x > 0.0, lambda: np.log(x), lambda: x * x * x)


def guarded_index(x, xs, i):
    return dc.cond(i < 3, lambda: xs[i] * x, lambda: x)


def test_the_branch_not_taken_does_no_harm():
    for transform in (dc.grad, lambda f: dc.grad(dc.grad(f)), dc.jacfwd):
        assert np.isfinite([transform(guarded_log)(x) for x in (2.0, -1.0, 0.0)]).all()
    assert dc.grad(guarded_log)(-1.0) == 3.0
    assert dc.grad(dc.grad(guarded_log))(-1.0) == -6.0
    xs = np.array([4.0, 5.0, 6.0])
    slopes = dc.grad(guarded_index, (0, 1))
    assert slopes(2.0, xs, 1)[0] == 5.0
    x, row = slopes(2.0, xs, 7)
    assert (x, row.tolist()) == (1.0, [0.0, 0.0, 0.0])
    assert dc.jvp(guarded_index, (2.0, xs, 7), (1.0, xs, None)) == (2.0, 1.0)


@pytest.mark.parametrize("transform", ["gradient", "second"])
def test_the_branch_not_taken_is_not_computed(transform):
    def f(x):
        return dc.cond(x > 0.0, lambda: np.sin(np.exp(x)), lambda: np.tanh(x * 3.0))

    g = dc.grad(f) if transform == "gradient" else dc.grad(dc.grad(f))
    for lam in (gradient(dc.fun(f, Real).program().lam, (0,)), g.program(1.0).lam):
        assert any(isinstance(node, Cond) for node in distinct_nodes(lam))
        positive, negative = counts(lam, 1.0), counts(lam, -1.0)
        assert not positive["tanh"] + positive["cosh"]
        assert not negative["exp"] + negative["sin"] + negative["cos"]
        assert positive["exp"] == 1
        assert negative["tanh"] + negative["cosh"] >= 1


def test_a_branch_in_a_loop_is_taken_a_row_at_a_time():
    def f(x, xs):
        return dc.fold(
            lambda c, r: dc.cond(r > 0.0, lambda: c * np.log(r), lambda: c + np.exp(r)), x, xs
        )

    xs = np.array([2.0, -1.0, 3.0, -4.0, 0.0])
    lam = gradient(dc.fun(f).program(1.0, xs).lam, (0, 1))
    found = counts(lam, 1.0, xs)
    assert (found["log"], found["exp"]) == (2, 3)
    slope, row = dc.grad(f, (0, 1))(1.0, xs)
    np.testing.assert_allclose(slope, np.log(2.0) * np.log(3.0), rtol=1e-15)
    assert np.isfinite(row).all()


def test_one_pullback_called_twice():
    def f(x, y):
        return np.sin(x * y), x

    _, pull = dc.vjp(f, 2.0, 3.0)
    assert pull((1.0, 0.0)) == pull((1.0, 0.0))
    x, y = pull((2.0, 5.0))
    assert (x, y) == (6.0 * np.cos(6.0) + 5.0, 4.0 * np.cos(6.0))

    def twice(x):
        _, pull = dc.vjp(lambda z: z * z * z)(x)
        return pull(1.0)[0] * pull(x)[0]  # 3x² · 3x³

    assert dc.fun(twice)(2.0) == 9 * 32.0
    assert dc.grad(twice)(2.0) == 45 * 16.0


class Point(NamedTuple):
    x: float
    y: float


def test_records_dicts_and_named_tuples():
    def f(p):
        return np.sum(p["w"] * p["at"].x) * p["at"].y

    p = {"w": np.array([1.0, 2.0]), "at": Point(3.0, 4.0)}
    found = dc.grad(f)(p)
    assert found["at"] == Point(12.0, 9.0)
    assert isinstance(found["at"], Point)
    assert found["w"].tolist() == [12.0, 12.0]
    again = dc.grad(lambda p: dc.grad(f)(p)["at"].x)(p)  # ∂²/∂p ∂x of (Σw) x y
    assert again["w"].tolist() == [4.0, 4.0]
    assert again["at"] == Point(0.0, 3.0)
    all_ways(gradient(dc.fun(f).program(p).lam, (0,)), (((p["w"], (3.0, 4.0))),))


def test_integers_and_booleans():
    def f(x, n, flag):
        return dc.cond(flag, lambda: x * n, lambda: x * x)

    g = dc.grad(f)
    assert (g(3.0, 4, True), g(3.0, 4, False)) == (4.0, 6.0)
    assert dc.grad(g)(3.0, 4, False) == 2.0
    assert dc.grad(dc.fun(f, Real, Int, Bool)).program().types == (Real, Int, Bool)
    assert dc.vjp(f, 3.0, 4, True)[1](1.0) == (4.0, None, None)


def test_with_derivative_in_gradient_programs():
    clipped = dc.with_derivative(lambda x: x * x * x, lambda x, g: g * x)
    assert dc.grad(lambda x: clipped(x) * 2.0)(3.0) == 6.0
    assert dc.grad(dc.grad(lambda x: clipped(x) * 2.0))(3.0) == 2.0
    assert dc.jvp(dc.grad(clipped), (3.0,), (1.0,)) == (3.0, 1.0)

    def looped(w, xs):
        return dc.fold(lambda c, x: c + clipped(w * x), 0.0, xs)

    assert dc.grad(looped)(2.0, np.array([1.0, 3.0])) == 2.0 * (1.0 + 9.0)
    assert dc.grad(lambda x: dc.grad(lambda y: clipped(y * x))(x))(2.0) == 3 * 4.0  # d (x² · x)


def test_declared_types_inside_a_trace():
    """Transforms of a function with declared types, where another function is traced."""
    f = dc.fun(lambda x, y: x * x * y, Real, Real)
    back = dc.fun(lambda x, y: dc.vjp(f)(x, y)[1](1.0))
    assert back(2.0, 3.0) == (12.0, 4.0)
    assert dc.fun(lambda x, y: dc.grad(f, (0, 1))(x, y))(2.0, 3.0) == (12.0, 4.0)
    forward = dc.fun(lambda x, y: dc.jvp(f, (x, y), (1.0, 1.0))[1])
    assert forward(2.0, 3.0) == 16.0


def test_products_of_everything():
    kind = Product(Real, Product(Int, Tensor((2,))), Bool)
    f = dc.fun(lambda p: dc.cond(p[2], lambda: p[0] * p[1][1][0], lambda: p[0] * p[1][0]), kind)
    assert dc.grad(f)((2.0, (3, np.array([5.0, 7.0])), False))[0] == 3.0
    slope = dc.grad(f)((2.0, (3, np.array([5.0, 7.0])), True))
    assert slope[0] == 5.0
    assert slope[1][0] is None
    assert slope[1][1].tolist() == [2.0, 0.0]
