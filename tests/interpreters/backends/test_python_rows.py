"""Rows kept in lists, cotangents put into their places, and buffers that nobody else sees."""

import numpy as np
import pytest

import diffcurry as dc
from combinators.objects import Product, Real, Tensor
from combinators.operation import Operation, named
from combinators.primitives.loops import FOLD, FOLD_BACKWARDS, SCAN, SCAN_BACKWARDS
from combinators.terms import Lam, Let, Prim, Proj, Tuple, Var, const
from interpreters.backends.python import compile_program
from tests.interpreters.backends.comparing import agrees, same

ADD, MULTIPLY = Operation(named("add")), Operation(named("multiply"))
XS = np.linspace(-1.0, 1.0, 6)
ROWS = np.linspace(-1.0, 2.0, 12).reshape(4, 3)
LONG = np.linspace(-1.0, 1.0, 2000)


def gradient_agrees(function, x):
    """The emitted gradient, which is that of the interpreter."""
    code = compile_program(dc.grad(function).program(x).lam)
    same(code.function(x), dc.grad(function).evaluate((x,)), 1e-13)
    return code.source


@pytest.mark.parametrize("size", [3, 2000])
def test_the_rows_of_a_loop_are_kept_as_they_are(size):
    xs = np.linspace(-1.0, 1.0, 4 * size).reshape(4, size)
    step = lambda c, x: np.sin(c * x) + x
    source = gradient_agrees(lambda xs: np.sum(dc.fold(step, np.ones(size), xs)), xs)
    assert "reversed(" in source
    assert "= []" in source


def test_a_stack_can_be_looked_at_and_run_over():
    def both(xs):
        last, stack = dc.scan(lambda c, x: (c + x, c * x), np.zeros(3), xs)
        return last, stack, stack[1:], dc.fold(lambda c, row: c + row * row, last, stack)

    agrees(both, ROWS)
    agrees(both, ROWS[:0])
    agrees(lambda xs: dc.map(lambda x: x, xs), ROWS)
    agrees(lambda xs: dc.scan(lambda c, x: (x, c), np.ones(3), xs), ROWS)
    agrees(lambda xs: dc.scan(lambda c, x: (c * x, (c, x)), 1.0, xs), XS)


@pytest.mark.parametrize("inner", [SCAN, SCAN_BACKWARDS])
@pytest.mark.parametrize("outer", [FOLD, FOLD_BACKWARDS])
def test_rows_are_run_over_in_either_direction(inner, outer):
    c, x, d, y = (Var(name, Real) for name in "cxdy")
    xs = Var("xs", Tensor((6,)))
    plus = lambda a, b: Prim(ADD, (a, b))
    keep = Lam((c, x), Tuple((plus(c, x), plus(c, const(0.5)))))
    mix = Lam((d, y), Prim(MULTIPLY, (plus(d, y), const(0.5))))
    pair = Var("pair", Product(Real, Tensor((6,))))
    scanned = Prim(inner, (keep, const(0.0), xs))
    folded = Prim(outer, (mix, const(1.0), Proj(1, pair)))
    lam = Lam((xs,), Let(((pair, scanned),), folded))
    one, rows, kept = 0.0, range(6), {}
    for i in rows if inner is SCAN else reversed(rows):
        kept[i], one = one + 0.5, one + XS[i]
    true = 1.0
    for i in rows if outer is FOLD else reversed(rows):
        true = (true + kept[i]) * 0.5
    assert compile_program(lam).function(XS) == pytest.approx(true, rel=1e-15)


def test_a_small_part_does_not_keep_its_buffer():
    code = agrees(lambda xs: dc.map(lambda x: np.sin(LONG * x)[:2], xs), XS)
    assert ".copy()" in code.source
    code = agrees(lambda xs: dc.map(lambda x: np.sin(LONG * x), xs), XS)
    assert ".copy()" not in code.source


def test_what_a_loop_carries_twice_is_two_arrays():
    def twice(x, xs):
        def step(carry, row):
            a, b = carry
            made = a * row + b
            return made, made

        a, b = dc.fold(step, (x, x), xs)
        return a, b, a + 1.0

    code = agrees(twice, LONG, XS)
    a, b, _ = code.function(LONG, XS)
    assert not np.shares_memory(a, b)

    def used(x, xs):
        a, b, c = twice(x, xs)
        return (c * a) * b - a

    agrees(used, LONG, XS)


def test_what_a_loop_keeps_is_not_written_into():
    def kept(x, xs):
        step = lambda c, row: (np.sin(c) * row + c, c)
        last, stack = dc.scan(step, x, xs)
        return np.exp(last) + 1.0, stack, dc.fold(lambda c, row: c + row, last, stack)

    agrees(kept, LONG, XS)

    def same_twice(c, row):
        made = c + row
        return made, made

    agrees(lambda x, xs: dc.scan(same_twice, x, xs), LONG, XS)


def test_places_that_are_apart_are_filled():
    halves = gradient_agrees(lambda x: np.sum(x[:2] ** 3) + np.sum(np.sin(x[2:])), XS)
    combs = gradient_agrees(lambda x: np.sum(x[::2] ** 3) + np.sum(np.sin(x[1::2])), XS)
    back = gradient_agrees(lambda x: np.sum(x[3:0:-1] ** 3) + np.sum(np.sin(x[4:])), XS)
    for source in (halves, combs, back):
        assert "+=" not in source
    assert "np.empty(6)" in halves
    assert "np.empty(6)" in combs
    assert "np.zeros(6)" in back


def test_places_that_meet_are_added():
    assert "+=" in gradient_agrees(lambda x: np.sum(x[:4] ** 3) + np.sum(np.sin(x[2:])), XS)
    assert "+=" in gradient_agrees(lambda x: np.sum(x[::2] ** 3) + np.sum(np.sin(x[::3])), XS)
    gradient_agrees(lambda x: sum(x[i] * x[i] * x[i - 1] for i in range(20)), LONG[:20])
    gradient_agrees(lambda x: sum(np.sum(x[i : i + 2] ** 3) for i in range(0, 40, 2)), LONG[:40])
    gradient_agrees(lambda a: np.sum(a[:, :1] ** 3) + np.sum(a[1:, 1:] ** 2), ROWS)


def test_places_that_are_looked_at_twice_are_filled_once():
    x, v = Var("x", Tensor((1000,))), Var("v", Tensor((2000,)))
    where = (("start", (500,)), ("step", (1,)), ("shape", (2000,)))
    embed = Prim(Operation(named("embed"), where), (x,))
    sine = Prim(Operation(named("sin")), (v,))
    true = np.zeros(2000)
    true[500:1500] = LONG[:1000]
    product = Prim(MULTIPLY, (sine, v))
    code = compile_program(Lam((x,), Let(((v, embed),), product)))
    same(code.function(LONG[:1000]), np.sin(true) * true)
    assert code.source.count("np.zeros") == 1
    last = Prim(ADD, (product, v))
    shared = Lam((x,), Let(((v, embed),), Tuple((v, last, v))))
    found = compile_program(shared).function(LONG[:1000])
    same(found, (true, np.sin(true) * true + true, true))
    assert not np.shares_memory(found[0], found[2])
