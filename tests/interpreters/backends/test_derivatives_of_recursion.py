"""Derivatives of programs with sums, recursion and recursive data, written as Python."""

import math
import sys
from typing import Any

import mpmath
import numpy as np
import pytest

from combinators.morphisms import interpret
from combinators.objects import Object, Product, Real
from combinators.simplify import simplify
from combinators.terms import Lam, Proj
from combinators.translate import translate
from interpreters.backends.python import compile_program
from interpreters.carriers.numpy import NumPy
from interpreters.modes.delta import Deltas
from interpreters.modes.primal import Primal
from interpreters.modes.reverse import Dependent, Pullback
from interpreters.sparse_cotangents import dense
from interpreters.staging.programs import gradient, pushforward
from interpreters.staging.terms import TERMS
from tests.interpreters.backends.drawn_recursion import BOTH, EITHER, REALS, drawn
from tests.interpreters.backends.terms_of_recursion import cells, chain, squares
from tests.interpreters.staging.closed_forms import RECURSIONS, SUMS, A, B

PROGRAMS = SUMS | RECURSIONS
MODES = [Dependent, Pullback, Deltas]
POINTS = [(-1.5, 0.7), (1.25, -0.5)]


def flat(value: Any) -> list[float]:
    """The numbers in tuples."""
    return [x for part in value for x in flat(part)] if isinstance(value, tuple) else [value]


def run(lam: Lam, *args: Any) -> Any:
    """What the emitted function gives, of which the careful version gives the same."""
    program = compile_program(lam)
    found = program.function(*args)
    if program._again:
        space: dict[str, Any] = {}
        exec(program.source, space)
        assert flat(space[program._again](*args)) == pytest.approx(flat(found))
    return found


def numeric(f: Any, at: tuple[float, ...], *orders: tuple[int, ...]) -> list[float]:
    """Derivatives of these orders, with fifty digits."""
    with mpmath.workdps(50):
        return [float(mpmath.diff(f, tuple(map(mpmath.mpf, at)), n)) for n in orders]


@pytest.mark.parametrize("at", POINTS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_value_and_the_pushforward(program: str, at: tuple[float, float]) -> None:
    body, f = PROGRAMS[program]
    lam = Lam((A, B), body)
    assert run(lam, *at) == pytest.approx(f(*at))
    of_a, of_b = numeric(f, at, (1, 0), (0, 1))
    moved = simplify(pushforward(lam))
    assert run(moved, *at, 2.0, -3.0) == pytest.approx((f(*at), 2 * of_a - 3 * of_b))


@pytest.mark.parametrize("at", POINTS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_gradient(program: str, mode: Any, at: tuple[float, float]) -> None:
    body, f = PROGRAMS[program]
    written = gradient(Lam((A, B), body), (0, 1), mode(TERMS))
    wanted = pytest.approx(numeric(f, at, (1, 0), (0, 1)), rel=1e-9)
    for lam in (written, simplify(written)):
        y, found = run(lam, *at)
        assert y == pytest.approx(f(*at))
        assert [*found] == wanted


@pytest.mark.parametrize("at", POINTS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_gradient_of_the_gradient(program: str, at: tuple[float, float]) -> None:
    body, f = PROGRAMS[program]
    first = simplify(gradient(Lam((A, B), body), (0, 1)))
    of_a = Lam(first.params, Proj(0, Proj(1, first.body)))
    wanted = numeric(f, at, (2, 0), (1, 1))
    _, found = run(simplify(gradient(of_a, (0, 1))), *at)
    assert [*found] == pytest.approx(wanted, rel=1e-9)


def slope(a: float, n: int, x: float, *, ends: bool) -> tuple[float, float]:
    """The value of ``chain`` and its derivative by ``a``, forwards."""
    dx, total, moved = 0.0, 0.0, 0.0
    for _ in range(n):
        total, moved = total + x, moved + dx
        x, dx = a * math.sin(x), math.sin(x) + a * math.cos(x) * dx
    return (x, dx) if ends else (total + x, moved + dx)


@pytest.mark.slow
@pytest.mark.parametrize("ends", [True, False])
def test_a_gradient_is_a_million_calls_deep(ends: bool) -> None:
    before = sys.getrecursionlimit()
    written = simplify(gradient(chain(ends=ends), (0,)))
    y, (found,) = compile_program(written).function(0.999999, 1_000_000, 0.3)
    assert (y, found) == pytest.approx(slope(0.999999, 1_000_000, 0.3, ends=ends), rel=1e-6)
    assert sys.getrecursionlimit() == before


def test_the_gradient_of_a_long_list_is_a_list() -> None:
    items = [float(item) for item in range(20_000)]
    written = simplify(gradient(squares(), (0,)))
    y, (found,) = compile_program(written).function(cells(items))
    assert y == sum(item * item for item in items)
    seen = []
    while found is not None and found[0] == 1:
        seen.append(found[1][0])
        found = found[1][1]
    assert seen == [2 * item for item in items]


@pytest.mark.parametrize("form", ["is[", "fix", "unroll", "reduce", "scan"])
def test_a_third_of_the_random_programs_hold_each_form(form: str) -> None:
    """Sums, recursion, lists, reduces and scans, in what is asked of all modes below."""
    held = [form in str(drawn(seed, Real)) for seed in range(40)]
    assert sum(held) >= 13


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_give_what_the_modes_that_run_give(seed: int) -> None:
    lam, at = drawn(seed, Real), (0.7, -1.3)
    mode, numbers = Dependent(NumPy()), tuple(map(np.float64, at))
    y, pullback = mode.rep(interpret(translate(lam.params, lam.body), mode), numbers)
    slopes = dense(NumPy(), pullback(np.float64(1.0)), Product(Real, Real))
    true = pytest.approx([y, *slopes], rel=1e-9, abs=1e-12)
    for written in (gradient(lam, (0, 1)), simplify(gradient(lam, (0, 1)))):
        assert flat(run(written, *at)) == true
    moved = simplify(pushforward(lam))
    assert run(moved, *at, 1.0, 0.5) == pytest.approx((y, slopes[0] + 0.5 * slopes[1]), rel=1e-9)


@pytest.mark.parametrize("cod", [BOTH, EITHER, REALS], ids=repr)
@pytest.mark.parametrize("seed", range(15))
def test_random_programs_give_sums_and_lists(seed: int, cod: Object) -> None:
    lam, at, mode = drawn(seed, cod), (0.7, -1.3), Primal(NumPy())
    numbers = tuple(map(np.float64, at))
    true = flat(mode.value(interpret(translate(lam.params, lam.body), mode), numbers))
    for written in (lam, simplify(lam)):
        assert flat(run(written, *at)) == pytest.approx(true, rel=1e-9)
