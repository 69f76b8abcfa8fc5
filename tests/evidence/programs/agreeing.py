"""What must agree on any program: called by the tests on a few, and by the fuzzer on many."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np

import diffcurry as dc
from combinators.morphisms import interpret
from combinators.objects import Product, Real
from combinators.terms import App, Lam, Let, Proj, Tuple, Var
from interpreters.carriers.duals import Dual
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Dependent
from interpreters.sparse_cotangents import dense
from interpreters.staging.programs import gradient, pullback, pushforward
from tests.evidence.programs.ways import (
    EXACT,
    SECOND,
    all_ways,
    close,
    forward_over_forward,
    lifted,
    outcome,
)
from tests.strategies.language import Arrow, Pair, Program, R, V
from tests.strategies.meanings import Unclear, evaluated, function_of, object_of
from tests.strategies.points import inner, numbers
from tests.strategies.programs import LENGTH

RESULT = Pair(R, V(LENGTH))
WHICH = (0, 1, 2)
ROW = (0.5, -1.25, 2.0)
OF_ONE_NUMBER = (("x", R), ("v", V(LENGTH)))
WITH_FUNCTION = (("f", Arrow(R, R)), ("x", R), ("y", R), ("v", V(LENGTH)))


def floats(args: Any) -> tuple[Any, ...]:
    """Arguments as a user gives them."""
    return tuple(np.asarray(arg, dtype=float)[()] for arg in args)


def twice_pulled(lam: Lam) -> Lam:
    """``λ(x…, ȳ). (y, x̄, x̄)``: the pullback, called twice."""
    rep = pullback(lam, tuple(range(len(lam.params))))
    both = Var("both", rep.body.type)
    seed = Var("seed", rep.body.type.parts[1].dom)
    calls = [App(Proj(1, both), seed) for _ in range(2)]
    return Lam((*rep.params, seed), Let(((both, rep.body),), Tuple((Proj(0, both), *calls))))


def exactly(program: Program, x: Any, v: Any, w: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """Value, cotangents and tangents over the rationals, in modes that compute at once."""
    arrow = function_of(program).program().combinators
    types = Product(*(object_of(kind) for _, kind in program.params))
    result = object_of(RESULT)
    x, v = (lifted(part, types, EXACT) for part in (x, v))
    mode = Dependent(EXACT)
    y, pull = mode.rep(interpret(arrow, mode), x)
    back = dense(EXACT, pull(dict(enumerate(lifted(w, result, EXACT)))), types)
    _, moved = Pushforward(EXACT).push(interpret(arrow, Pushforward(EXACT)), x, v)
    moved = [dense(EXACT, p, o) for p, o in zip(moved or (None, None), result, strict=True)]
    return list(numbers(y, result)), list(numbers(back, types)), list(numbers(moved, result))


def agree_exactly(program: Program, x: Any, v: Any, w: Any) -> None:
    """Pullback and pushforward programs give the cotangents and tangents, to the last digit."""
    value, back, moved = exactly(program, x, v, w)
    lam = function_of(program).program().lam
    assert outcome(twice_pulled(lam), (*x, w), EXACT) == value + back + back
    assert outcome(pushforward(lam), (*x, *v), EXACT) == value + moved


def agree_in_floats(program: Program, x: Any) -> None:
    """Gradient programs give what every mode gives, interpreted, simplified and emitted."""
    f = function_of(program)
    both = all_ways(gradient(f.program().lam, WHICH), x)
    for mode in ("dependent", "simple", "forward"):
        value, slopes = dc.value_and_grad(f, WHICH, mode=mode)(*floats(x))
        close([value, *np.hstack(slopes)], both, 1e-9)


def agree_in_second_order(program: Program, x: Any, w: Any) -> None:
    """Four ways to a Hessian times a vector give the same rational numbers."""
    f = function_of(program)
    types = Product(*f.program().types)
    mode = Dependent(Pushforward(EXACT))
    x_, w_ = lifted(x, types, EXACT), lifted(w, types, EXACT)
    duals = tuple(Dual(a, b) for a, b in zip(x_, w_, strict=True))
    _, pull = mode.rep(interpret(f.program().combinators, mode), duals)
    back = pull(Dual(EXACT.lift(1, Real))) or {}
    true = [_tangent(back.get(i), obj) for i, obj in enumerate(types.parts)]
    flat = list(numbers(tuple(true), types))
    rows = floats(w)  # quarters, which are exact
    for way in SECOND:
        lam = way(f, rows).program(*floats(x)).lam
        assert outcome(lam, x, EXACT) == flat
    lam = forward_over_forward(f, rows).program(*floats(x)).lam
    assert outcome(lam, x, EXACT) == [inner(w_, tuple(true), types)]


def _tangent(cotangent: Any, obj: Any) -> Any:
    moved = None if cotangent is None else dense(Pushforward(EXACT), cotangent, obj).tangent
    return dense(EXACT, moved, obj)


def agree_with_high_precision(program: Program, x: Any, w: Any) -> bool:
    """``⟨w, H w⟩`` is the second derivative along ``w`` to fifty digits; False if unclear."""
    flat, along = np.hstack(x), np.hstack(w)

    def line(t: Any) -> Any:
        x, y, *v = (mpmath.mpf(a) + t * mpmath.mpf(b) for a, b in zip(flat, along, strict=True))
        return evaluated(program, (x, y, v))

    true = derivative(line, 0, 2)
    if true is None:
        return False
    f = function_of(program)
    for way in SECOND:
        hv = way(f, floats(w))(*floats(x))
        close(np.hstack(hv) @ along, true, 1e-6)
    close(np.hstack(dc.hvp(f, floats(x), floats(w), argnums=WHICH)) @ along, true, 1e-6)
    close(forward_over_forward(f, floats(w))(*floats(x)), true, 1e-6)
    return True


def agree_in_third_order(program: Program, x: float) -> bool:
    """Three derivatives of a function of one number, by gradients and by forward mode."""
    true = [derivative(lambda t: evaluated(program, (t, list(ROW))), x, n) for n in (1, 2, 3)]
    if None in true:
        return False
    g = function_of(program)
    f = dc.fun(lambda x: g(x, np.array(ROW)))
    df = dc.grad(f)
    forward = dc.fun(lambda x: dc.jvp(df, (x,), (1.0,))[1])
    for slopes in ([df, dc.grad(df), dc.grad(dc.grad(df))], [df, forward, dc.grad(forward)]):
        close([slope(np.float64(x)) for slope in slopes], true, 1e-6)
    return True


def derivative(line: Any, at: Any, order: int) -> float | None:
    """To fifty digits; None near a kink, or where it is too large to be held against floats."""
    with mpmath.workdps(60):
        try:
            found = float(mpmath.diff(line, mpmath.mpf(at), order))
        except Unclear:
            return None
    return found if abs(found) < 1e4 else None


def by_data(program: Program) -> Any:
    """A program of numbers as one of an alternative of a sum and of a list."""
    f, rows = function_of(program), np.eye(LENGTH)

    def of_data(pair: Any, vs: Any) -> Any:
        step = lambda state, v: (state[0] + v * dc.index(rows, state[1]), state[1] + 1)
        v, _ = dc.fold(step, (np.zeros(LENGTH), 0), vs)
        return dc.case(pair, lambda: 0.0, lambda x, y: f(x, y, v))

    return dc.fun(of_data, dc.Maybe(Product(Real, Real)), dc.List(Real))


def agree_by_data(program: Program, x: Any, w: Any) -> bool:
    """Gradients, Jacobians and Hessians by a list and a sum, and derivatives to fifty digits."""
    f, (a, b, v) = by_data(program), floats(x)
    args, which, along = ((a, b), list(v)), (0, 1), np.hstack(w).astype(float)

    def line(t: Any) -> Any:
        x_, y, *v = (mpmath.mpf(a) + t * b for a, b in zip(np.hstack(x), along, strict=True))
        return evaluated(program, (x_, y, v))

    true = [derivative(line, 0, order) for order in (1, 2)]
    if None in true:
        return False
    slopes = [dc.grad(f, which, mode=m)(*args) for m in ("dependent", "simple", "delta", "forward")]
    slopes += [jac(f, which)(*args) for jac in (dc.jacfwd, dc.jacrev)]
    slopes += [dc.fun(lambda x, y, *v: dc.jacrev(f, which)((x, y), list(v)))(a, b, *v)]
    for pair, vs in slopes:
        assert (type(pair), type(vs), len(vs)) == (tuple, list, LENGTH)
        close(np.hstack([*pair, *vs]) @ along, true[0], 1e-6)
        close(np.hstack([*pair, *vs]), np.hstack([*slopes[0][0], *slopes[0][1]]), 1e-9)
    for whole in (dc.hessian(f, which)(*args), dc.jacfwd(dc.grad(f, which), which)(*args)):
        rows = [np.hstack([*pair, *vs]) for pair, vs in (*whole[0], *whole[1])]
        close(along @ np.array(rows) @ along, true[1], 1e-6)
    return True


def agree_with_a_function(program: Program, x: Any, slope: float) -> None:
    """A gradient of a function of a function, written before the function is known."""
    q = function_of(program)
    known = dc.grad(lambda x, y, v: q(lambda t: np.sin(t * slope + x), x, y, v), WHICH)
    captured = known(*floats(x))
    every = [dc.grad(q, (1, 2, 3), mode=m) for m in ("dependent", "simple", "forward")]
    h = dc.fun(lambda t: np.sin(t * slope) + t, Real)
    given = [g(h, *floats(x)) for g in every]
    for found in given[1:]:
        close(np.hstack(given[0]), np.hstack(found), 1e-9)
    program_ = every[0].program(h, *floats(x))
    text = str(program_)
    k = dc.fun(lambda t: t * t - slope, Real)
    other = [g(k, *floats(x)) for g in every]
    close(np.hstack(other[0]), np.hstack(other[2]), 1e-9)
    assert str(every[0].program(k, *floats(x))) == text
    for mode in ("simple", "forward"):
        again = dc.grad(
            lambda x, y, v: q(lambda t: np.sin(t * slope + x), x, y, v), WHICH, mode=mode
        )(*floats(x))
        close(np.hstack(captured), np.hstack(again), 1e-9)


def written(program: Program) -> str:
    """Everything written of a program: the same whenever it is written."""
    f = function_of(program)
    raw = gradient(f.program().lam, WHICH)
    texts = [str(raw), str(dc.grad(f, WHICH)), str(dc.vjp(f)), str(dc.jvp(f))]
    made = dc.grad(f, WHICH).program()
    return "\n".join([*texts, str(made), made.compiled("g").source])
