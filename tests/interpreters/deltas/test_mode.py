"""The mode of dual arrays: the dependently typed pullback by another way, over any carrier."""

import random

import numpy as np
import pytest

import diffcurry as dc
from combinators.errors import ConcreteValueNeeded
from combinators.literal import Literal
from combinators.morphisms import interpret
from combinators.objects import Fun, Int, Real
from combinators.tracing.cases import cond
from combinators.tracing.control import recompute
from combinators.tracing.definition import Definition
from combinators.tracing.scope import Scope, apart, entered
from interpreters.carriers.counting import Counting
from interpreters.carriers.duals import Dual
from interpreters.carriers.numpy import NumPy
from interpreters.carriers.sympy import SymPy
from interpreters.modes.delta import Deltas
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Dependent
from tests.interpreters.modes.test_pushforward import PROGRAMS
from tests.strategies.rationals import F, Q, Vector3, equal, pairing, point, program, sparse


@pytest.mark.parametrize(("function", "types"), PROGRAMS)
@pytest.mark.parametrize("seed", range(2))
def test_it_is_the_dependently_typed_pullback_exactly(function, types, seed):
    rng = random.Random(seed)
    arrow = program(function, *types)
    x = tuple(point(rng, obj) for obj in types)
    moved = tuple(None if obj is Int else point(rng, obj) for obj in types)
    delta, dependent = Deltas(F), Dependent(F)
    y, pull = delta.rep(interpret(arrow, delta), x)
    y2, pull2 = dependent.rep(interpret(arrow, dependent), x)
    assert np.all(equal(y, y2))
    g = point(rng, arrow.cod)
    assert pairing(moved, pull(sparse(g))) == pairing(moved, pull2(sparse(g)))
    assert pairing(moved, pull(sparse(g))) == pairing(moved, pull(sparse(g)))


NUMBERS = {
    "numpy": NumPy(),
    "sympy": SymPy(),
    "counting": Counting(F),
    "duals": Pushforward(F),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_it_runs_over_any_carrier(name):
    over = NUMBERS[name]
    mode = Deltas(over)
    numbers = mode.numbers.over
    arrow = interpret(program(lambda x, y: (x * y - y) / (1.0 + x * x), Real, Real), mode)
    x = tuple(numbers.lift(value, Real) for value in (0.5, -1.5))
    value, pull = mode.rep(arrow, x)
    found = pull(numbers.lift(1.0, Real))
    numbers_of = [float(_primal(numbers.lower(found[i]))) for i in range(2)]
    # (x y - y) / (1 + x²) at (1/2, -3/2)
    assert float(_primal(numbers.lower(value))) == pytest.approx(0.75 / 1.25)
    assert numbers_of == pytest.approx([-1.5 / 1.25 - 0.75 / 1.25**2, -0.5 / 1.25])


def _primal(number):
    return getattr(number, "primal", number)


def test_over_forward_mode_it_gives_second_derivatives():
    over = Pushforward(F)
    mode = Deltas(over)
    arrow = interpret(program(lambda x: x * x * x, Real), mode)
    _, pull = mode.rep(arrow, (Dual(Q(2), Q(1)),))
    slope = pull(over.numbers.lift(1, Real))[0]
    assert (slope.primal, slope.tangent) == (12, 12)


@pytest.mark.parametrize("outer", [Pushforward, Dependent, Deltas])
def test_dual_arrays_are_numbers_of_other_modes(outer):
    """Forward or reverse mode over dual arrays: second derivatives again."""
    inner = Deltas(F)
    numbers, mode = inner.numbers, outer(inner)
    arrow = interpret(program(lambda x: x * x * x, Real), mode)
    x, one = numbers.input(Q(2), Real), numbers.const(Literal(1.0))
    if outer is Pushforward:
        slope = mode.push(arrow, (x,), (one,))[1]
    else:
        slope = mode.rep(arrow, (x,))[1](one)[0]
    assert slope.primal == 12
    (second,) = numbers.evaluator.reverse_pass([(Q(1), slope.delta)]).values()
    assert second == 12


def test_over_terms_a_branch_is_refused_and_the_error_says_so():
    from interpreters.staging.terms import TERMS

    arrow = interpret(program(lambda x: cond(x > 0.0, lambda: x, lambda: -x), Real), Deltas(TERMS))
    with pytest.raises(ConcreteValueNeeded), apart(), entered(Scope(None, "a test")):
        arrow.run((Deltas(TERMS).numbers.lift(1.0, Real),))


def test_a_pullback_may_be_used_again():
    mode = Deltas(F)
    arrow = interpret(program(lambda x, i: x[i] * x[0] * np.sum(x), Vector3, Int), mode)
    x = np.array([Q(1), Q(2), Q(3)])
    _, pull = mode.rep(arrow, (x, np.int64(2)))
    first, second, third = pull(Q(1))[0], pull(Q(1))[0], pull(Q(2))[0]
    assert list(first) == list(second) == [3 * 6 + 3, 3, 6 + 3]
    assert list(third) == [2 * g for g in first]
    assert pull(None) is None


@pytest.mark.parametrize("mode", [Deltas(F), Dependent(F)])
def test_a_function_argument_has_the_cotangent_of_what_it_captures(mode):
    """Beyond the paper, which has no functions at the top level."""
    made = program(lambda a: Definition(lambda x: x * a, (Real,)), Real)
    inner = getattr(mode, "inner", mode)
    closure = interpret(made, inner).run((Q(5),))
    apply = interpret(program(lambda f, x: f(x) * f(x), Fun(Real, Real), Real), mode)
    value, pull = mode.rep(apply, (closure, Q(2)))
    assert (value, pull(Q(1))) == (100, {0: {0: 40}, 1: 100})


def test_functions_with_a_rule_of_their_own_keep_it():
    cube = dc.with_derivative(lambda x: x * x * x, lambda x, dy: 7.0 * dy * x)
    outer = lambda x, y: cube(x * y) * y
    for mode in (Deltas(F), Dependent(F)):
        value, pull = mode.rep(interpret(program(outer, Real, Real), mode), (Q(2), Q(3)))
        assert value == 216 * 3
        assert pull(Q(1)) == {0: 7 * 6 * 3 * 3, 1: 7 * 6 * 2 * 3 + 216}


def test_a_rule_for_a_function_that_gives_several_numbers():
    pair = dc.with_derivative(lambda x: (x, x * x), lambda x, dy: 3.0 * dy[0] + dy[1] * x)
    for mode in (Deltas(F), Dependent(F)):
        arrow = program(lambda x: pair(x)[0] * pair(x)[1], Real)
        value, pull = mode.rep(interpret(arrow, mode), (Q(2),))
        assert value == 8
        assert pull(Q(1)) == {0: 4 * 2**2}


def test_functions_that_are_recomputed_and_numbers_that_are_stopped():
    again = recompute(lambda x: np.sin(x) * x)
    outer = lambda x: dc.stop_gradient(x) * x * again(x)
    for mode in (Deltas(NumPy()), Dependent(NumPy())):
        _, pull = mode.rep(interpret(program(outer, Real), mode), (np.float64(2),))
        slope = np.cos(2.0) * 2.0 + np.sin(2.0)
        assert pull(np.float64(1))[0] == pytest.approx(2 * (np.sin(2.0) * 2 + 2 * slope))


def test_deep_programs_meet_no_limit_of_python():
    def chain(x):
        for _ in range(5_000):
            x = x * 1.0
        return x

    mode = Deltas(NumPy())
    _, pull = mode.rep(interpret(program(chain, Real), mode), (np.float64(3),))
    assert pull(np.float64(1)) == {0: 1.0}


def test_a_branch_that_is_not_taken_contributes_nothing():
    f = lambda x: np.where(x > 0.0, x, np.sqrt(x))
    mode = Deltas(NumPy())
    with np.errstate(all="ignore"):
        _, pull = mode.rep(interpret(program(f, Real), mode), (np.float64(1),))
        assert pull(np.float64(1)) == {0: 1.0}
        outside = program(lambda x, y: np.where(x > 0.0, x, y / x), Real, Real)
        _, pull = mode.rep(interpret(outside, mode), (np.float64(0), np.float64(1)))
        assert pull(np.float64(0)) == {0: 0.0, 1: 0.0}
