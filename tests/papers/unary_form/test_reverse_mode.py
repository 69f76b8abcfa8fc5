"""000, sections 3, 5 and 7: D with continuations, partial evaluation, and what they cost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from combinators.errors import MissingRule
from combinators.kit.tree import distinct_nodes
from combinators.morphisms import interpret
from combinators.objects import Bool, Fun, Product, Real
from combinators.operation import Operation, named
from combinators.terms import App, Cond, Lam, Prim, Proj, Term, Tuple, Var, const
from combinators.translate import translate
from interpreters.carriers.numpy import NumPy
from interpreters.modes.reverse import Dependent
from interpreters.sparse_cotangents import dense
from papers.unary_form import partial_evaluation as stages
from papers.unary_form.costs import cost, nesting
from papers.unary_form.languages import (
    ADD,
    COS,
    FOLDL,
    MAP2,
    REDUCE,
    SCANR,
    SHIFT1L,
    distinct,
    in_house,
    let,
    meaning,
    op,
    times,
)
from papers.unary_form.notation import as_written
from papers.unary_form.partial_evaluation import (
    INLINING,
    OPTIMIZATIONS,
    PARTIAL_EVALUATION,
    normal,
    uses,
)
from papers.unary_form.reverse import gradient
from papers.unary_form.unary import let_normal
from tests.papers.unary_form.programs import (
    ARRAYS,
    COUNTEREXAMPLE,
    DOT,
    FIG_13,
    FIG_16,
    NUMBERS,
    PLUS,
    POINT,
    PROD,
    SUM,
    TIMES,
    X1,
    X2,
    A,
    B,
    continued,
    example_1_1,
    function,
    terms,
)

OVER = NumPy()


def by_the_fast_mode(gamma, e, point):
    types = Product(*(x.type for x in gamma))
    mode = Dependent(OVER)
    arrow = interpret(translate(gamma, in_house(e)), mode)
    value, pull = mode.rep(arrow, point)
    return value, dense(OVER, pull(1.0), types)


def close(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-10)


# ---- section 3 -----------------------------------------------------------------------------------


@given(terms())
def test_lemma_3_2_types_what_d_gives(e):
    whole = Product(*(x.type for x in ARRAYS))
    back = Fun(Product(*whole.parts, e.type), whole)
    assert continued(ARRAYS, e).type is Product(e.type, back)


@given(terms())
def test_every_stage_gives_the_gradient_of_the_fast_mode(e):
    d = gradient(ARRAYS, e)
    value, expected = by_the_fast_mode(ARRAYS, e, POINT)
    np.testing.assert_allclose(meaning(ARRAYS, e, OVER)(*POINT), value)
    for found in (d, normal(d, PARTIAL_EVALUATION), normal(d, OPTIMIZATIONS)):
        close(meaning(ARRAYS, found, OVER)(*POINT), expected)


def test_the_pairs_of_example_3_1_call_the_continuation_before():
    text = as_written(continued(NUMBERS, example_1_1()))
    assert "⟨x1, fun (y1, y2, y3, z) → Y(y1+z, y2, y3)⟩" in text
    assert "⟨x2, fun (y1, y2, y3, y4, z) → Y4(y1, y2+z, y3, y4)⟩" in text


def test_figure_13_as_it_is_corrected_is_the_derivative():
    """At x = 0.3 and (0.5, 1.2, 0.7, 2), where B₂ as it is printed gives 19.48."""
    in_x, *_ = meaning(ARRAYS, gradient(ARRAYS, FIG_13), OVER)(*POINT)
    assert in_x == pytest.approx(9.2168)


def test_figure_16_differentiates_a_fold_whose_start_is_no_unit():
    close(
        meaning(ARRAYS, gradient(ARRAYS, FIG_16), OVER)(*POINT),
        by_the_fast_mode(ARRAYS, FIG_16, POINT)[1],
    )


def pairs(body):
    """``x, y. e`` of pairs of numbers, of which only the second of each array varies."""
    x, y = (Var(letter, Product(Real, Real)) for letter in "pq")
    return Lam((x, y), body(Proj(0, x), Proj(1, x), Proj(0, y), Proj(1, y)))


AFFINE = pairs(lambda a, b, c, d: Tuple((times(a, c), op(ADD, times(b, c), op(ADD, d, X1)))))


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("kind", [REDUCE, FOLDL, MAP2])
def test_figure_17_differentiates_arrays_of_any_ground_type(kind, which):
    rows, start = Tuple((A, B)), Tuple((const(1.0), X1))
    if kind == MAP2:
        many = Var("r", Product(A.type, A.type))
        e = op(REDUCE, PLUS, const(0.0), Proj(which, many))
        e = let(many, op(MAP2, AFFINE, rows, rows), e)
    else:
        unit = start if kind == FOLDL else Tuple((const(1.0), const(0.0)))
        e = Proj(which, op(kind, AFFINE, unit, rows))
    found = meaning(ARRAYS, gradient(ARRAYS, e), OVER)(*POINT)
    close(found, by_the_fast_mode(ARRAYS, e, POINT)[1])


def test_a_conditional_calls_the_continuation_once_as_the_solution_of_7_2():
    smaller = Prim(Operation(named("less")), (X1, const(1.0)))
    assert smaller.type is Bool
    e = let(Var("s", Real), Cond(smaller, times(X1, X2), X2), times(Var("s", Real), X1))
    d = distinct(continued(NUMBERS, e))
    found = {x for x in distinct_nodes(d, kind=Term) if isinstance(x, Var)}
    assert all(uses(x, d) == 1 for x in found if isinstance(x.type, Fun))
    for x1 in (0.5, 2.0):
        point = (x1, 3.0, 4.0)
        found = meaning(NUMBERS, gradient(NUMBERS, e), OVER)(*point)
        assert found == ((2 * x1 * 3.0, x1 * x1, 0.0) if x1 < 1 else (3.0, x1, 0.0))


SMALLER = Prim(Operation(named("less")), (X1, const(1.0)))


@pytest.mark.parametrize("x1", [0.3, 2.0])
def test_a_conditional_of_pairs_and_arrays_has_a_gradient(x1):
    either = Cond(SMALLER, Tuple((A, X1)), Tuple((op(MAP2, TIMES, A, B), times(X1, X1))))
    b, p = Var("b", Bool), Var("p", either.type)
    e = let(p, either, times(Proj(1, p), op(REDUCE, PLUS, const(0.0), Proj(0, p))))
    e = let(b, SMALLER, Cond(b, e, times(X1, e)))  # a boolean has no cotangent (7.3)
    point = (x1, *POINT[1:])
    d = gradient(ARRAYS, e)
    for found in (d, normal(d, OPTIMIZATIONS)):
        close(meaning(ARRAYS, found, OVER)(*point), by_the_fast_mode(ARRAYS, e, point)[1])


@pytest.mark.parametrize("name", ["v", "v1", "Y4", "z", "y1", "A0", "g", "b"])
def test_a_program_may_use_the_names_that_d_invents(name):
    p, q = Var(name, A.type), Var(name, Product(A.type, Real))
    inner = op(REDUCE, COUNTEREXAMPLE, const(0.0), p)
    right = let(p, op(MAP2, TIMES, A, B), let(q, Tuple((p, inner)), Proj(1, q)))
    e = op(ADD, op(COS, X1), Cond(SMALLER, times(X1, right), op(ADD, right, X1)))
    close(meaning(ARRAYS, gradient(ARRAYS, e), OVER)(*POINT), by_the_fast_mode(ARRAYS, e, POINT)[1])


def test_what_binds_a_tuple_of_one_or_of_none_is_taken_apart_too():
    p, nothing = Var("p", Product(Real)), Var("nothing", Product())
    scaled = op(MAP2, function(lambda x, y: Proj(0, Tuple((x, nothing)))), A, B)
    e = let(p, Tuple((X1,)), times(Proj(0, p), op(REDUCE, PLUS, const(0.0), scaled)))
    e = let(nothing, Tuple(()), e)
    d = gradient(ARRAYS, e)
    for found in (d, normal(d, OPTIMIZATIONS)):
        close(meaning(ARRAYS, found, OVER)(*POINT), by_the_fast_mode(ARRAYS, e, POINT)[1])


@pytest.mark.parametrize(
    ("e", "says"),
    [
        (op(REDUCE, PLUS, const(0.0), op(SHIFT1L, A)), "no rule for shift1L"),
        (op(REDUCE, PLUS, const(0.0), op(ADD, A, A)), "no rule for A [+] A"),
        (let(Var("p", Product(Real, Bool)), Tuple((X1, SMALLER)), X1), "no zero of Bool"),
    ],
)
def test_what_is_not_of_source_is_refused_by_name(e, says):
    with pytest.raises(MissingRule, match=says):
        gradient(ARRAYS, e)


# ---- section 5.1, Fig. 12 ------------------------------------------------------------------------


@given(terms())
def test_by_lemma_5_1_a_continuation_occurs_once(e):
    d = distinct(continued(ARRAYS, e))
    found = {x for x in distinct_nodes(d, kind=Term) if isinstance(x, Var)}
    assert all(uses(x, d) == 1 for x in found if isinstance(x.type, Fun))


@given(terms())
def test_by_lemma_5_3_partial_evaluation_leaves_no_function(e):
    for node in distinct_nodes(normal(gradient(ARRAYS, e), INLINING), kind=Term):
        assert not isinstance(node, App)
        assert isinstance(node, Lam) or not isinstance(node.type, Fun)


def test_example_1_1_has_its_three_forms_by_stages():
    d = gradient(NUMBERS, example_1_1())
    lines = [len(str(normal(d, stage)).splitlines()) for stage in (INLINING, PARTIAL_EVALUATION)]
    assert lines == [11, 3]
    assert str(normal(d, OPTIMIZATIONS)) == "(x1 * x2 + x2 * x1, x1 * x1, 0)"


def test_example_5_5_ends_as_in_the_paper():
    prod, total, dot = (
        normal(gradient(gamma, e), OPTIMIZATIONS)
        for gamma, e in (((A,), PROD), ((A,), SUM), ((A, B), DOT))
    )
    before, after = op(SHIFT1L, A), prod.args[2]
    assert prod.operation == MAP2
    assert stages.sign(prod) == "multiply"
    assert after.operation == SCANR
    assert after.args[2] == before
    assert stages.everywhere(total) == 1.0
    assert dot.items == (B, A)


ONES, ZEROS = const(np.ones(4)), const(np.zeros(4))
LESS = Prim(Operation(named("less")), (X1, X2))


@pytest.mark.parametrize(
    ("group", "left", "right"),
    [
        (stages.algebra, times(const(0.0), X1), const(0.0)),
        (stages.algebra, op(ADD, X1, const(0.0)), X1),
        (stages.algebra, times(const(1.0), X1), X1),
        (stages.algebra, op(MAP2, TIMES, A, ONES), A),
        (stages.algebra, op(MAP2, PLUS, ZEROS, A), A),
        (stages.algebra, op(MAP2, TIMES, A, ZEROS), ZEROS),
        (stages.arrays, op(MAP2, function(lambda x, y: x), A, B), A),
        (stages.arrays, op(REDUCE, TIMES, const(1.0), ONES), const(1.0)),
        (stages.arrays, op(REDUCE, PLUS, const(0.0), ZEROS), const(0.0)),
        (stages.arrays, op(SCANR, TIMES, const(1.0), ONES), const(np.ones(5))),
        (stages.arrays, op(SHIFT1L, ONES), const(np.ones(3))),
        (stages.conditionals, Cond(LESS, times(X1, X2), times(X1, X2)), times(X1, X2)),
        (stages.conditionals, Cond(const(True), X1, X2), X1),
        (
            stages.conditionals,
            times(X1, Cond(LESS, X1, X2)),
            Cond(LESS, times(X1, X1), times(X1, X2)),
        ),
    ],
)
def test_a_rule_of_figure_12(group, left, right):
    assert group(left) == right


def test_a_map_of_a_map_is_one():
    squares = op(MAP2, TIMES, A, A)
    doubled = op(MAP2, function(lambda x, y: op(ADD, x, x)), squares, squares)
    fused = stages.fusion(doubled)
    assert fused.args[1:] == (A, A)
    np.testing.assert_array_equal(
        meaning(ARRAYS, fused, OVER)(*POINT), meaning(ARRAYS, doubled, OVER)(*POINT)
    )


# ---- sections 5.2 and 5.3 ------------------------------------------------------------------------


def bound(gamma, e, stage=PARTIAL_EVALUATION):
    """Both sides of Theorem 5.4, of the four measures summed and with the size of Γ."""
    granted = 4 * 3 ** nesting(e) * cost(e).total()
    size = sum(x.type.size for x in gamma)
    return cost(normal(gradient(gamma, e), stage)).total(), granted + size


@given(terms(arrays=("reduce",)))
def test_theorem_5_4_holds_of_programs_in_which_each_operation_is_named(e):
    left, right = bound(ARRAYS, let_normal(ARRAYS, e))
    assert left <= right


def test_theorem_5_4_does_not_hold_where_arrays_are_moved_and_not_used():
    e = let_normal(ARRAYS, Proj(1, Tuple((Tuple((A, B)), X1))))
    left, right = bound(ARRAYS, e)
    assert left > right


def test_theorem_5_4_does_not_hold_of_a_product_of_four_as_it_is_written():
    e = times(times(times(X1, X1), X1), X1)
    assert bound((X1,), e) == (67, 65)
    left, right = bound((X1,), let_normal((X1,), e))
    assert left <= right
