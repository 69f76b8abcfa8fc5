"""Forward mode: exact over the rationals, the transpose of both pullbacks, and it nests."""

import random

import numpy as np
import pytest
import sympy

from combinators.errors import NotDifferentiable, WrongMode
from combinators.morphisms import interpret
from combinators.objects import Fun, Int, Product, Real, Tensor
from combinators.tracing.cases import cond
from combinators.tracing.control import fold, scan
from combinators.tracing.control import map as map_
from combinators.tracing.definition import Definition
from interpreters.carriers.duals import Dual
from interpreters.carriers.numpy import NumPy
from interpreters.modes.primal import Primal
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Dependent, Pullback
from tests.strategies.rationals import (
    FORWARD,
    F,
    Q,
    Vector3,
    equal,
    pairing,
    point,
    poly,
    program,
    real,
    sparse,
)


def chosen_closure(x, y):
    f = cond(x > y, lambda: real(lambda z: z * x), lambda: real(lambda z: z * y - x))
    return f(f(x * y))


def closures_in_a_tuple(x, y):
    pair = cond(
        x * y > 1.0,
        lambda: (real(lambda z: z * x), y),
        lambda: (real(lambda z: z - y * y), x * x),
    )
    return pair[0](pair[1])


def returned(x, y):
    def make(a):
        return Definition(lambda z: z * a + poly(z), (Real,))

    return make(x)(y) * make(y)(x)


def folded(w, xs):
    return fold(lambda c, x: c * w + x * x, 1.0, xs)


def scanned(w, xs):
    carry, ys = scan(lambda c, x: (c * x + w, c * c), w, xs)
    return carry * np.sum(ys)


def mapped(w, xs):
    return np.sum(map_(lambda x: poly(x) * w, xs) * xs)


def function_carry(w, xs):
    step = fold(lambda c, x: real(lambda t: c(t) * w + x), real(lambda t: t * w), xs)
    return step(w * w)


def branch_in_a_loop(w, xs):
    return fold(lambda c, x: cond(x > w, lambda: c * x, lambda: c - x * w), w, xs)


def several_results(x, y):
    return x * y, (poly(x), y / (x * x + 1.0))


PROGRAMS = [
    (lambda x: poly(poly(x)), (Real,)),
    (lambda x, y: (x * y - y) / (1.0 + x * x), (Real, Real)),
    (lambda x, y: x + x * y + 3.0, (Real, Real)),
    (several_results, (Real, Real)),
    (chosen_closure, (Real, Real)),
    (closures_in_a_tuple, (Real, Real)),
    (returned, (Real, Real)),
    (folded, (Real, Vector3)),
    (scanned, (Real, Vector3)),
    (mapped, (Real, Vector3)),
    (function_carry, (Real, Vector3)),
    (branch_in_a_loop, (Real, Vector3)),
    (lambda x, n: cond(n > 0, lambda: x * x, lambda: x) * 2.0, (Real, Int)),
    (lambda a, b: np.sum(a * a.T - b.reshape((3, 3)), axis=0), (Tensor((3, 3)), Tensor((9,)))),
    (lambda p: p[0] * np.sum(p[1]) * p[0], (Product(Real, Vector3),)),
]


@pytest.mark.parametrize(("function", "types"), PROGRAMS)
@pytest.mark.parametrize("mode", [Pullback(over=F), Dependent(over=F)], ids=["simple", "dependent"])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_transpose_of_each_pullback_exactly(function, types, mode, seed):
    rng = random.Random(seed)
    arrow = program(function, *types)
    x = tuple(point(rng, obj) for obj in types)
    moved = tuple(None if obj is Int else point(rng, obj) for obj in types)
    y, tangent = FORWARD.push(interpret(arrow, FORWARD), x, moved)
    value, pullback = mode.rep(interpret(arrow, mode), x)
    assert np.all(equal(y, value))
    g = point(rng, arrow.cod)
    assert pairing(tangent, sparse(g)) == pairing(moved, pullback(sparse(g)))


def test_the_derivative_is_the_polynomial_s():
    def function(x):
        return fold(lambda c, a: c * x + a, x, np.array([2.0, 0.0, -3.0])) * poly(x)

    x = sympy.symbols("x")
    formula = (((x * x + 2) * x + 0) * x - 3) * (x**3 - 2 * x + 1)
    at = Q(3, 7)
    _, tangent = FORWARD.push(interpret(program(function, Real), FORWARD), (at,), (Q(1),))
    assert tangent == Q(str(formula.diff(x).subs(x, sympy.Rational(3, 7))))


def quotient(x, y):
    f = real(lambda z: z * z * y / (1.0 + x * x))
    return fold(lambda c, a: f(c) + a * x, x, np.array([1.0, -2.0]))


def quotient_formula(x, y):
    def f(z):
        return z**2 * y / (1 + x**2)

    return f(f(x) + x) - 2 * x


AT = (Q(2, 3), Q(-1, 2))
SYMBOLS = sympy.symbols("x y")


def by_sympy(*which):
    formula = sympy.diff(quotient_formula(*SYMBOLS), *(SYMBOLS[i] for i in which))
    at = [sympy.Rational(a.numerator, a.denominator) for a in AT]
    return Q(str(formula.subs(dict(zip(SYMBOLS, at, strict=True)))))


def one(index, base=Q):
    """A tangent or a dual along argument ``index``."""
    return tuple(base(1) if i == index else None for i in range(2))


@pytest.mark.parametrize("i", [0, 1])
@pytest.mark.parametrize("j", [0, 1])
def test_second_derivatives_by_nesting(i, j):
    expected = by_sympy(i, j)
    arrow = program(quotient, Real, Real)
    twice = Pushforward(over=FORWARD)
    moving = tuple(Dual(a, t) for a, t in zip(AT, one(i), strict=True))
    value, tangent = twice.push(interpret(arrow, twice), moving, one(j, lambda n: Dual(Q(n))))
    assert value.tangent == by_sympy(i)
    assert tangent.primal == by_sympy(j)
    assert tangent.tangent == expected
    for mode in (Pullback(over=FORWARD), Dependent(over=FORWARD)):
        _, pullback = mode.rep(interpret(arrow, mode), moving)
        gradient = pullback(Dual(Q(1)))
        assert gradient[j].primal == by_sympy(j)
        assert gradient[j].tangent == expected


def test_third_derivatives_by_nesting():
    arrow = program(quotient, Real, Real)
    mode = Dependent(over=Pushforward(over=FORWARD))
    x = Dual(Dual(AT[0], Q(1)), Dual(Q(1)))
    y = Dual(Dual(AT[1]))
    _, pullback = mode.rep(interpret(arrow, mode), (x, y))
    gradient = pullback(Dual(Dual(Q(1))))
    assert gradient[1].tangent.tangent == by_sympy(0, 0, 1)


@pytest.mark.parametrize(
    ("function", "expected"), [(lambda x, y: x + y, 1), (lambda x, y: x * y, 4)]
)
def test_two_levels_are_not_confused(function, expected):
    """d/dx (x · d/dy f(x, y)) at x = 2: of x + y it is 1, of x · y it is 2x."""
    outer = Pushforward(over=FORWARD)
    x = Dual(Q(2), Q(1))
    _, slope = outer.push(
        interpret(program(function, Real, Real), outer), (x, Dual(Q(5))), (None, Dual(Q(1)))
    )
    times = interpret(program(lambda x, y: x * y, Real, Real), Primal(FORWARD))
    assert times.run((x, slope)).tangent == expected


# --- zero


def test_integers_do_not_move():
    arrow = interpret(program(lambda n, x: (n + 1, n > 0, x * 2.0), Int, Real), FORWARD)
    y, tangent = FORWARD.push(arrow, (np.int64(3), Q(1)), (None, Q(1)))
    assert y == (4, True, 2)
    assert tangent == (None, None, 2)
    with pytest.raises(NotDifferentiable, match="Int has no tangents but None"):
        FORWARD.push(arrow, (np.int64(3), Q(1)), (np.int64(1), None))


def test_zero_is_symbolic_and_the_branch_not_taken_is_not_run():
    arrow = interpret(program(lambda x: cond(x > 0.0, lambda: 1.0 / x, lambda: 5.0), Real), FORWARD)
    assert FORWARD.push(arrow, (Q(0),), (Q(1),)) == (5, None)
    assert FORWARD.push(arrow, (Q(2),)) == (Q(1, 2), None)


def test_loops_of_no_rounds():
    arrow = interpret(program(folded, Real, Tensor((0,))), FORWARD)
    assert FORWARD.push(arrow, (Q(2), np.empty(0, dtype=object)), (Q(1), None)) == (1, None)


# --- what may stand after over=


def test_a_pullback_is_no_carrier():
    with pytest.raises(WrongMode, match=r"Dependent is none.*Dependent\(over=Pushforward\(over="):
        Pushforward(over=Dependent(over=F))
    with pytest.raises(WrongMode, match=r"Primal is none"):
        Pullback(over=Primal(F))
    with pytest.raises(WrongMode, match=r"NumPy is a class; write NumPy\(\)"):
        Primal(over=NumPy)
    with pytest.raises(WrongMode, match=r"1.0 is none.*write over=NumPy\(\)"):
        Primal(over=1.0)


# --- depth


@pytest.mark.slow
def test_a_long_chain_and_deep_calls():
    depth = 50_000

    def chain(x):
        for _ in range(depth):
            x = x + 1.0
        return x

    numpy = Pushforward(over=NumPy())
    y, tangent = numpy.push(
        interpret(program(chain, Real), numpy), (np.float64(1),), (np.float64(1),)
    )
    assert (y, tangent) == (depth + 1, 1)

    def nest(n):
        def wrap(f, _):
            return real(lambda t: f(t) + 1.0)

        return lambda x: fold(wrap, real(lambda t: t * x), np.zeros(n))

    arrow = interpret(program(nest(depth), Real), numpy)
    closure, tangent = numpy.push(arrow, (np.float64(2),), (np.float64(1),))
    assert numpy.inner.eval(Fun(Real, Real)).run((closure, np.float64(3))) == 6 + depth
    assert tangent(np.float64(3)) == 3
