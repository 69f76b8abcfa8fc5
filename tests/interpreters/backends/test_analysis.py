"""What is known of a program before it is written: bounds of integers, and doubt about nans."""

import functools

import numpy as np
import pytest

import diffcurry as dc
from combinators.objects import Real, Tensor
from combinators.primitives.loops import FOLD
from combinators.terms import Cond, Lam, Let, Prim, Tuple, Var, const
from interpreters.backends.analysis.captures import VariableUses, surveyed
from interpreters.backends.analysis.facts import bounds_of_type
from interpreters.backends.analysis.lines import (
    CAREFUL,
    DOUBTFUL,
    OPTIMISTIC,
    Hidden,
    lines_of,
)
from interpreters.backends.xla import compile_program
from tests.interpreters.backends.programs import lam_of
from tests.interpreters.backends.terms import prim

X, Y = Var("x", Real), Var("y", Real)


def read(lam, level=CAREFUL):
    return lines_of(lam, surveyed(lam), level)


def bounds(function, *args):
    lines = read(lam_of(function, *args))
    return lines.result.bounds


def test_bounds_go_from_line_to_line():
    n = np.int64(3)
    assert bounds(lambda n: n % 10 * 3 + 1, n) == (1, 28)
    assert bounds(lambda n: np.clip(n, 2, 7) - 9, n) == (-7, -2)
    assert bounds(lambda n: dc.cond(n > 0, lambda: n % 5, lambda: -(n % 3)), n) == (-2, 4)
    assert bounds(lambda n: n + 1, n) == bounds_of_type(dc.Int)
    assert bounds(lambda x: np.argmax(x), np.ones(7)) == (0, 6)
    assert bounds(lambda x: dc.take(np.arange(5), x.astype(int)), 2.0) == (0, 4)


def test_bounds_of_what_a_loop_carries_are_widened_until_they_hold():
    rows, wide = np.arange(8), bounds_of_type(dc.Int)
    assert bounds(lambda n: dc.fold(lambda c, i: np.maximum(c, i % 4), 2, rows), 1) == (2, 3)
    assert bounds(lambda n: dc.fold(lambda c, i: i % 4, 5, rows), 1) == (0, 5)
    assert bounds(lambda n: dc.fold(lambda c, i: c + i, 2, rows), 1) == wide
    swapped = lambda n: dc.fold(lambda c, i: (c[1], c[0]), (n % 3, np.arange(9)[4]), rows)[0]
    assert bounds(swapped, np.int64(1)) == (0, 4)


def test_doubt_comes_from_products_that_hide_zeros_and_is_not_lost():
    z = prim("scale", X, Y)
    lam = lambda body: Lam((X, Y), body)
    assert read(lam(prim("add", z, X)), OPTIMISTIC).result.doubtful
    assert not read(lam(prim("scale", X, const(2.0))), OPTIMISTIC).result.doubtful
    assert not read(lam(z), CAREFUL).result.doubtful
    pair = read(lam(Tuple((prim("sin", X), z))), OPTIMISTIC).result
    assert [part.doubtful for part in pair.parts] == [False, True]
    hidden = Cond(prim("less", z, X), X, Y)
    for level in (OPTIMISTIC, DOUBTFUL):
        with pytest.raises(Hidden):
            read(lam(hidden), level)


def test_doubt_in_a_loop_reaches_what_it_carries():
    c, r, xs = Var("c", Real), Var("r", Real), Var("xs", Tensor((3,)))
    step = Lam((c, r), prim("scale", r, c))
    assert read(Lam((xs,), Prim(FOLD, (step, const(1.0), xs))), OPTIMISTIC).result.doubtful
    plain = Lam((c, r), prim("multiply", r, c))
    assert not read(Lam((xs,), Prim(FOLD, (plain, const(1.0), xs))), OPTIMISTIC).result.doubtful


def test_captures_and_uses():
    f = Lam((Y,), prim("multiply", X, Y))
    body = Let(((Var("z", Real), prim("sin", X)),), prim("add", Var("z", Real), Var("z", Real)))
    occurrences = surveyed(Lam((X,), Tuple((f, body))))
    assert [var.name for var in occurrences.captured[id(f)]] == ["x"]
    assert occurrences.is_once(f)
    uses = VariableUses(body, occurrences.captured)
    assert (uses["z"], uses["x"]) == (2, 1)


def test_a_deep_program_is_read():
    var = functools.reduce(lambda term, _: prim("sin", term), range(5_000), X)
    assert not read(Lam((X,), var), OPTIMISTIC).result.doubtful


def test_every_backend_reads_the_same_lines():
    source = compile_program(lam_of(lambda x: x[np.array([0, 3, 1])] * 2, np.ones(4))).source
    assert "_take_inside(" in source
    assert "_within" not in source
    source = compile_program(lam_of(lambda x, i: x[i], np.ones(4), np.int64(2))).source
    assert "_within" in source
    source = compile_program(lam_of(lambda n: (n // 3) ** (n % 4), np.int64(2))).source
    assert "_floor_divide" not in source
    assert "_total_power" not in source
