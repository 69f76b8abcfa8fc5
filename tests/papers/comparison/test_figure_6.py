"""002, appendix C: what BMP20 makes has a type by Figure 6, so that backpropagators are linear.

Its rules are those of the linear λ-calculus: ``Γ ⊢_z t`` is ``Γ; z : R ⊢ t``, and ``R^⊥d`` is
``R ⊸ R^d``. A term of the language is read as one of that calculus.
"""

from __future__ import annotations

import pytest
from hypothesis import given

import diffcurry as dc
from combinators.errors import TypeMismatch
from combinators.objects import Fun, Product, Real, Tensor
from combinators.operation import Operation, named
from combinators.terms import App, Const, Lam, Let, Prim, Proj, Tuple, Var
from papers.comparison.chad import desugared
from papers.comparison.forms import form
from papers.comparison.linear_lambda_calculus import CARTESIAN, typed
from papers.comparison.linear_negation import LinearNegation, names_beside
from papers.plain_functions import ADD
from tests.papers.comparison.examples import AT, lam_of, section_5_4
from tests.strategies.meanings import function_of
from tests.strategies.programs import RATIONAL, programs

D = 97
"""So many numbers has no array of a program here, so that R^d is known where it stands."""


def type_of(obj):
    match obj:
        case Fun(dom, cod):
            return form("⊸" if cod is Tensor((D,)) else "→", type_of(dom), type_of(cod))
        case Product():
            return tuple(map(type_of, obj.parts))
    return obj


def read(t, names):
    """A term of the language as one of the linear λ-calculus."""
    match t:
        case Var(name):
            return form("x", name)
        case Const(literal):
            return form("0", literal.type) if literal.type is Tensor((D,)) else form("r", literal)
        case Lam():
            x, body = desugared(t, names)
            kind = "λ⊸" if t.type.cod is Tensor((D,)) else "λ"
            return form(kind, x.name, type_of(x.type), read(body, names))
        case Let(((x, bound), *rest), body):
            inside = Let(tuple(rest), body) if rest else body
            return form("let", x.name, read(bound, names), read(inside, names))
        case Tuple(items):
            return form("⟨⟩", tuple(read(item, names) for item in items))
        case Proj(index, product):
            return form("π", index, read(product, names))
        case App(function, argument):
            kind = "•" if t.type is Tensor((D,)) else "@"
            return form(kind, read(function, names), read(argument, names))
        case Prim(operation, args) if operation == ADD and t.type is Tensor((D,)):
            return form("+", *(read(arg, names) for arg in args))
        case Prim(operation, args):
            types = tuple(arg.type for arg in args)
            return form("op", operation, types, tuple(read(arg, names) for arg in args))
    raise TypeError(t)


def transformed(lam):
    names = names_beside(lam)
    made = LinearNegation(D, names).term(lam)
    return made, typed(read(made, names), {})


@given(programs(RATIONAL, depth=4, straight=True, forms=frozenset()))
def test_what_bmp20_makes_of_a_program_has_its_type_by_figure_6(program):
    made, found = transformed(function_of(program).program().lam)
    assert found == (type_of(made.type), CARTESIAN)


def test_so_has_a_program_with_a_function():
    def f(x1, x2):
        scaled = dc.fun(lambda a: a * x2, Real)
        return scaled(x1) + scaled(section_5_4(x1, x2))

    made, found = transformed(lam_of(f, *AT))
    assert found == (type_of(made.type), CARTESIAN)


def test_a_backpropagator_that_squares_has_no_type():
    a, star = Var("a", Real), Var("x*", Fun(Real, Tensor((D,))))
    squares = Lam((a,), App(star, Prim(Operation(named("multiply")), (a, a))))
    with pytest.raises(TypeMismatch, match="the rule of t · u "):
        typed(read(squares, names_beside(squares)), {"x*": type_of(star.type)})
