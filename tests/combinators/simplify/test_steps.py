"""The simplifications that look at more than one line."""

import numpy as np
import pytest

import diffcurry as dc
from combinators.kit.tree import distinct_nodes
from combinators.objects import Bool, Fun, Int, Product, Real, Sum, Tensor
from combinators.operation import Operation, named
from combinators.primitives.loops import FOLD
from combinators.primitives.structural import FIX
from combinators.simplify import Hole, Rule, head, normal, simplify
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Term, Tuple, Var, const
from diffcurry import fun
from interpreters.staging.programs import gradient, pushforward
from tests.combinators.simplify.test_worked_examples import plus, prim, scale, times, zero

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


def test_what_every_step_gives_alike_is_not_stacked():
    def f(x, v):
        return dc.scan(lambda c, i: (c * i, (i, x, c, c)), x, v)[1]

    assert str(made(f, Real, V3)).splitlines()[1:] == [
        "  v1 : Tensor[3] = π1 (scan (λ(c, i). (c * i, c)) x v)",
        "  (v, broadcast_to[shape=(3,)] x, v1, v1)",
    ]


def test_a_map_that_packs_rows_anew_is_none():
    def swapped(u, v):
        return dc.map(lambda row: (row[1], row[0], row[1]), (u, v))

    assert line(swapped, V3, Tensor((3, 2))) == "λ(u, v). (v, u, v)"


def test_a_row_that_is_the_same_at_every_step_is_no_row():
    def f(x, v):
        rows = np.broadcast_to(x, (3,)), v, v
        return dc.fold(lambda c, r: c * r[0] + r[1] * r[2], x, rows)

    assert line(f, Real, V3) == "λ(x, v). fold (λ(c, r). c * x + r * r) x v"
    assert "(broadcast_to" in line(f, Real, V3, without=["row-steady"])


def test_choices_by_one_test_are_one():
    def last(x, y):
        return dc.cond(x < y, lambda: np.sin(np.exp(x) * y), lambda: x * y * y)

    def between(x, y):
        return np.sin(last(x, y))

    def conditionals(f):
        lam = simplify(gradient(fun(f, Real, Real).program().lam, (0, 1)))
        return [node for node in distinct_nodes(lam) if isinstance(node, Cond)]

    (only,) = conditionals(last)
    assert names(only).count("exp") == 1
    assert "zeros" not in names(only)
    assert len(conditionals(between)) == 2  # the second depends on what sin makes of the first


def test_components_of_something_older_may_stand_between_two_choices():
    x, p, pair = Var("x", Real), Var("p", Bool), Var("pair", Product(Real, Real))
    a, b, part = Var("a", Real), Var("b", Real), Var("part", Real)
    sines = prim("sin", x), prim("cos", x)
    lines = (
        (a, Cond(p, sines[0], sines[1])),
        (part, Proj(1, pair)),
        (b, Cond(p, times(a, part), plus(part, part))),
    )
    lam = Lam((x, p, pair), Let(lines, Tuple((times(a, a), b, times(part, b)))))
    assert sum(isinstance(node, Cond) for node in distinct_nodes(simplify(lam))) == 1


def test_parameters_that_a_known_function_does_not_use_go():
    @fun
    def long(x, y):
        return np.sin(np.cos(np.exp(np.tanh(np.sin(np.cos(x))))))

    made_one = made(lambda x: long(long(x, np.log(x)), np.sqrt(x)), Real)
    assert names(made_one).count("tanh") == 1
    assert not {"log", "sqrt"} & {*names(made_one)}


def test_what_is_needed_of_nothing_is_not_asked_for():
    """Carries that are used, and of which no component is needed."""

    def f(x, y, v):
        init = dc.cond(x < y, lambda: (x, v), lambda: (-1.0, v))
        step = lambda c, i: (dc.cond(y < x, lambda: c, lambda: c), -i)
        return dc.scan(step, init, v)[1][2]

    def g(x, y, v):
        c = dc.cond(x < y, lambda: (v, x), lambda: (v, y))
        step = lambda c, i: ((v, i), dc.cond(y < x, lambda: x, lambda: 2.0))
        return dc.scan(step, c, v)[1][2]

    for lam in (fun(f, Real, Real, V3).program().lam, fun(g, Real, Real, V3).program().lam):
        for derived in (gradient(lam, (0, 1, 2)), pushforward(lam)):
            assert simplify(derived).type is derived.type


def test_an_element_at_a_known_index_is_a_window():
    v = Var("v", V3)
    index = prim("take", v, const(2), axis=0)
    assert repr(simplify(Lam((v,), index))) == (
        "λv. reshape[shape=()] (slice[start=(2,), step=(1,), extent=(1,)] v)"
    )
    for index in (3, -1):
        outside = prim("take", v, const(index), axis=0)
        assert repr(simplify(Lam((v,), outside))) == "λv. 0"


def test_names_are_kept_on_wish():
    x, w = Var("x", Real), Var("w", Real)
    lam = Lam((x,), Let(((w, times(x, x)),), plus(w, x)))
    assert repr(simplify(lam)) == "λx. x * x + x"
    assert repr(simplify(lam, keep=["w"])) == "λx. let w = x * x in w + x"


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


def test_a_function_that_is_used_twice_is_written_once():
    unary = dc.Fun(Real, Real)
    shift = fun(lambda u: (fun(lambda f: fun(lambda x: f(x + u), Real), unary), u))

    def program(y):
        later = shift(y)[0]
        return later(later(fun(np.exp, Real)))(y)

    assert line(program, Real) == "λy. let v = λf. λx. f (x + y) in v (v exp) y"
    np.testing.assert_allclose(fun(program, Real)(0.5), np.exp(1.5))


def test_a_recursive_function_that_never_calls_itself_is_its_body():
    f, x, a = Var("f", Fun(Real, Real)), Var("x", Real), Var("a", Real)
    once = Lam((a, x), App(Prim(FIX, (Lam((f, x), times(x, a)),)), times(a, a)))
    assert repr(simplify(once)) == "λ(a, x). a * a * a"
    again = Cond(Prim(Operation(named("less")), (x, a)), x, App(f, times(x, a)))
    loop = Lam((a, x), App(Prim(FIX, (Lam((f, x), again),)), x))
    assert names(simplify(loop)).count("fix") == 1


def test_a_branch_knows_how_the_tests_around_it_came_out():
    p, x, y = Var("p", Bool), Var("x", Real), Var("y", Real)
    inner = Cond(p, x, y)
    assert repr(simplify(Lam((p, x, y), Cond(p, times(inner, x), y)))) == (
        "λ(p, x, y). if p then x * x else y"
    )


def test_a_branch_knows_the_alternative_of_a_sum():
    s, x = Var("s", Sum(Real, Real)), Var("x", Real)
    asked = (Operation(named("is_alternative"), (("index", i),)) for i in (0, 1))
    is_first, is_other = (Prim(each, (s,)) for each in asked)
    both = Cond(is_first, Cond(is_other, times(x, x), x), Cond(is_other, x, times(x, x)))
    assert repr(simplify(Lam((s, x), both))) == "λ(s, x). x"


def test_a_loop_that_a_rule_makes_independent_late_leaves_the_loop_around_it_at_once():
    def f(x, n, v):
        late = n * 0  # which a rule finds out when the inner function is seen to capture it
        rows = lambda i: np.sum(dc.map(lambda r: np.sin(r * x) + late, v)) * i
        return np.sum(dc.map(rows, v))

    once, fired = made(f, Real, Int, V3), []
    assert "map (λi. v1 * i) v" in str(once)
    assert simplify(once, trace=fired.append) == once
    assert not fired
