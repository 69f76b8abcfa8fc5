"""The simplifications that look at more than one line."""

import numpy as np
import pytest

import diffcurry as dc
from combinators.kit.tree import distinct_nodes
from combinators.objects import Bool, Product, Real, Tensor
from combinators.primitives.loops import FOLD
from combinators.simplify import Hole, Rule, head, normal, simplify
from combinators.terms import Cond, Lam, Let, Prim, Proj, Term, Tuple, Var, const
from diffcurry import fun
from tests.combinators.simplify.test_worked_examples import plus, scale, times, zero

V3 = Tensor((3,))


def made(f, *types, **options):
    return simplify(fun(f, *types).program().lam, **options)


def line(f, *types, **options):
    return repr(made(f, *types, **options))


def names(lam: Term) -> list[str]:
    return [n.operation.name for n in distinct_nodes(lam) if isinstance(n, Prim)]


def test_a_conditional_gives_only_what_is_needed_of_it():
    def f(x, y):
        return dc.cond(x < y, lambda: (np.sin(x), np.cos(y)), lambda: (y, np.exp(x)))[0]

    assert line(f, Real, Real) == "λ(x, y). if x < y then sin x else y"


def test_what_both_branches_give_is_no_choice():
    def f(x, y):
        return dc.cond(x < y, lambda: (x, np.sin(x)), lambda: (x, y))

    assert line(f, Real, Real) == "λ(x, y). (x, if x < y then sin x else y)"
    assert line(lambda x, y: dc.cond(x < y, lambda: x, lambda: x), Real, Real) == "λ(x, y). x"


def test_a_known_conditional_is_its_branch():
    x = Var("x", Real)
    assert repr(simplify(Lam((x,), Cond(const(value=True), x, times(x, x))))) == "λx. x"


def test_dead_carries_and_dead_rows_go():
    def f(x, v):
        step = lambda c, i: (c[0] * i[0], c[1] + np.sin(c[1] * i[1]))
        return dc.fold(step, (x, x), (v, v * 2.0))[0]

    assert line(f, Real, V3) == "λ(x, v). fold (λ(c, i). c * i) x v"


def test_a_carry_stays_that_a_live_one_reads():
    def f(x, v):
        return dc.fold(lambda c, i: (c[0] + c[1], c[1] * i), (x, 1.0), v)[0]

    assert names(made(f, Real, V3)).count("multiply") == 1


def test_a_carry_that_every_step_passes_on_is_none():
    def f(x, y, v):
        return dc.fold(lambda c, i: (c[0] * i + c[1], c[1]), (x, y), v)

    assert line(f, Real, Real, V3) == "λ(x, y, v). (fold (λ(c, i). c * i + y) x v, y)"


def test_dead_results_of_a_scan_vanish_and_it_becomes_a_fold_or_a_map():
    def first(x, v):
        return dc.scan(lambda c, i: (c * i, np.sin(c)), x, v)[0]

    def second(x, v):
        return dc.scan(lambda c, i: (c * np.exp(i), np.sin(i)), x, v)[1]

    assert line(first, Real, V3) == "λ(x, v). fold (λ(c, i). c * i) x v"
    assert line(second, Real, V3) == "λ(x, v). map (λi. sin i) v"


def test_a_carry_of_zeros_is_zero():
    g, x, v = Var("g", Real), Var("x", Real), Var("v", V3)
    body = Lam((g, x), plus(scale(g, x), zero(Real)))
    assert repr(simplify(Lam((v,), Prim(FOLD, (body, zero(Real), v))))) == "λv. 0"
    both = Product(Real, Real)
    c = Var("c", both)
    mixed = Lam((c, x), Tuple((plus(scale(Proj(0, c), x), Proj(1, c)), scale(Proj(1, c), x))))
    lam = Lam((x, v), Prim(FOLD, (mixed, Tuple((zero(Real), x)), v)))
    assert "plus" in names(simplify(lam))  # what feeds the first is not zero


def test_loops_over_no_rows_are_where_they_start():
    assert line(lambda x, v: dc.fold(lambda c, i: c * i, x, v), Real, Tensor((0,))) == "λ(x, v). x"
    empty = made(lambda v: dc.map(np.sin, v), Tensor((0,)))
    assert empty.body.type is Tensor((0,))
    assert not {"map", "sin"} & {*names(empty)}


def test_maps_run_where_their_rows_are_read_if_nothing_else_reads_them():
    def once(v):
        return dc.map(lambda x: x + 1.0, dc.map(np.sin, v))

    def twice(v):
        w = dc.map(np.sin, v)
        return dc.map(lambda x: x * 2.0, w), w

    def reduced(u, v):
        return dc.fold(lambda c, r: c + r[0] * r[1], 0.0, (dc.map(np.sin, u), v))

    assert line(once, V3) == "λv. map (λx1. sin x1 + 1) v"
    assert names(made(twice, V3)).count("map") == 2
    assert names(made(reduced, V3, V3)).count("map") == 0
    assert line(once, V3, without=["map-fusion"]).count("map") == 2


def test_invariants_move_before_the_loop_but_out_of_no_branch():
    def f(x, v):
        return dc.fold(lambda c, i: c + i * np.sin(np.cos(x)), 0.0, v)

    def g(x, v):
        step = lambda c, i: dc.cond(i > 0.0, lambda: c + np.sin(x), lambda: c)
        return dc.fold(step, 0.0, v)

    assert str(made(f, Real, V3)).splitlines()[1].endswith(" = sin (cos x)")
    assert "sin x" in str(made(g, Real, V3)).split("if", 1)[1]


def test_equal_lines_are_one_but_not_from_branch_to_branch():
    def f(x, y):
        return np.sin(x * y) + np.cos(y * x)

    def g(x, y):
        return dc.cond(x < y, lambda: np.exp(x) * y, lambda: np.exp(x) + x)

    assert names(made(f, Real, Real)).count("multiply") == 1
    assert names(made(g, Real, Real)).count("exp") == 2


def test_a_function_is_inlined_where_it_is_called_once_or_is_small():
    @fun
    def long(x):
        return np.sin(np.cos(np.exp(np.tanh(np.sin(np.cos(x))))))

    def once(x):
        return long(x)

    def twice(x):
        return long(long(x))

    @fun
    def short(x):
        return x * x

    assert "long" not in line(once, Real)
    assert names(made(twice, Real)).count("tanh") == 1
    assert line(lambda x: short(short(x)), Real) == "λx. let v = x * x in v * v"


def test_dead_results_of_a_known_function_go():
    @fun
    def pair(x):
        y = np.sin(np.cos(np.exp(np.tanh(x))))
        return y * y, np.log(np.sqrt(np.sin(y)))

    def f(x):
        return pair(pair(x)[0])[0]

    assert not {"log", "sqrt"} & {*names(made(f, Real))}


def test_rules_of_the_users_fire_and_are_named():
    x, exp, log = Hole("x"), head("exp"), head("log")
    fired = []
    mine = Rule("log-exp", "mine", "calculus", log(exp(x)), x)
    f = lambda x: np.log(np.exp(x)) * 2.0
    assert line(f, Real, rules=[mine], trace=fired.append) == "λx. x * 2"
    (event,) = fired
    assert event.rule == "log-exp"
    assert event.place is not None
    assert event.place.file == __file__
    assert "log-exp" in repr(event)
    assert line(f, Real, rules=[mine], without=["mine"]) == "λx. log (exp x) * 2"


@pytest.mark.parametrize(
    ("f", "kept"),
    [
        (lambda x: x + 0.0, "λx. x + 0"),
        (lambda x: 0.0 * x, "λx. 0 * x"),
        (lambda x: x - x, "λx. x - x"),
        (lambda x: 0.0 - x, "λx. 0 - x"),
        (lambda x: x - 0.0, "λx. x"),
        (lambda x: x * 1.0, "λx. x"),
        (lambda x: np.negative(np.negative(x)), "λx. x"),
    ],
)
def test_only_what_ieee_arithmetic_allows_is_simplified(f, kept):
    assert line(f, Real) == kept


def test_fast_math_allows_the_rest():
    assert line(lambda x: 0.0 * x + (x - x) + x, Real, fast_math=True) == "λx. x"


def test_let_normal_form_changes_nothing_else():
    x = Var("x", Real)
    inner = Let(((Var("x", Real), times(x, x)),), plus(x, x))
    assert str(normal(Lam((x,), times(inner, x)))) == (
        "λ(x : Real).\n  x1 : Real = x * x\n  (x1 + x1) * x"
    )


def test_names_that_shadow_are_told_apart():
    x, p = Var("x", Real), Var("p", Bool)
    then = Let(((x, times(x, x)),), times(x, x))
    lam = Lam((x, p), plus(Cond(p, then, x), x))
    assert repr(simplify(lam)) == "λ(x, p). (if p then let x1 = x * x in x1 * x1 else x) + x"
