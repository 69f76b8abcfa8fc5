"""Delta terms of dual arrays: how many there are, what they mean, and their transposes."""

import math
import random

import numpy as np
import pytest

import diffcurry as dc
from combinators.morphisms import interpret
from combinators.objects import Real, Tensor
from combinators.tracing.control import fold
from interpreters.carriers.numpy import NumPy
from interpreters.cost.counted import Moving
from interpreters.deltas.terms import Add, Push, Scale, Share, Zero, below, size
from interpreters.modes.delta import Deltas
from tests.interpreters.deltas.directional import directional
from tests.strategies.rationals import F, Vector3, point, program


def traced(function, types, values, over=F):
    """The mode, and the dual value of ``function`` at ``values``."""
    mode = Deltas(over)
    inputs = tuple(mode.numbers.input(x, obj) for x, obj in zip(values, types, strict=True))
    return mode, interpret(program(function, *types), mode).run(inputs)


def figure_18(a):
    n = a.shape[0]
    i = np.arange(n)
    return np.sum(np.take(a, i, axis=0) * np.take(a, n - 1 - i, axis=0))


def test_the_delta_term_of_the_self_convolution_is_the_one_of_figure_18():
    _, y = traced(figure_18, (Vector3,), (np.arange(3.0),), NumPy())
    match y.delta:
        case Share(i4, Push(sum_, below=(Share(i3, Add(Scale(x2, d1), Scale(x1, d2))),))):
            assert (sum_.name, list(x1), list(x2)) == ("sum", [0, 1, 2], [2, 1, 0])
        case other:
            raise AssertionError(other)
    ids = []
    for d in (d1, d2):
        assert isinstance(d, Share)
        assert (d.below.operation.name, len(d.below.below)) == ("take", 1)
        ids.append(d.id)
    assert ids == sorted(ids)
    assert ids[-1] < i3 < i4
    assert size(y.delta) == 10


PROGRAMS = {
    "dot": lambda a, b: np.sum(a * b),
    "mixed": lambda a, b: np.sum(np.exp(a / b) * (a - b) ** 2) / np.max(a),
    "matrix": lambda a, b: np.sum((a[:, None] * b[None, :]) @ b) * np.sum(a[::-1] * b),
    "gathered": lambda a, b: np.sum(
        a[np.arange(a.shape[0])] * np.concatenate([b[1:], b[:1]]) + np.sin(a)
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_number_of_terms_does_not_depend_on_the_length(name):
    """Section 4.1: scalar dual numbers make 5n + 1; here every array operation makes a few."""
    sizes = {}
    for n in (3, 30, 300):
        obj = Tensor((n,))
        values = (1.0 + np.arange(n) / n, 2.0 + np.arange(n) / n)
        sizes[n] = size(traced(PROGRAMS[name], (obj, obj), values, NumPy())[1].delta)
    assert len(set(sizes.values())) == 1
    assert sizes[3] < 40


def pointwise_dot(a, b):
    """``t_dot`` of section 4.1, one element at a time."""
    return np.sum(dc.build(a.shape[0], lambda i: a[i] * b[i]))


def pointwise_chain(a, b):
    n = a.shape[0]
    return np.sum(dc.build(n, lambda i: np.sin(a[i]) * b[n - 1 - i] + a[i] ** 2))


@pytest.mark.parametrize("function", [pointwise_dot, pointwise_chain])
def test_neither_does_it_in_programs_that_are_written_one_element_at_a_time(function):
    """Section 4.5: the bulk-operation transform comes first."""
    sizes = set()
    for n in (4, 40, 400):
        obj, mode = Tensor((n,)), Deltas(NumPy())
        arrow = dc.fun(function, obj, obj).program().arrow(mode)
        inputs = tuple(mode.numbers.input(np.ones(n), obj) for _ in range(2))
        sizes.add(size(arrow.run(inputs).delta))
    assert len(sizes) == 1
    assert max(sizes) < 20


def indexed(n):
    """n indexings, one by one (section 4.4)."""

    def function(a):
        total = a[0] * a[1]
        for i in range(n - 1):
            total = total + a[i] * a[i + 1]
        return total

    return function


def folded(a):
    return fold(lambda c, x: c + x * x, 0.0, a)


@pytest.mark.parametrize("which", ["indexed", "folded"])
def test_the_gradient_of_n_indexings_moves_a_multiple_of_n(which):
    """The one-hot problem: as many one-hot arrays, added up, would move n² numbers."""
    moved, added = {}, {}
    for n in (50, 100, 200):
        carrier = Moving(NumPy())
        mode = Deltas(carrier)
        function = indexed(n) if which == "indexed" else folded
        arrow = interpret(program(function, Tensor((n,))), mode)
        _, pull = mode.rep(arrow, (np.arange(1.0, n + 1),))
        carrier.reset()
        carrier.moved = 0
        found = pull(np.float64(1))[0]
        moved[n], added[n] = carrier.moved, carrier.total
        a = np.arange(1.0, n + 1)
        expected = 2 * a
        if which == "indexed":
            expected = np.r_[0, a[:-1]] + np.r_[a[1:], 0]
            expected[:2] += a[1], a[0]
        np.testing.assert_allclose(found, expected)
    for count in (moved, added):
        assert count[200] - count[100] <= 2.1 * (count[100] - count[50])
        assert count[200] <= 10 * 200


def test_identifiers_grow_and_name_one_term():
    """Invariants 1 and 2 of section 2.5, on dual arrays."""
    for name, function in PROGRAMS.items():
        values = (np.arange(1.0, 4.0), np.arange(2.0, 5.0))
        _, y = traced(function, (Vector3, Vector3), values, NumPy())
        named = {}
        todo, seen = [(y.delta, math.inf)], set()
        while todo:
            delta, bound = todo.pop()
            if isinstance(delta, Share):
                assert delta.id < bound, name
                assert named.setdefault(delta.id, delta.below) is delta.below
                bound = delta.id
            if (id(delta), bound) not in seen:
                seen.add((id(delta), bound))
                todo += [(each, bound) for each in below(delta)]


LINEAR = {
    "scaled": lambda a, b: np.sum(a * b) * a - b,
    "quotients": lambda a, b: (a / (b * b + 1.0)) @ a + b,
    "windows": lambda a, b: np.concatenate([a[1:], b[::-1], a[:1] * b[2]]),
    "rows": lambda a, b: fold(lambda c, x: c * x[0] + x[1], a[0], np.stack([a, b], axis=1)) * b,
    "constant": lambda a, b: np.sum(b * 0.0) + np.ones(3),
}


@pytest.mark.parametrize("name", LINEAR)
@pytest.mark.parametrize("seed", range(3))
def test_evaluating_backwards_is_the_transpose_of_evaluating_forwards(name, seed):
    """G2: ``⟨ȳ, eval d ẋ⟩ = ⟨reversePass ȳ d, ẋ⟩``, exactly; and both are linear."""
    rng = random.Random(seed)
    draw = lambda: point(rng, Vector3)
    mode, y = traced(LINEAR[name], (Vector3, Vector3), (draw(), draw()))
    obj = y.obj or Vector3
    over, back = mode.numbers.over, mode.numbers.evaluator.reverse_pass

    def forwards(*moved):
        found = directional(over, y.delta, dict(enumerate(moved)))
        return np.zeros(obj.shape, dtype=int) if found is None else found

    def backwards(cotangent):
        found = back([(cotangent, y.delta)])
        return [_numbers(found.get(i), over) for i in range(2)]

    def paired(moved, cotangents):
        return sum(np.sum(v * c) for v, c in zip(moved, cotangents, strict=True))

    v, w = (draw(), draw()), (draw(), draw())
    c, e = point(rng, obj), point(rng, obj)
    assert np.sum(c * forwards(*v)) == paired(v, backwards(c))
    assert np.all(forwards(v[0] + w[0], v[1] + w[1]) == forwards(*v) + forwards(*w))
    both = [x + z for x, z in zip(backwards(c), backwards(e), strict=True)]
    assert all(np.all(x == z) for x, z in zip(backwards(c + e), both, strict=True))
    # A sum of terms is the sum of what they are, and Zero adds nothing.
    doubled = back([(c, Add(y.delta, Add(y.delta, Zero())))])
    for i, part in enumerate(backwards(c)):
        assert np.all(_numbers(doubled.get(i), over) == 2 * part)


def _numbers(cotangent, over):
    from interpreters.sparse_cotangents import gathered

    return np.zeros(3, dtype=int) if cotangent is None else gathered(cotangent, over)


def test_what_is_visited_is_visited_once():
    """A chain of doublings has as many fragments as lines."""
    mode, y = traced(lambda x: _doubled(x, 60), (Real,), (1,))
    assert size(y.delta) == 120
    found = mode.numbers.evaluator.reverse_pass([(1, y.delta)])
    assert found == {0: 2**60}


def _doubled(x, times):
    for _ in range(times):
        x = x + x
    return x
