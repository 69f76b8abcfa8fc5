"""What may not end, or is opened as an alternative of a sum, stays in the branch that guards it."""

import numpy as np
import pytest

from combinators.bulk import bulk
from combinators.objects import Fun, Real, Tensor
from combinators.primitives.loops import MAP
from combinators.simplify import simplify
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Term, Tuple, Var, const
from interpreters.staging.programs import gradient
from tests.interpreters.backends.test_derivatives_of_recursion import interpreted
from tests.interpreters.staging.closed_forms import (
    AREAS,
    SELF,
    A,
    X,
    applied,
    case,
    fix,
    inject,
    less,
    times,
)

ROWS, S = Var("rows", Tensor((4,))), Var("s", AREAS)
AT = np.array([-2.0, 1.0, 3.0, 2.0])
DOWN = Cond(
    applied("equal", X, const(0.0)), A, times(A, App(SELF, applied("subtract", X, const(1.0))))
)


def mapped(body: Term) -> Lam:
    return Lam((A, ROWS), Prim(MAP, (Lam((X,), body), ROWS)))


def areas() -> Lam:
    made = Cond(less(X, 0.0), inject(AREAS, 0, times(X, A)), inject(AREAS, 1, Tuple((X, A))))
    area = case(S, lambda r: times(r, r), lambda q: times(Proj(0, q), Proj(1, q), A))
    return mapped(Let(((S, made),), area))


def guarded() -> Lam:
    f = Var("f", Fun(Real, Real))
    body = mapped(Cond(less(X, 0.0), times(X, A), App(f, X))).body
    return Lam((A, ROWS), Let(((f, fix(Lam((SELF, X), DOWN))),), body))


def within() -> Lam:
    return mapped(Cond(less(X, 0.0), times(X, A), App(fix(Lam((SELF, X), DOWN)), X)))


@pytest.mark.parametrize("lam", [areas(), guarded(), within()], ids=["sum", "outside", "inside"])
def test_a_branch_stays_lazy(lam: Lam) -> None:
    total = Lam(lam.params, applied("sum", lam.body, axis=(0,), keepdims=False))
    first = simplify(gradient(total, (0, 1)))
    for program in (lam, first):
        wanted, found = (interpreted(each, 1.3, AT) for each in (program, bulk(program)))
        np.testing.assert_allclose(np.hstack(flat(found)), np.hstack(flat(wanted)))


def flat(value: object) -> list[object]:
    return [x for part in value for x in flat(part)] if isinstance(value, tuple) else [value]
