"""002, appendix B: linear negation is a cartesian closed 2-functor."""

from __future__ import annotations

from hypothesis import given

from combinators.kit.tree import remade
from combinators.objects import Fun, Product, Real, Tensor
from combinators.terms import App, Lam, Prim, Proj, Tuple, Var
from combinators.translate import translate
from papers.comparison.linear_lambda_calculus import names_beside
from papers.comparison.linear_negation import LinearNegation
from papers.plain_functions import ADD
from tests.strategies.meanings import function_of
from tests.strategies.programs import RATIONAL, programs


def contracted(redex):
    """The step of a redex: ``(λx. t) u → t[u/x]``, ``πᵢ ⟨t₁, t₂⟩ → tᵢ``."""
    if isinstance(redex, Proj):
        return redex.product.items[redex.index]
    (x,) = redex.function.params
    return remade(redex.function.body, lambda node: redex.argument if node == x else node)


def steps_alike(redex, context):
    """``D`` of a redex is one, and its step gives ``D`` of what the redex goes to."""
    D = LinearNegation(Tensor((2,)), names_beside(Tuple((redex, *context))))
    made, gamma = contracted(D.term(redex)), [D.term(x) for x in context]
    return translate(gamma, made) == translate(gamma, D.term(contracted(redex)))


@given(programs(RATIONAL, depth=4, straight=True, forms=frozenset()))
def test_a_step_goes_to_a_step(program):
    lam = function_of(program).program().lam
    w = Var("put in", lam.params[0].type)
    redex = App(Lam(lam.params[:1], lam.body), Prim(ADD, (w, w)))
    assert steps_alike(redex, [w, *lam.params[1:]])


@given(programs(RATIONAL, depth=4, straight=True, forms=frozenset()))
def test_projections_go_to_projections(program):
    lam = function_of(program).program().lam
    for index in (0, 1):
        assert steps_alike(Proj(index, Tuple((lam.body, lam.params[0]))), lam.params)


def test_eval_and_curry_go_to_themselves():
    D = LinearNegation(Tensor((2,)), names_beside(Var("x", Real)))
    f, x = Var("f", Fun(Real, Real)), Var("x", Real)
    df, dx = D.term(f), D.term(x)
    assert D.term(App(f, x)) == App(df, dx)
    assert D.term(Lam((x,), App(f, x))) == Lam((dx,), App(df, dx))
    assert D.type(Fun(Product(Real, Real), Real)) is Fun(Product(dx.type, dx.type), dx.type)
