"""Simplification is linear, and makes no program longer: nodes and steps are counted, not timed."""

import functools
import gc
import sys

import numpy as np
import pytest

import diffcurry as dc
from combinators.kit.tree import distinct_nodes
from combinators.objects import Real, Tensor
from combinators.simplify import simplify
from combinators.simplify.writer import Writer
from combinators.terms import Prim
from diffcurry import fun
from interpreters.staging.programs import gradient

V3 = Tensor((3,))


def size(lam):
    return sum(1 for _ in distinct_nodes(lam))


def program(f, *types):
    return fun(f, *types).program().lam


def chain(n):
    def f(x):
        for i in range(n):
            x = np.sin(x) if i % 2 else x * 1.5
        return x

    return program(f, Real)


def fan_out(n):
    def f(x):
        total = x
        for i in range(n):
            total = total + x * float(i + 2)
        return total

    return program(f, Real)


def doubling(n):
    def f(x):
        for _ in range(n):
            x = x + x
        return x

    return program(f, Real)


def tower(n):
    @fun
    def f(x):
        return np.sin(x) * x + 1.0

    for _ in range(n):
        f = fun(lambda x, below=f: below(below(x)))
    return program(lambda x: f(x), Real)


def conditionals(n):
    def f(x):
        branch = lambda: x
        for i in range(n):
            branch = functools.partial(
                dc.cond, x < float(i), branch, functools.partial(np.multiply, x, 2.0)
            )
        return branch()

    return program(f, Real)


def folds(n):
    def nested(depth, x, v):
        if not depth:
            return x * x
        return dc.fold(lambda c, i: c + nested(depth - 1, c * i, v), x, v)

    return program(lambda x, v: nested(n, x, v), Real, V3)


def closures(n):
    def nested(depth, x, y):
        if not depth:
            return x * y
        return fun(lambda z: nested(depth - 1, x, z), Real)(y * x)

    return program(lambda x, y: nested(n, x, y), Real, Real)


def dead_pairs(n):
    def f(x, v):
        for _ in range(n):
            x = dc.fold(lambda c, i: (c[0] * i, c[1] + np.sin(c[0])), (x, x), v)[0]
        return x

    return program(f, Real, V3)


FAMILIES = [
    (chain, 300), (fan_out, 300), (doubling, 300), (tower, 20), (conditionals, 20), (folds, 12),
    (closures, 8), (dead_pairs, 20),
]  # fmt: skip


@pytest.mark.parametrize(("family", "n"), FAMILIES, ids=lambda x: getattr(x, "__name__", str(x)))
def test_lines_and_program_are_linear(family, n, monkeypatch):
    def lines_written(k):
        count = 0
        bind = Writer._bound

        def counted(self, *args):
            nonlocal count
            count += 1
            return bind(self, *args)

        with monkeypatch.context() as patch:
            patch.setattr(Writer, "_bound", counted)
            before = family(k)
            after = simplify(before)
        assert size(after) <= 1.3 * size(before) + 10
        return count, size(after)

    (few, small), (more, medium), (many, large) = map(lines_written, (n, 2 * n, 4 * n))
    assert many - more <= 2.2 * (more - few) + 20
    assert large - medium <= 2.2 * (medium - small) + 20


def test_a_program_without_control_is_written_once(monkeypatch):
    written = []
    bind = Writer._bound

    def counted(self, *args):
        written.append(args)
        return bind(self, *args)

    raw = gradient(chain(100), (0,))
    operations = sum(isinstance(node, Prim) for node in distinct_nodes(raw))
    monkeypatch.setattr(Writer, "_bound", counted)
    simplify(raw)
    assert len(written) <= operations + 2


@pytest.mark.parametrize("family", [chain, fan_out, doubling])
@pytest.mark.slow
def test_fifty_thousand_lines(family):
    limit = sys.getrecursionlimit()
    before = family(50_000)
    assert size(simplify(before)) <= size(before) + 10
    assert sys.getrecursionlimit() == limit


def test_towers_are_not_written_out():
    assert size(simplify(tower(200))) < 1500


def test_a_hundred_nested_loops_and_conditionals():
    for family in (conditionals, folds):
        before = family(100)
        assert size(simplify(before)) <= 1.2 * size(before)


def test_what_is_written_is_no_garbage_in_circles():
    """A circle of a scope and the rules of its lines would keep them all until a collection."""
    f = fun(lambda x: functools.reduce(lambda y, _: np.sin(y) * x, range(50), x), Real)
    dc.grad(f).program()
    slope = dc.grad(
        fun(lambda x: functools.reduce(lambda y, _: np.cos(y) * x, range(400), x), Real)
    )
    gc.collect()
    gc.disable()
    try:
        slope.program()
        found = gc.collect()
    finally:
        gc.enable()
    assert found < 10_000
