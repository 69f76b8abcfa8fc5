"""A λ captures exactly its free variables, in the order of their first use."""

import numpy as np
import pytest

import combinators.primitives  # noqa: F401
from combinators.kit.tree import distinct_nodes
from combinators.morphisms import Curry
from combinators.objects import Bool, Fun, Real
from combinators.operation import Operation, named
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Term, Tuple, Var, captured, const
from combinators.tracing.definition import Definition
from combinators.tracing.faces import face_of
from combinators.translate import translate

x, y, z, p = Var("x", Real), Var("y", Real), Var("z", Real), Var("p", Bool)
f = Var("f", Fun(Real, Real))
ADD = Operation(named("add"))

FREE = [
    (x, [x]),
    (const(1.0), []),
    (Lam((x,), x), []),
    (Lam((x,), Prim(ADD, (y, x))), [y]),
    (Lam((x, y), Tuple((x, y, z))), [z]),
    (App(f, x), [f, x]),
    (Prim(ADD, (y, x)), [y, x]),
    (Tuple((x, x, y)), [x, y]),
    (Proj(0, Tuple((x,))), [x]),
    (Let(((x, y),), x), [y]),
    (Let(((x, x),), x), [x]),
    (Let(((x, y), (z, x)), z), [y]),
    (Tuple((Let(((x, y),), x), x)), [y, x]),
    (Cond(p, x, Let(((x, y),), x)), [p, x, y]),
    (App(Lam((x,), x), x), [x]),
    (Lam((x,), Lam((y,), Tuple((x, y, z)))), [z]),
]


@pytest.mark.parametrize(("term", "free"), FREE, ids=[repr(term) for term, _ in FREE])
def test_the_free_variables(term: Term, free: list[Var]) -> None:
    assert list(captured(term)[0]) == free


def test_each_function_and_each_conditional_has_its_own() -> None:
    inner = Lam((y,), Prim(ADD, (x, y)))
    choice = Cond(p, App(inner, z), x)
    outer = Lam((x,), choice)
    free, inside = captured(outer)
    assert free == (p, z)
    assert inside[id(inner)] == (x,)
    assert inside[id(choice)] == (x, z)
    assert inside[id(outer)] == (p, z)


def test_what_python_closes_over_is_captured_if_it_is_used() -> None:
    def program(a, b, c):
        g = Definition(lambda t: t * b, (Real,))
        unused = np.sin(c)
        h = Definition(lambda t: g(t) + a if unused is not None else c, (Real,))
        return h(c)

    types = (Real,) * 3
    lam = Definition(program, types).specialise(types, tuple(map(face_of, types))).lam
    arrow = translate(lam.params, lam.body)
    names = [node.names for node in distinct_nodes(arrow) if isinstance(node, Curry)]
    assert sorted(names) == [("b",), ("f", "a")]
