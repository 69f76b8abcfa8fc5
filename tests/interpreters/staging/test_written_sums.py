"""Derivatives of programs with sums and recursive types as programs, in every mode and order."""

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from combinators.morphisms import interpret
from combinators.objects import Fun, Mu, MuVar, Object, Product, Real, Sum, Tensor, Unit
from combinators.operation import Operation, named
from combinators.primitives.loops import loop_term, looping
from combinators.simplify import simplify
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Term, Tuple, Var, const
from combinators.tracing.scope import Scope, entered
from combinators.translate import translate
from combinators.type_folds import unfolded
from combinators.value_folds import Injected
from interpreters.carriers.numpy import NumPy
from interpreters.modes.delta import Deltas
from interpreters.modes.primal import Primal
from interpreters.modes.reverse import Dependent, Pullback
from interpreters.staging.atoms import closed, placeholder
from interpreters.staging.programs import gradient, pushforward, value
from interpreters.staging.terms import TERMS

REALS = Mu("Reals", Sum(nil=Unit, cons=Product(Real, MuVar())))
MODES = {"dependent": Dependent, "simple": Pullback, "delta": Deltas}


def applied(name: str, *args: Term, **said: object) -> Prim:
    return Prim(Operation(named(name), tuple(said.items())), args)


def times(first: Term, *rest: Term) -> Term:
    return applied("multiply", first, times(*rest)) if rest else first


def plus(x: Term, y: Term) -> Term:
    return applied("add", x, y)


def case(s: Term, *branches: Callable[[Term], Term]) -> Term:
    """By which alternative a sum is; the last branch takes what is left."""
    made = branches[-1](applied("payload", s, index=len(branches) - 1))
    for index in reversed(range(len(branches) - 1)):
        test = applied("is_alternative", s, index=index)
        made = Cond(test, branches[index](applied("payload", s, index=index)), made)
    return made


def inject(of: Object, index: int, x: Term) -> Term:
    return applied("inject", x, of=of, index=index)


A, B, S, Z = Var("a", Real), Var("b", Real), Var("s", Real), Var("z", Real)
AREAS = Sum(circle=Real, box=Product(Real, Real))
ACTIONS = Sum(Fun(Real, Real), Real)


def chosen() -> Term:
    """A circle or a box, by the sign of a; its area."""
    s = Var("s", AREAS)
    box = Tuple((A, times(A, B)))
    made = Cond(
        applied("less", A, const(0.0)), inject(AREAS, 0, times(A, B)), inject(AREAS, 1, box)
    )
    area = case(s, lambda r: times(r, r, B), lambda q: times(Proj(0, q), Proj(1, q)))
    return Let(((s, made),), area)


def action() -> Term:
    """A function in a sum, which captures."""
    s = Var("s", ACTIONS)
    function = Lam((Z,), times(Z, Z, A, B))
    made = Cond(applied("less", A, const(0.0)), inject(ACTIONS, 0, function), inject(ACTIONS, 1, B))
    done = case(s, lambda f: times(App(f, B), App(f, A)), lambda r: times(r, r, A))
    return Let(((s, made),), done)


def called() -> Term:
    """A sum that a λ takes, twice, and one that it gives."""
    s, f = Var("s", AREAS), Var("f", Fun(AREAS, AREAS))
    turned = case(
        s,
        lambda r: inject(AREAS, 1, Tuple((r, times(r, A)))),
        lambda q: inject(AREAS, 0, Proj(1, q)),
    )
    twice = App(f, App(f, inject(AREAS, 0, times(A, B))))
    area = case(twice, lambda r: times(r, r), lambda q: times(Proj(0, q), B))
    return Let(((f, Lam((s,), turned)),), area)


def folded() -> Term:
    """A fold that carries a sum, whose alternative changes from round to round."""
    s, x = Var("s", AREAS), Var("x", Real)
    step = case(
        s,
        lambda r: inject(AREAS, 1, Tuple((times(r, x), A))),
        lambda q: inject(AREAS, 0, plus(times(Proj(0, q), Proj(1, q)), x)),
    )
    rows = applied("multiply", const(np.array([1.0, 2.0, 0.5])), B)
    last = loop_term(
        looping(carries=True, keeps=False), Lam((s, x), step), inject(AREAS, 0, A), rows
    )
    return case(last, lambda r: times(r, r), lambda q: times(Proj(0, q), Proj(1, q), B))


def listed() -> Term:
    """A list that is made and opened, without recursion."""
    nil = applied("roll", inject(unfolded(REALS), 0, Tuple(())), of=REALS)

    def cons(x: Term, rest: Term) -> Term:
        return applied("roll", inject(unfolded(REALS), 1, Tuple((x, rest))), of=REALS)

    def product(xs: Term, depth: int) -> Term:
        if not depth:
            return B
        opened = applied("unroll", xs)
        return case(
            opened,
            lambda _: A,
            lambda cell: times(Proj(0, cell), product(Proj(1, cell), depth - 1)),
        )

    chosen = Cond(applied("less", A, const(0.0)), nil, cons(times(A, B), nil))
    return product(cons(times(A, A), chosen), 3)


def _area(a: Any, b: Any) -> Any:
    return (a * b) ** 2 * b if a < 0 else a * (a * b)


def _action(a: Any, b: Any) -> Any:
    return (b * b * a * b) * (a * a * a * b) if a < 0 else b * b * a


def _folded(a: Any, b: Any) -> Any:
    r = (a * b) * a + 2 * b
    u, v = r * (0.5 * b), a
    return u * v * b


PROGRAMS: dict[str, tuple[Term, Callable[[Any, Any], Any]]] = {
    "chosen": (chosen(), _area),
    "action": (action(), _action),
    "called": (called(), lambda a, b: (a * b * a) ** 2),
    "folded": (folded(), _folded),
    "listed": (listed(), lambda a, b: a * a * a if a < 0 else a * a * a * b * a),
}
POINTS = [(-1.5, 0.7), (1.25, -0.5)]


def run(lam: Lam, *args: Any) -> Any:
    mode = Primal(NumPy())
    return mode.value(interpret(translate(lam.params, lam.body), mode), args)


def numeric(f: Callable[..., Any], at: tuple[float, ...], *orders: tuple[int, ...]) -> list[float]:
    """Derivatives of these orders, with fifty digits."""
    with mpmath.workdps(50):
        return [float(mpmath.diff(f, tuple(map(mpmath.mpf, at)), n)) for n in orders]


@pytest.mark.parametrize("at", POINTS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_written_again_gives_the_same(program: str, at: tuple[float, float]) -> None:
    body, f = PROGRAMS[program]
    lam = Lam((A, B), body)
    assert run(lam, *at) == pytest.approx(f(*at))
    assert run(value(lam), *at) == pytest.approx(f(*at))
    assert run(simplify(value(lam)), *at) == pytest.approx(f(*at))


@pytest.mark.parametrize("at", POINTS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_gradient_is_a_program(program: str, mode: str, at: tuple[float, float]) -> None:
    body, f = PROGRAMS[program]
    written = gradient(Lam((A, B), body), (0, 1), MODES[mode](TERMS))
    wanted = pytest.approx(numeric(f, at, (1, 0), (0, 1)), rel=1e-9)
    for lam in (written, simplify(written)):
        y, found = run(lam, *at)
        assert y == pytest.approx(f(*at))
        assert [*found] == wanted


@pytest.mark.parametrize("at", POINTS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_pushforward_is_a_program(program: str, at: tuple[float, float]) -> None:
    body, f = PROGRAMS[program]
    written = pushforward(Lam((A, B), body))
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
    first = gradient(Lam((A, B), body), (0, 1))
    for inner in (first, simplify(first)):
        of_a = Lam(inner.params, Proj(0, Proj(1, inner.body)))
        wanted = numeric(f, at, (2, 0), (1, 1))
        if mode == "forward":
            _, found = run(pushforward(of_a), *at, 1.0, 1.0)
            assert found == pytest.approx(sum(wanted), rel=1e-9)
        else:
            _, found = run(simplify(gradient(of_a, (0, 1), MODES[mode](TERMS))), *at)
            assert [*found] == pytest.approx(wanted, rel=1e-9)


def test_the_cotangent_of_a_sum_is_of_the_alternative_that_it_is() -> None:
    s = Var("s", AREAS)
    area = case(s, lambda r: times(r, r, A), lambda q: times(Proj(0, q), Proj(1, q), A))
    lam = simplify(gradient(Lam((s, A), area), (0, 1)))

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
