"""Derivatives of programs with sums, recursion and recursive data are programs, in every mode.

Each is run in the primal mode, and as the Python that is written of it.
"""

import math
import sys
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from combinators.morphisms import interpret
from combinators.objects import Fun, Mu, MuVar, Product, Real, Sum, Tensor, Unit, Vector
from combinators.primitives.loops import MAP, loop_term, looping
from combinators.simplify import simplify
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Tuple, Var, const
from combinators.tracing.scope import Scope, entered
from combinators.translate import translate
from combinators.value_folds import Injected
from interpreters.backends.python import compile_program
from interpreters.carriers.numpy import NumPy
from interpreters.modes.delta import Deltas
from interpreters.modes.primal import Primal
from interpreters.modes.reverse import Dependent, Pullback
from interpreters.sparse_cotangents import dense
from interpreters.staging.atoms import closed, placeholder
from interpreters.staging.programs import gradient, pushforward, value
from interpreters.staging.terms import TERMS
from tests.interpreters.backends.terms_of_recursion import applied, cells, chain, squares
from tests.interpreters.staging.closed_forms import (
    AREAS,
    ENDO,
    RECURSIONS,
    SUMS,
    A,
    B,
    case,
    less,
    times,
)
from tests.strategies.language import Either, Items, Pair, R, V
from tests.strategies.meanings import Unclear, evaluated, function_of
from tests.strategies.points import arguments, thousandths
from tests.strategies.programs import LENGTH, programs

PROGRAMS = {name: (Lam((A, B), body), f) for name, (body, f) in (SUMS | RECURSIONS).items()}
MODES = {"dependent": Dependent, "simple": Pullback, "delta": Deltas}
POINTS = [(-1.5, 0.7), (1.25, -0.5)]
of_every_program = pytest.mark.parametrize("program", PROGRAMS)
at_every_point = pytest.mark.parametrize("at", POINTS)


def interpreted(lam: Lam, *args: Any) -> Any:
    mode = Primal(NumPy())
    return mode.value(interpret(translate(lam.params, lam.body), mode), args)


def flat(value: Any) -> list[float]:
    """The numbers in tuples, lists and sums, with their tags."""
    if isinstance(value, Injected):
        value = value.tag, value.value
    if isinstance(value, np.ndarray):
        value = tuple(value)
    return [x for part in value for x in flat(part)] if isinstance(value, tuple) else [value]


def run(lam: Lam, *args: Any) -> list[float]:
    """What a program gives: interpreted, emitted, and by the careful version of that."""
    program = compile_program(lam)
    found = flat(program.function(*args))
    assert flat(interpreted(lam, *args)) == pytest.approx(found)
    if program._again:
        space: dict[str, Any] = {}
        exec(program.source, space)
        assert flat(space[program._again](*args)) == pytest.approx(found)
    return found


def numeric(f: Any, at: tuple[float, ...], *orders: tuple[int, ...]) -> list[float]:
    """Derivatives of these orders, with fifty digits."""
    with mpmath.workdps(50):
        return [float(mpmath.diff(f, tuple(map(mpmath.mpf, at)), n)) for n in orders]


@at_every_point
@of_every_program
def test_a_program_written_again_gives_the_same(program: str, at: tuple[float, float]) -> None:
    lam, f = PROGRAMS[program]
    for made in (lam, value(lam), simplify(value(lam))):
        assert run(made, *at) == [pytest.approx(f(*at))]


@at_every_point
@pytest.mark.parametrize("mode", MODES)
@of_every_program
def test_the_gradient_runs(program: str, mode: str, at: tuple[float, float]) -> None:
    lam, f = PROGRAMS[program]
    running = MODES[mode](NumPy())
    numbers = tuple(map(np.float64, at))
    y, pullback = running.rep(interpret(translate(lam.params, lam.body), running), numbers)
    assert y == pytest.approx(f(*at))
    found = dense(NumPy(), pullback(np.float64(1.0)), Product(Real, Real))
    assert [*found] == pytest.approx(numeric(f, at, (1, 0), (0, 1)), rel=1e-9)


@at_every_point
@pytest.mark.parametrize("mode", MODES)
@of_every_program
def test_the_gradient_is_a_program(program: str, mode: str, at: tuple[float, float]) -> None:
    lam, f = PROGRAMS[program]
    written = gradient(lam, (0, 1), MODES[mode](TERMS))
    true = [f(*at), *numeric(f, at, (1, 0), (0, 1))]
    for made in (written, simplify(written)):
        assert run(made, *at) == pytest.approx(true, rel=1e-9)


@at_every_point
@of_every_program
def test_the_pushforward_is_a_program(program: str, at: tuple[float, float]) -> None:
    lam, f = PROGRAMS[program]
    of_a, of_b = numeric(f, at, (1, 0), (0, 1))
    for made in (pushforward(lam), simplify(pushforward(lam))):
        assert run(made, *at, 2.0, -3.0) == pytest.approx([f(*at), 2 * of_a - 3 * of_b])


@at_every_point
@pytest.mark.parametrize("mode", ["dependent", "simple", "forward"])
@of_every_program
def test_the_gradient_is_differentiated_again(
    program: str, mode: str, at: tuple[float, float]
) -> None:
    lam, f = PROGRAMS[program]
    first = gradient(lam, (0, 1))
    wanted = numeric(f, at, (2, 0), (1, 1))
    for inner in (first, simplify(first)):
        of_a = Lam(inner.params, Proj(0, Proj(1, inner.body)))
        if mode == "forward":
            found = interpreted(pushforward(of_a), *at, 1.0, 1.0)[1]
            assert found == pytest.approx(sum(wanted), rel=1e-9)
        else:
            _, *found = run(simplify(gradient(of_a, (0, 1), MODES[mode](TERMS))), *at)
            assert found == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("mode", MODES)
def test_the_cotangent_of_a_sum_is_of_the_alternative_that_it_is(mode: str) -> None:
    s = Var("s", AREAS)
    area = case(s, lambda r: times(r, r, A), lambda q: times(Proj(0, q), Proj(1, q), A))
    lam = simplify(gradient(Lam((s, A), area), (0, 1), MODES[mode](TERMS)))

    for point, found in [
        (Injected(0, 3.0), (0, 12.0)),
        (Injected(1, (3.0, 5.0)), (1, (10.0, 6.0))),
    ]:
        _, (tagged, _) = interpreted(lam, point, 2.0)
        assert (tagged.tag, tagged.value) == found


def test_nobody_looks_at_what_stands_for_a_value_of_a_recursive_type() -> None:
    forest = Mu("Forest", Sum(more=Product(MuVar(1), MuVar()), none=Unit))
    rose = Mu("Rose", Product(Fun(Real, Real), forest))
    scope = Scope(None, "a test")
    with entered(scope):
        made = placeholder(rose)
    term = closed(scope, made).body
    assert term.type is rose
    assert interpreted(Lam((A,), term), 1.0)[1].tag == 1


def test_what_is_opened_in_a_loop_of_no_rounds_is_not_opened_before_it() -> None:
    s, c, x = Var("s", AREAS), Var("c", Real), Var("x", Real)
    rows = Var("rows", Tensor((0,)))
    step = Lam((c, x), times(c, Proj(0, applied("payload", s, index=1))))
    body = loop_term(looping(carries=True, keeps=False), step, A, rows)
    assert interpreted(simplify(Lam((s, A, rows), body)), Injected(0, 2.0), 3.0, np.zeros(0)) == 3.0


def test_functions_that_a_loop_makes_and_others_are_chosen_in_forward_mode() -> None:
    x, z, c = Var("x", Real), Var("z", Real), Var("c", Product(Tensor((2,)), Vector(ENDO, 2)))
    rows = const(np.array([2.0, 3.0]))
    made = Prim(MAP, (Lam((x,), Tuple((times(x, A), Lam((z,), times(z, x, A))))), rows))
    other = Tuple((times(rows, B), Proj(1, made)))
    chosen = Cond(less(A, 0.0), made, other)
    total = applied("sum", Proj(0, c), axis=(0,), keepdims=False)
    called = times(App(Proj(1, Proj(1, c)), B), total)
    lam = Lam((A, B), Let(((c, chosen),), called))
    assert interpreted(pushforward(lam), -2.0, 0.5, 1.0, 0.0) == pytest.approx((30.0, -30.0))
    assert interpreted(pushforward(lam), 2.0, 0.5, 1.0, 0.0) == pytest.approx((7.5, 3.75))


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


DATA = Pair(R, Either(Items(), V(LENGTH)))


def plain(value: Any) -> Any:
    """A list of numbers that mpmath computed as its cells, or as a row, by where it stands."""
    number, (tag, items) = value
    return number, (tag, cells(items) if tag == 0 else tuple(items))


@given(st.data())
def test_random_programs_give_sums_and_lists(data: Any) -> None:
    program = data.draw(programs(result=DATA, depth=4))
    given_args = data.draw(arguments(program, thousandths))
    try:
        true = flat(plain(evaluated(program, given_args)))
    except Unclear:
        return
    lam = function_of(program).program().lam
    for made in (lam, simplify(lam)):
        found = run(made, *(np.asarray(arg, dtype=float)[()] for arg in given_args))
        assert found == pytest.approx([*map(float, true)], rel=1e-9, abs=1e-12)
