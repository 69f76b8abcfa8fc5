"""000, sections 4 and 6: the unary form, D on it, and back; concategories and their laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from combinators.errors import TypeMismatch
from combinators.kit.text import Names
from combinators.objects import Fun, Product, Real, Unit
from combinators.operation import Operation, named
from combinators.terms import Lam, Let, Tuple, Var, packed
from combinators.translate import translate
from interpreters.carriers.numpy import NumPy
from papers.rep_functions.closures import DependentlyTyped
from papers.unary_form.concategories import (
    Multimap,
    beside,
    concat,
    end,
    identity,
    interpreted,
    laxator,
    multi,
)
from papers.unary_form.languages import COS, distinct, in_house, lets, meaning, op, times
from papers.unary_form.reverse import gradient
from papers.unary_form.unary import (
    UNF,
    D,
    Primitive,
    gradient_by_unary_form,
    in_line,
    inverse,
    judgement,
    let_normal,
    proj,
    reversed_by_unary_form,
    weakened,
)
from tests.papers.unary_form.programs import (
    ARRAYS,
    NUMBERS,
    POINT,
    X1,
    X2,
    X3,
    A,
    example_1_1,
    terms,
)

OVER = NumPy()
T = tuple(x.type for x in ARRAYS)
WHOLE = packed(T)


def close(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-10)


def jacobian(e, xs, ys):
    """``Jᵀ⟦e⟧`` at ``xs``, by Figure 5 of 004."""
    bound, reached = inverse(Names(x.name for x in ARRAYS), e, ARRAYS)
    term = in_house(lets(bound, Tuple(reached)))
    return DependentlyTyped(OVER).of(translate(ARRAYS, term))(xs).pullback(ys)


# ---- section 4 -----------------------------------------------------------------------------------


def example_4_1():
    """``cos_R,R ; pair_R,R;R×R``, of three numbers."""
    x = Var("x", Real)
    y = Var("y", Real)
    cos = Primitive("cos", (Real, Real), (1,), (X1, X2, x), (X1, X2, x, op(COS, x)))
    given, pair = (X1, X2, x, y), Tuple((x, y))
    return in_line(cos, Primitive("pair", (Real, Real), ((Real, Real),), given, (X1, X2, pair)))


def test_example_4_1_pairs_a_number_and_its_cosine():
    assert str(example_4_1()) == "cos[Real,Real;1] ; pair[Real,Real;Real,Real]"
    bound, reached = inverse(Names(("x1", "x2", "x3")), example_4_1(), NUMBERS)
    (_, cosine), (x, pair) = bound
    assert cosine == op(COS, X3)
    assert isinstance(pair, Tuple)
    assert reached == (X1, X2, x)


def test_example_4_2_is_typed_as_in_the_paper():
    rho, pair = Real, Product(Real, Real)
    before, after = Product(Real, Real, Real), Product(Real, Real, pair)
    assert judgement(D(example_4_1(), rho)) == (
        (Real, Real, Real, Fun(before, rho)),
        (Real, Real, pair, Fun(after, rho)),
    )
    assert str(D(example_4_1(), rho)).count("Jᵀ") == 2


@given(terms())
def test_lemma_4_4_types_the_unary_form(e):
    assert judgement(UNF(ARRAYS, e)) == (T, (*T, e.type))


@given(terms(depth=2))
def test_lemmas_4_3_and_4_5_type_d_and_the_way_back(e):
    after = (*T, e.type)
    through = judgement(D(UNF(ARRAYS, e), Real))
    assert through == ((*T, Fun(WHOLE, Real)), (*after, Fun(packed(after), Real)))
    lam = reversed_by_unary_form(ARRAYS, e)
    assert lam.body.type is Product(e.type, Fun(packed(after), WHOLE))


@given(terms())
def test_to_weaken_is_to_know_one_variable_more(e):
    wider = UNF((*ARRAYS, Var("further", Real)), e)
    passed = weakened(UNF(ARRAYS, e), len(T), (Real,))
    assert judgement(passed) == judgement(wider)
    point = (*POINT, 7.0)
    close(interpreted(passed, OVER).run(point), interpreted(wider, OVER).run(point))


@given(terms())
def test_there_and_back_each_operation_has_a_name(e):
    normal = let_normal(ARRAYS, e)
    close([meaning(ARRAYS, normal, OVER)(*POINT)], [meaning(ARRAYS, e, OVER)(*POINT)])
    while isinstance(normal, Let):
        ((_, bound),) = normal.bindings
        assert all(isinstance(part, Var | Lam) for part in bound.below())
        normal = normal.body


def test_what_does_not_compose_has_no_type():
    forgets = proj((Real,), (Real,), ())
    with pytest.raises(TypeMismatch, match=r"Figs\. 6 and 7"):
        judgement(in_line(forgets, forgets))


# ---- section 6 -----------------------------------------------------------------------------------


def test_a_primitive_means_what_the_table_of_6_2_says():
    first, rest = Multimap(T, T[:1], lambda xs: xs[:1]), identity(T[1:])
    sine = Multimap(T[:1], (Real,), lambda xs: (np.sin(xs[0]),))
    forgets = end(T[:1]).beside(rest)
    x = Var("x", Real)
    acts = Primitive("sin", (), (1,), (x,), (x, op(Operation(named("sin")), x)))
    for p, expected, point in (
        (UNF(ARRAYS, X1), identity(T).paired(first), POINT),
        (acts, identity(T[:1]).paired(sine), POINT[:1]),
        (proj((), T[:1], T[1:]), forgets, POINT),
        (in_line(UNF(ARRAYS, X1), proj(T, (Real,), ())), identity(T), POINT),
    ):
        found = interpreted(p, OVER)
        assert (found.dom, found.cod) == (expected.dom, expected.cod)
        close(found.run(point), expected.run(point))


@given(terms())
def test_proposition_6_7_the_unary_form_is_the_identity_beside_the_term(e):
    *context, value = interpreted(UNF(ARRAYS, e), OVER).run(POINT)
    assert all(x is y for x, y in zip(context, POINT, strict=True))
    np.testing.assert_allclose(value, meaning(ARRAYS, e, OVER)(*POINT))


@given(terms())
def test_propositions_6_13_and_6_14_both_ways_give_one_gradient(e):
    ways = (gradient(ARRAYS, e), gradient_by_unary_form(ARRAYS, e))
    found, expected = (meaning(ARRAYS, d, OVER)(*POINT) for d in ways)
    close(found, expected)


@given(terms(depth=2))
def test_propositions_6_10_and_6_12_d_is_the_transposed_jacobian_and_so_is_what_is_written(e):
    """``⟦D e⟧`` is ``⟨⟦e⟧, Y ∘ Jᵀ⟦e⟧⟩``, in the concategory and as UNF⁻¹ writes it."""
    line = UNF(ARRAYS, e)
    cotangent = (1.0, np.arange(4.0), np.ones(4), 0.5)
    expected = jacobian(line, POINT, cotangent)
    *_, value, Y = interpreted(D(line, WHOLE), OVER).run((*POINT, lambda x: x))
    close([value, *Y(cotangent)], [meaning(ARRAYS, e, OVER)(*POINT), *expected])
    lam = reversed_by_unary_form(ARRAYS, e)
    _, back = meaning(lam.params, lam.body, OVER)(*POINT, lambda x: x)
    close(back(cotangent), expected)


def along(*weights):
    """A continuation ``Y : Γ → R``, which is linear."""

    def Y(ys):
        flat = np.concatenate([np.ravel(y) for y in (ys if isinstance(ys, tuple) else (ys,))])
        return float(np.resize(weights, flat.size) @ flat)

    return Y


def D_of(line):
    return interpreted(D(line, Real), OVER)


def mu(*types):
    return interpreted(laxator(*types, Real), OVER)


def agree(f, g, point, cotangent):
    """Of two arrows to ``D(T)``."""
    assert (f.dom, f.cod) == (g.dom, g.cod)
    (*xs, Y1), (*ys, Y2) = f.run(point), g.run(point)
    close([*xs, Y1(cotangent)], [*ys, Y2(cotangent)])


@given(terms(depth=1), terms(depth=1))
def test_definition_6_9_d_is_lax(e1, e2):
    """``D(e₁) # D(e₂); μ`` is ``μ; D(e₁ # e₂)``, between lists of types that differ."""
    f, g = UNF(ARRAYS, e1), UNF(ARRAYS, e2)
    point = (*POINT, along(1.0, -2.0, 0.5), *POINT, along(0.25, 3.0))
    cotangent = (1.0, np.arange(4.0), np.ones(4), 0.5) * 2
    left = D_of(f).beside(D_of(g)).then(mu((*T, e1.type), (*T, e2.type)))
    agree(left, mu(T, T).then(D_of(beside(f, g))), point, cotangent)
    assert mu(T, T).dom != mu(T, T).cod


def test_definition_6_9_what_makes_d_lax_is_associative_and_has_a_unit():
    T1, T2, T3 = (Real,), (A.type,), (Real, Real)
    Ys = Fun(Real, Real), Fun(A.type, Real), Fun(Product(Real, Real), Real)
    point = (2.0, along(3.0), np.arange(4.0), along(1.0, -1.0), 5.0, 7.0, along(0.5, 2.0))
    cotangent = (0.1, np.ones(4), 0.2, 0.3)
    left = mu(T1, T2).beside(identity((*T3, Ys[2]))).then(mu((*T1, *T2), T3))
    right = identity((*T1, Ys[0])).beside(mu(T2, T3)).then(mu(T1, (*T2, *T3)))
    agree(left, right, point, cotangent)
    nothing, Y = Multimap((), (Fun(Unit, Real),), lambda _: (lambda _: 0.0,)), (Real, Ys[0])
    agree(nothing.beside(identity(Y)).then(mu((), T1)), identity(Y), (2.0, along(3.0)), 0.7)


@pytest.mark.parametrize("i", range(4))
def test_proposition_6_11_the_continuation_is_the_transposed_jacobian(i):
    """Of ``⟨id, w2⟩`` at (2, 3, 4): a row of it for each unit vector."""
    lam = reversed_by_unary_form(NUMBERS, example_1_1())
    _, back = meaning(lam.params, lam.body, OVER)(2.0, 3.0, 4.0, lambda cotangent: cotangent)
    jacobian = np.vstack([np.eye(3), [[12.0, 4.0, 0.0]]])
    close(back(tuple(np.eye(4)[i])), jacobian[i])


def scaling(factor, width=2):
    obj = (Real,) * width
    return Multimap(obj, obj, lambda xs: tuple(factor * x for x in xs))


ADDS = Multimap((Real, Real), (Real,), lambda xs: (xs[0] + xs[1],))
number = st.integers(-9, 9)


@given(st.tuples(*[number] * 4))
def test_the_laws_of_a_concategory(xs):
    f, g, h = scaling(2), scaling(3), ADDS
    both = (Real, Real)
    for left, right in (
        (f.then(g).then(h), f.then(g.then(h))),
        (identity(both).then(f), f),
        (f.beside(identity(())), f),
        (f.then(end(both)), end(both)),
        (f.beside(g).then(h.beside(f)), f.then(h).beside(g.then(f))),
    ):
        assert (left.dom, left.cod) == (right.dom, right.cod)
        point = xs[: len(left.dom)]
        assert left.run(point) == right.run(point)


@given(number, number)
def test_definition_6_6_composes_what_returns_its_context(x, y):
    (doubled,) = (interpreted(UNF((X1,), times(X1, X1)), OVER),)
    assert multi(ADDS, doubled, doubled).run((x, y)) == (x * x + y * y,)


@given(number, number)
def test_definition_6_8_arrows_of_one_target_are_one_arrow(x, y):
    assert concat(ADDS, ADDS).run((x, y)) == (x + y, x + y)


@given(terms(depth=2))
def test_substitution_is_composition(e):
    """Def. 6.1: ``⟦e[a/x]⟧`` is ``⟦e⟧`` after ``⟦a⟧``."""
    inner = op(Operation(named("tanh")), X1)
    found = meaning(ARRAYS, distinct(e, env={X1.name: inner}), OVER)(*POINT)
    expected = meaning(ARRAYS, e, OVER)(np.tanh(POINT[0]), *POINT[1:])
    np.testing.assert_allclose(found, expected)
