"""The paper's own examples, and random programs of Source."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from combinators.objects import Fun, Product, Real, Tensor
from combinators.operation import Operation, named
from combinators.terms import Lam, Proj, Term, Tuple, Var, const
from papers.unary_form.languages import (
    ADD,
    FOLDL,
    MAP2,
    ONE,
    REDUCE,
    distinct,
    let,
    op,
    times,
)
from papers.unary_form.reverse import D

X1, X2, X3 = (Var(f"x{i}", Real) for i in (1, 2, 3))
A, B = Var("A", Tensor((4,))), Var("B", Tensor((4,)))
NUMBERS = (X1, X2, X3)
ARRAYS = (X1, A, B)
POINT: tuple[Any, ...] = (0.3, np.array([0.5, 1.2, 0.7, 2.0]), np.array([1.5, -0.2, 0.4, 1.0]))


def function(body: Any) -> Lam:
    """``x, y. e``."""
    x, y = Var("a", Real), Var("b", Real)
    return Lam((x, y), body(x, y))


PLUS, TIMES = function(lambda x, y: op(ADD, x, y)), function(times)


def example_1_1() -> Term:
    """``let w1 = x1 * x2 in let w2 = w1 * x1 in w2``."""
    w1, w2 = Var("w1", Real), Var("w2", Real)
    return let(w1, times(X1, X2), let(w2, times(w1, X1), w2))


PROD, SUM = op(REDUCE, TIMES, ONE, A), op(REDUCE, PLUS, const(0.0), A)
DOT = op(REDUCE, PLUS, const(0.0), op(MAP2, TIMES, A, B))
BOTH = function(lambda u, v: op(ADD, op(ADD, u, v), times(u, v)))
"""``u + v + u * v``, associative with unit 0."""
COUNTEREXAMPLE = function(lambda u, v: op(ADD, op(ADD, u, v), times(X1, times(u, v))))
FIG_13 = op(REDUCE, COUNTEREXAMPLE, const(0.0), A)
FIG_16 = op(FOLDL, COUNTEREXAMPLE, times(X1, X1), A)
UNARY = ("sin", "tanh", "arctan", "negative")


def continued(gamma: tuple[Var, ...], e: Term) -> Term:
    """``D_Γ,Y(e)`` for a free Y : Γ → Γ."""
    whole = Product(*(x.type for x in gamma))
    Y = Var("Y", Fun(whole, whole))
    made: Term = D(gamma, Y, distinct(Lam(gamma, e)).body)
    return made


@st.composite
def terms(
    draw: Any,
    depth: int = 3,
    arrays: tuple[str, ...] = ("reduce", "foldl"),
    known: tuple[Var, ...] = ARRAYS,
) -> Term:
    """``Γ ⊢ e : R`` for Γ of numbers and arrays, let-bound names among them."""

    def below(*more: Var) -> Term:
        term: Term = draw(terms(depth - 1, arrays, (*known, *more)))
        return term

    def inner() -> Lam:
        x, y = (Var(f"{letter}{depth}{len(known)}", Real) for letter in "uv")
        return Lam((x, y), draw(terms(depth - 1, (), (*known, x, y))))

    def array() -> Term:
        found = [x for x in known if x.type is A.type]
        if depth < 2 or draw(st.booleans()):
            return draw(st.sampled_from(found))  # type: ignore[no-any-return]
        return op(MAP2, inner(), draw(st.sampled_from(found)), draw(st.sampled_from(found)))

    if depth == 0:
        numbers = [x for x in known if x.type is Real]
        return draw(st.sampled_from([*numbers, const(0.5)]))  # type: ignore[no-any-return]
    ways = ["op1", "op2", "let", "pair", "leaf", *arrays]
    match draw(st.sampled_from(ways)):
        case "op1":
            return op(Operation(named(draw(st.sampled_from(UNARY)))), below())
        case "op2":
            return op(
                Operation(named(draw(st.sampled_from(("add", "multiply"))))), below(), below()
            )
        case "let":
            x = Var(f"s{depth}{len(known)}", Real)
            return let(x, below(), below(x))
        case "pair":
            return Proj(draw(st.integers(0, 1)), Tuple((below(), below())))
        case "reduce":
            of, unit = draw(st.sampled_from([(PLUS, 0.0), (TIMES, 1.0), (BOTH, 0.0)]))
            return op(REDUCE, of, const(unit), array())
        case "foldl":
            return op(FOLDL, inner(), below(), array())
    return draw(terms(0, arrays, known))  # type: ignore[no-any-return]
