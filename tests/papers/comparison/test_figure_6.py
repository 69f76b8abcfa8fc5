"""002, appendix C: what BMP20 makes has a type by Figure 6, so that backpropagators are linear.

Its rules are those of the linear λ-calculus: ``Γ ⊢_z t`` is ``Γ; z : R ⊢ t``, and ``R^⊥d`` is
``R ⊸ R^d``.
"""

from __future__ import annotations

import pytest
from hypothesis import given

import diffcurry as dc
from combinators.errors import TypeMismatch
from combinators.objects import Fun, Real, Tensor
from combinators.operation import Operation, named
from combinators.terms import App, Lam, Prim, Var
from papers.comparison.linear_lambda_calculus import CARTESIAN, linear_in, names_beside
from papers.comparison.linear_negation import LinearNegation
from tests.papers.comparison.examples import AT, lam_of, section_5_4
from tests.strategies.meanings import function_of
from tests.strategies.programs import RATIONAL, programs


def is_linear(lam):
    negation = LinearNegation(Tensor((2,)), names_beside(lam))
    made = negation.term(lam)
    return made.type is negation.type(lam.type) and linear_in(made) == CARTESIAN


@given(programs(RATIONAL, depth=4, straight=True, forms=frozenset()))
def test_what_bmp20_makes_of_a_program_has_its_type_by_figure_6(program):
    assert is_linear(function_of(program).program().lam)


def test_so_has_a_program_with_a_function():
    def f(x1, x2):
        scaled = dc.fun(lambda a: a * x2, Real)
        return scaled(x1) + scaled(section_5_4(x1, x2))

    assert is_linear(lam_of(f, *AT))


def test_a_backpropagator_that_squares_has_no_type():
    a, star = Var("a", Real), Var("x*", Fun(Real, Tensor((2,))))
    squares = Lam((a,), App(star, Prim(Operation(named("multiply")), (a, a))))
    with pytest.raises(TypeMismatch, match="the rule of t · u "):
        linear_in(squares)
