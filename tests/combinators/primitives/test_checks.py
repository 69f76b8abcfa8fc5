"""A checked program asks indices, divisors and exponents, each where it is used; nothing else."""

import numpy as np
import pytest

import combinators.primitives as p
import diffcurry as dc
from combinators.errors import IntegerOverflow
from combinators.objects import Tensor
from combinators.operation import Operation, named
from combinators.primitives.checks import CHECKS, checked, next_round
from combinators.primitives.indexing import PUT
from combinators.terms import App, Lam, Let, Prim, Var, const
from combinators.tracing.emit import apply
from combinators.tracing.functions import Draft

A = np.arange(6.0).reshape(2, 3)
N = np.int64(1)


def lam_of(function, *likes):
    types = tuple(Tensor(np.shape(x), np.asarray(x).dtype) for x in likes)
    return Draft(function, types, (None,) * len(likes)).finish().lam


def checks(lam):
    """The checks in a term, each once."""
    seen, found, todo = set(), [], [lam]
    while todo:
        term = todo.pop()
        if id(term) not in seen:
            seen.add(id(term))
            todo += term.below()
            if isinstance(term, Prim) and term.operation.name in CHECKS:
                found.append(term.operation)
    return found


def asked(function, *likes):
    """The axes and extents that are asked, and the names of the other checks of arguments."""
    operations = checks(checked(lam_of(function, *likes)))
    return sorted(
        (o.keywords["axis"], o.keywords["extent"]) if o.name == "within" else o.name
        for o in operations
        if o.name not in ("exact", "whole")
    )


def test_every_index_is_asked_on_its_axis():
    assert asked(lambda a, i: a[i], A, N) == [(0, 2)]
    assert asked(lambda a, i: a[:, i], A, N) == [(1, 3)]
    assert asked(lambda a, i, j: a[i, j], A, N, N) == [(0, 2), (1, 3)]
    assert asked(lambda a, i: p.take(a, i), A, N) == [(0, 6)]
    assert asked(lambda a, i: apply(PUT, a, i, axis=0, extents=(5,)), A[0], np.arange(3)) == [
        (0, 5)
    ]
    assert asked(lambda a: p.build((2, 3), lambda i, j: a[i, j]), A) == [(0, 2), (1, 3)]


def test_what_is_known_is_not_asked():
    assert asked(lambda a: a[1, -1] + p.take(a, [0, 5])[0], A) == []
    assert asked(lambda n: n // 2 + n % -3, N) == []
    assert asked(lambda x, y: x // y + x % y, 1.0, 2.0) == []


def test_divisors_are_asked():
    assert asked(lambda n, m: n // m, N, N) == ["nonzero"]
    assert asked(lambda n, m: n % (m - 1), N, np.arange(3)) == ["nonzero"]


def test_exponents_are_asked():
    assert asked(lambda n, m: n**m, N, N) == ["nonnegative"]
    assert asked(lambda m: np.array([2, 3]) ** (m - 1), N) == ["nonnegative"]
    assert asked(lambda n: n**3 + n ** np.array([0, 2]).sum(), N) == []
    assert asked(lambda n, m: 2.0**m + n**0.5, N, N) == []
    assert asked(lambda n: n**n, np.uint8(3)) == []


@pytest.mark.parametrize("index", [2, -1])
def test_a_known_index_outside_is_asked(index):
    """A program may be built by hand; the tracer refuses such an index."""
    a = Var("a", Tensor((2,)))
    lam = Lam((a,), Prim(Operation(named("take"), (("axis", 0),)), (a, const(index))))
    assert len(checks(checked(lam))) == 1


def test_a_program_without_indices_is_as_it_was():
    lam = lam_of(lambda a: np.sum(a * 2.0) if a.ndim else a, A)
    assert checked(lam) == lam


def test_the_type_and_the_user_s_line_stay():
    lam = lam_of(lambda a, i: a[i], A, N)
    made = checked(lam)
    (operation,) = checks(made)
    assert made.type is lam.type
    assert operation.keywords["place"] == lam.body.place
    assert operation.keywords["place"].file == __file__


def test_a_function_in_many_places_is_checked_once():
    i = Var("i", Tensor((), "int64"))
    take = lam_of(lambda i: p.index(A[0], i), N)
    term = i
    body = App(take, term)
    for _ in range(40):
        body = Prim(named("add").plain, (body, body))
    (operation,) = checks(checked(Lam((i,), body)))
    assert operation.keywords["extent"] == 3


def test_a_deep_program():
    i = Var("i", Tensor((), "int64"))
    bindings, last = [], i
    for n in range(50_000):
        var = Var(f"v{n}", i.type)
        bindings.append((var, Prim(named("remainder").plain, (last, last))))
        last = var
    assert len(checked(Lam((i,), Let(tuple(bindings), last))).body.bindings) == 50_000
    nested = last
    for var, bound in reversed(bindings[:2_000]):
        nested = Let(((var, bound),), nested if nested is not last else var)
    assert len(checks(checked(Lam((i,), nested)))) == 2_000


WRAPS = {
    "multiply": (lambda n: n * n, 2**40),
    "add": (lambda n: n + 1, 2**63 - 1),
    "subtract": (lambda n: n - 1, -(2**63)),
    "negative": (lambda n: -n, -(2**63)),
    "power": (lambda n: n**3, 2**30),
    "sum": (np.sum, np.array([2**62, 2**62])),
    "prod": (np.prod, np.array([2**40, 2**40])),
    "cumsum": (np.cumsum, np.array([2**62, 2**62, -(2**62)])),
    "matmul": (lambda n: n @ n, np.array([2**32, 1])),
}


@pytest.mark.parametrize("name", WRAPS)
def test_in_a_checked_function_an_integer_that_would_wrap_is_an_error(name):
    f, at = WRAPS[name]
    with pytest.raises(IntegerOverflow, match=f"{name} gives an integer") as caught:
        dc.fun(f, checked=True)(at)
    assert isinstance(caught.value, OverflowError)
    small = np.ones_like(at) if np.ndim(at) else 3
    assert np.all(dc.fun(f, checked=True)(small) == dc.fun(f)(small))


@pytest.mark.parametrize("x", [np.nan, np.inf, -1e30])
def test_in_a_checked_function_floor_of_what_is_no_integer_is_an_error(x):
    f = lambda x: np.floor(x).astype(int)
    for at in (x, np.array([1.0, x])):
        with pytest.raises(IntegerOverflow, match="becomes an integer of type int64"):
            dc.fun(f, checked=True)(at)
    assert dc.fun(f, checked=True)(2.5) == 2


def test_checks_of_integers_leave_derivatives_alone():
    f = dc.fun(lambda x: x[(x[0] * 0.0).astype(int) + 1] ** 2, checked=True)
    np.testing.assert_array_equal(dc.grad(f)(np.array([1.0, 3.0])), [0.0, 6.0])


def test_a_bound_lets_a_round_pass_or_names_what_goes_on():
    after = dc.fun(lambda n: next_round(n, 3, "halve called itself"))
    assert after(2) == 3
    with pytest.raises(RuntimeError, match="halve called itself more than 3 times"):
        after(3)
