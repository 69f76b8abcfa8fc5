"""Forward mode of a loop whose carry is a tuple that cannot move, and whose step is chosen."""

import numpy as np

import diffcurry as dc
from combinators.literal import Literal
from combinators.objects import Fun, Int, Product, Real, Tensor
from combinators.primitives.loops import FOLD, MAP
from combinators.terms import Cond, Const, Lam, Let, Prim, Proj, Tuple, Var
from interpreters.staging.programs import pushforward

INTS = Product(Int)
NOTHING = Const(Literal(np.zeros(0)))


def chosen(test: bool, rows: Const) -> Lam:
    """``λx. map (λy. x) []``, where the λ folds by a chosen step, and forgets it."""
    pair = Var("pair", Product(INTS, Real))
    kept, reset = Lam((pair,), Proj(0, pair)), Lam((pair,), Tuple((Const(Literal(0)),)))
    step = Var("step", Fun(Product(INTS, Real), INTS))
    folded = Prim(FOLD, (step, Tuple((Const(Literal(0)),)), rows))
    choice = Cond(Const(Literal(test)), kept, reset)
    n = Var("n", INTS)
    x, y = Var("x", Real), Var("y", Real)
    function = Let(((n, Let(((step, choice),), folded)),), Lam((y,), x))
    return Lam((x,), Prim(MAP, (function, NOTHING)))


def test_it_is_written():
    for test in (True, False):
        for rows in (NOTHING, Const(Literal(np.zeros(2)))):
            lam = pushforward(chosen(test, rows))
            assert lam.body.type is Product(Tensor((0,)), Tensor((0,)))


def test_it_runs():
    def f(x, test):
        step = dc.cond(
            test,
            lambda: dc.fun(lambda c, r: (c[0] + 1,), INTS, Real),
            lambda: dc.fun(lambda c, r: (0,), INTS, Real),
        )
        return dc.fold(step, (0,), np.zeros(3))[0] * x

    for test, n in ((True, 3.0), (False, 0.0)):
        assert dc.jvp(lambda x, t=test: f(x, x < 9 if t else x > 9), (2.0,), (1.0,)) == (2 * n, n)
