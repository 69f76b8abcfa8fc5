"""Derivatives of programs with sums, recursion and recursive data are programs, in every mode."""

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from combinators.morphisms import interpret
from combinators.objects import Fun, Mu, MuVar, Product, Real, Sum, Tensor, Unit, Vector
from combinators.primitives.loops import MAP, loop_term, looping
from combinators.simplify import simplify
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Term, Tuple, Var, const
from combinators.tracing.scope import Scope, entered
from combinators.translate import translate
from combinators.value_folds import Injected
from interpreters.carriers.numpy import NumPy
from interpreters.modes.delta import Deltas
from interpreters.modes.primal import Primal
from interpreters.modes.reverse import Dependent, Pullback
from interpreters.sparse_cotangents import dense
from interpreters.staging.atoms import closed, placeholder
from interpreters.staging.programs import gradient, pushforward, value
from interpreters.staging.terms import TERMS
from tests.interpreters.staging.closed_forms import (
    AREAS,
    ENDO,
    RECURSIONS,
    SUMS,
    A,
    B,
    applied,
    case,
    less,
    times,
)

PROGRAMS = SUMS | RECURSIONS
MODES = {"dependent": Dependent, "simple": Pullback, "delta": Deltas}
POINTS = [(-1.5, 0.7), (1.25, -0.5)]


def run(lam: Lam, *args: Any) -> Any:
    mode = Primal(NumPy())
    return mode.value(interpret(translate(lam.params, lam.body), mode), args)


def lam_of(body: Term) -> Lam:
    return Lam((A, B), body)


def numeric(f: Callable[..., Any], at: tuple[float, ...], *orders: tuple[int, ...]) -> list[float]:
    """Derivatives of these orders, with fifty digits."""
    with mpmath.workdps(50):
        return [float(mpmath.diff(f, tuple(map(mpmath.mpf, at)), n)) for n in orders]


@pytest.mark.parametrize("at", POINTS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_written_again_gives_the_same(program: str, at: tuple[float, float]) -> None:
    body, f = PROGRAMS[program]
    lam = lam_of(body)
    assert run(lam, *at) == pytest.approx(f(*at))
    assert run(value(lam), *at) == pytest.approx(f(*at))
    assert run(simplify(value(lam)), *at) == pytest.approx(f(*at))


@pytest.mark.parametrize("at", POINTS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_gradient_runs(program: str, mode: str, at: tuple[float, float]) -> None:
    body, f = PROGRAMS[program]
    running = MODES[mode](NumPy())
    numbers = tuple(map(np.float64, at))
    y, pullback = running.rep(interpret(translate((A, B), body), running), numbers)
    assert y == pytest.approx(f(*at))
    found = dense(NumPy(), pullback(np.float64(1.0)), Product(Real, Real))
    assert [*found] == pytest.approx(numeric(f, at, (1, 0), (0, 1)), rel=1e-9)


@pytest.mark.parametrize("at", POINTS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_gradient_is_a_program(program: str, mode: str, at: tuple[float, float]) -> None:
    body, f = PROGRAMS[program]
    written = gradient(lam_of(body), (0, 1), MODES[mode](TERMS))
    wanted = pytest.approx(numeric(f, at, (1, 0), (0, 1)), rel=1e-9)
    for lam in (written, simplify(written)):
        y, found = run(lam, *at)
        assert y == pytest.approx(f(*at))
        assert [*found] == wanted


@pytest.mark.parametrize("at", POINTS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_pushforward_is_a_program(program: str, at: tuple[float, float]) -> None:
    body, f = PROGRAMS[program]
    written = pushforward(lam_of(body))
    of_a, of_b = numeric(f, at, (1, 0), (0, 1))
    for lam in (written, simplify(written)):
        assert run(lam, *at, 2.0, -3.0) == pytest.approx((f(*at), 2 * of_a - 3 * of_b))


@pytest.mark.parametrize("at", POINTS)
@pytest.mark.parametrize("mode", ["dependent", "simple", "forward"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_gradient_is_differentiated_again(
    program: str, mode: str, at: tuple[float, float]
) -> None:
    body, f = PROGRAMS[program]
    first = gradient(lam_of(body), (0, 1))
    for inner in (first, simplify(first)):
        of_a = Lam(inner.params, Proj(0, Proj(1, inner.body)))
        wanted = numeric(f, at, (2, 0), (1, 1))
        if mode == "forward":
            _, found = run(pushforward(of_a), *at, 1.0, 1.0)
            assert found == pytest.approx(sum(wanted), rel=1e-9)
        else:
            _, found = run(simplify(gradient(of_a, (0, 1), MODES[mode](TERMS))), *at)
            assert [*found] == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("mode", MODES)
def test_the_cotangent_of_a_sum_is_of_the_alternative_that_it_is(mode: str) -> None:
    s = Var("s", AREAS)
    area = case(s, lambda r: times(r, r, A), lambda q: times(Proj(0, q), Proj(1, q), A))
    lam = simplify(gradient(Lam((s, A), area), (0, 1), MODES[mode](TERMS)))

    for given, found in [
        (Injected(0, 3.0), (0, 12.0)),
        (Injected(1, (3.0, 5.0)), (1, (10.0, 6.0))),
    ]:
        _, (tagged, _) = run(lam, given, 2.0)
        assert (tagged.tag, tagged.value) == found


def test_nobody_looks_at_what_stands_for_a_value_of_a_recursive_type() -> None:
    forest = Mu("Forest", Sum(more=Product(MuVar(1), MuVar()), none=Unit))
    rose = Mu("Rose", Product(Fun(Real, Real), forest))
    scope = Scope(None, "a test")
    with entered(scope):
        made = placeholder(rose)
    term = closed(scope, made).body
    assert term.type is rose
    assert run(Lam((A,), term), 1.0)[1].tag == 1


def test_what_is_opened_in_a_loop_of_no_rounds_is_not_opened_before_it() -> None:
    s, c, x = Var("s", AREAS), Var("c", Real), Var("x", Real)
    rows = Var("rows", Tensor((0,)))
    step = Lam((c, x), times(c, Proj(0, applied("payload", s, index=1))))
    body = loop_term(looping(carries=True, keeps=False), step, A, rows)
    assert run(simplify(Lam((s, A, rows), body)), Injected(0, 2.0), 3.0, np.zeros(0)) == 3.0


def test_functions_that_a_loop_makes_and_others_are_chosen_in_forward_mode() -> None:
    x, z, c = Var("x", Real), Var("z", Real), Var("c", Product(Tensor((2,)), Vector(ENDO, 2)))
    rows = const(np.array([2.0, 3.0]))
    made = Prim(MAP, (Lam((x,), Tuple((times(x, A), Lam((z,), times(z, x, A))))), rows))
    other = Tuple((times(rows, B), Proj(1, made)))
    chosen = Cond(less(A, 0.0), made, other)
    total = applied("sum", Proj(0, c), axis=(0,), keepdims=False)
    called = times(App(Proj(1, Proj(1, c)), B), total)
    lam = Lam((A, B), Let(((c, chosen),), called))
    assert run(pushforward(lam), -2.0, 0.5, 1.0, 0.0) == pytest.approx((30.0, -30.0))
    assert run(pushforward(lam), 2.0, 0.5, 1.0, 0.0) == pytest.approx((7.5, 3.75))
