"""Operations are counted in the term, and a run counts the same."""

from itertools import pairwise

import numpy as np
import pytest

import diffcurry as dc
from combinators.errors import TypeMismatch
from combinators.objects import Product, Real, Tangent, Tensor, Vector
from combinators.operation import Operation, named
from combinators.primitives.loops import SCAN_BACKWARDS
from combinators.primitives.structural import PLUS
from combinators.terms import App, Cond, Lam, Let, Prim, Tuple, Var, const
from diffcurry.modes import CARRIER
from interpreters.cost import counted
from interpreters.cost.counted import Moving
from interpreters.cost.walk import numbers_in
from interpreters.modes.primal import Primal

XS = np.linspace(0.1, 0.9, 5)


def lam(function, *args):
    return dc.fun(function).program(*args).bulk


def ran(function, *args):
    made = dc.fun(function)
    program = made.program(*args)
    carrier = Moving(CARRIER)
    mode = Primal(carrier)
    mode.value(program.arrow(mode), program.lifted(args, mode))
    return dict(carrier.counts), carrier.moved


def twice(f):
    return lambda y: f(f(y))


def closures(x):
    f = dc.fun(lambda z: np.sin(z) * x, Real)
    return f(f(f(x)))


def functions_as_results(x):
    def scaled(k):
        return dc.fun(lambda z: k * z, Real)

    return scaled(x)(scaled(2.0)(x))


def functions_in_containers(x):
    pair = (dc.fun(lambda y: y * x, Real), dc.fun(lambda y: np.exp(y) + y, Real))
    return dc.fun(lambda p: p[1](p[0](x)))(pair)


def vectors_of_functions(xs):
    gs = dc.map(lambda x: dc.fun(lambda y: x * y + 1.0, Real), xs)
    return dc.fold(lambda c, g: g(c), 1.0, gs)


def carried_functions(x):
    f = dc.fun(lambda y: y * x, Real)
    return dc.fold(lambda c, i: dc.fun(twice(c), Real), f, np.arange(4.0))(x)


PROGRAMS = [
    (lambda x, y: x * y + np.sin(x) * y, 0.5, 2.0),
    (lambda a: np.sum((a * a).T.reshape(6)[1:5]), np.ones((2, 3))),
    (lambda a: a @ a.T, np.ones((2, 3))),
    (lambda w, xs: dc.fold(lambda c, x: np.tanh(c * w + x), 0.0, xs), 0.5, XS),
    (lambda xs: dc.scan(lambda c, x: (c * x, c + x), 1.0, xs), XS),
    (lambda xs: dc.map(lambda x: dc.fold(lambda c, y: c + x * y, 0.0, XS), xs), XS),
    (lambda xs: dc.fold(lambda c, x: c + x, 0.0, xs), np.ones(0)),
    (closures, 0.5),
    (functions_as_results, 0.5),
    (functions_in_containers, 0.5),
    (vectors_of_functions, XS),
    (carried_functions, 0.9),
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_counted_in_the_term_is_what_a_run_counts(program):
    function, *args = program
    cost = counted(lam(function, *args))
    assert cost.exact
    assert (cost.counts, cost.moved) == ran(function, *args)


def test_a_conditional_counts_its_dearer_branch_and_says_so():
    cost = counted(lam(lambda x: dc.cond(x > 0.0, lambda: x * x, lambda: np.exp(x) + x), 1.0))
    assert cost.counts == {"add": 1, "exp": 1, "greater": 1}
    assert (cost.exact, cost.comparisons) == (False, 1)
    assert str(cost).startswith("at most 3 operations\n")


def test_branches_that_cost_the_same_leave_the_count_exact():
    cost = counted(lam(lambda x: dc.cond(x > 0.0, lambda: x * x, lambda: x * 2.0), 1.0))
    assert cost.exact
    assert cost.counts == {"greater": 1, "multiply": 1}


def test_a_choice_between_two_functions_counts_the_dearer_at_each_call():
    def chosen(x):
        cheap, dear = dc.fun(lambda y: y * y, Real), dc.fun(lambda y: np.sin(y) * y * y, Real)
        f = dc.cond(x > 0.0, lambda: cheap, lambda: dear)
        return f(f(x))

    cost = counted(lam(chosen, 1.0))
    assert not cost.exact
    assert cost.counts == {"greater": 1, "multiply": 4, "sin": 2}


def tower(height):
    f = dc.fun(lambda x: np.sin(x) * x, Real)
    for _ in range(height):
        f = dc.fun(twice(f), Real)
    return f.program().lam


def test_a_tower_costs_an_astronomical_number_and_is_walked_once():
    cost = counted(tower(200))
    assert cost.counts == {"multiply": 2**200, "sin": 2**200}
    assert cost.lines == 201
    assert "about 2^202 operations" in str(cost)


def test_fifty_thousand_operations_in_a_row():
    x = Var("x", Real)
    sine, variables = Operation(named("sin")), [x, *(Var(f"v{i}", Real) for i in range(50_000))]
    bindings = tuple((var, Prim(sine, (before,))) for before, var in pairwise(variables))
    cost = counted(Lam((x,), Let(bindings, variables[-1])))
    assert (cost.total, cost.lines) == (50_000, 50_001)


def test_an_inner_name_hides_an_outer_function_until_its_let_ends():
    f, x = Var("f", dc.Fun(Real, Real)), Var("x", Real)
    sine, square = (Lam((x,), Prim(Operation(named(name)), (x,))) for name in ("sin", "square"))
    inner = Let(((f, square),), App(f, x))
    body = Let(((f, sine),), Prim(Operation(named("add")), (inner, App(f, x))))
    assert counted(Lam((x,), body)).counts == {"add": 1, "sin": 1, "square": 1}


def test_functions_that_are_arguments_are_counted_as_calls_of_which_nothing_is_known():
    cost = counted(lam(lambda k, x: k(k(x)) * x, np.sin, 1.0))
    assert (cost.unknown, cost.exact, cost.counts) == (2, False, {"multiply": 1})
    assert "besides 2 steps of functions that are not known" in str(cost)


def test_a_sum_of_cotangents_counts_the_numbers_of_its_type():
    pair = Var("p", Product(Real, Tensor((3,))))
    cost = counted(Lam((pair,), Prim(Operation(PLUS), (pair, pair))))
    assert (cost.counts, cost.moved) == ({"add": 4}, 4)


def test_a_sum_of_tangents_is_as_large_as_what_their_closures_captured():
    pair = Var("p", Product(Real, Tangent))
    cost = counted(Lam((pair,), Prim(Operation(PLUS), (pair, pair))))
    assert (cost.counts, cost.unknown, cost.exact) == ({"add": 1}, 1, False)


def test_a_reversed_scan_counts_as_many_rounds():
    c, x = Var("c", Real), Var("x", Real)
    xs = Var("xs", Tensor((7,)))
    step = Lam((c, x), Tuple((Prim(Operation(named("multiply")), (c, x)), c)))
    cost = counted(Lam((xs,), Prim(SCAN_BACKWARDS, (step, const(1.0), xs))))
    assert cost.counts == {"multiply": 7}
    assert cost.moved == 7 + 7 + 7


def test_types_that_share_their_parts_are_no_trees():
    obj = Real
    for _ in range(200):
        obj = Product(obj, obj)
    assert numbers_in(obj) == 2**200
    assert numbers_in(Vector(Tensor((2, 3)), 4)) == 24
    var = Var("x", obj)
    assert counted(Lam((var,), Prim(Operation(PLUS), (var, var)))).total == 2**200


def test_a_term_that_shares_without_lets_is_refused_and_not_walked_for_ever():
    term = Var("x", Real)
    for _ in range(64):
        term = Prim(Operation(named("add")), (term, term))
    with pytest.raises(TypeMismatch, match="name what is used again"):
        counted(Lam((Var("x", Real),), term))


def test_a_conditional_between_unknown_functions():
    f, x = Var("f", dc.Fun(Real, Real)), Var("x", Real)
    test = Prim(Operation(named("greater")), (x, const(0.0)))
    known = Lam((x,), Prim(Operation(named("sin")), (x,)))
    cost = counted(Lam((f, x), App(Cond(test, f, known), x)))
    assert (cost.unknown, cost.exact) == (1, False)
    assert cost.counts == {"greater": 1, "sin": 1}
