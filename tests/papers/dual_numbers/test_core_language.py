"""The examples of sections 3 and 5.2 of 003, in its core language."""

import numpy as np
import pytest

from combinators.errors import MissingRule, TypeMismatch
from combinators.objects import Int, Real, Tensor
from papers.dual_numbers.core_language import evaluate, form, free, lam, substituted, term, var

i, j, p = (var(name, of=int) for name in "ijp")
RNG = np.random.default_rng(0)


def test_scatter_adds_what_is_sent_to_one_place():
    halved = form("op", "floor_divide", i, term(2))
    t = form("scatter", (6,), term(np.arange(1.0, 10.0)), lam((i,), (halved,)))
    assert evaluate(t, {}).tolist() == [3, 7, 11, 15, 9, 0]


def test_gather_is_a_build_of_indices():
    a = var("a", 3, 4)
    t = form("gather", (2, 5, 4), a, lam((i, j), ((i + j) - 1,)))
    u = form("build1", 2, lam(i, form("build1", 5, lam(j, a[(i + j) - 1]))))
    at = {"a": RNG.normal(size=(3, 4))}
    np.testing.assert_array_equal(evaluate(t, at), evaluate(u, at))


def test_a_matrix_product_element_by_element_and_in_first_order():
    a, b = var("a", 2, 3), var("b", 3, 4)
    element = form("sumOuter", form("build1", 3, lam(p, a[i, p] * b[p, j])))
    pointwise = form("build1", 2, lam(i, form("build1", 4, lam(j, element))))
    rows = form("replicate", 4, form("tr", (1, 0), a))
    columns = form("replicate", 2, b)
    bulk = form("sumOuter", form("tr", (1, 2, 0), rows) * form("tr", (1, 0, 2), columns))
    at = {"a": RNG.normal(size=(2, 3)), "b": RNG.normal(size=(3, 4))}
    for t in (pointwise, form("tr", (0, 1), bulk)):
        np.testing.assert_allclose(evaluate(t, at), at["a"] @ at["b"])


def test_a_transposition_takes_the_axes_in_the_order_that_it_is_given():
    a = var("a", 5, 3, 6, 9)
    assert form("tr", (3, 0, 1, 2), a).type is Tensor((9, 5, 3, 6))


def test_an_index_out_of_range_gives_a_value_since_conditionals_are_strict():
    a = var("a", 10)
    t = form("build1", 20, lam(i, form("cond", form("op", "less", i, term(10)), a[i], a[i - 10])))
    at = {"a": np.arange(10.0)}
    assert evaluate(t, at).tolist() == [*range(10), *range(10)]


def test_types_are_of_shapes_and_elements():
    a = var("a", 3)
    assert a[i].type is Real
    assert (i + 1).type is Int
    assert form("replicate", 2, a).type is Tensor((2, 3))
    with pytest.raises(MissingRule, match="no term of the core language"):
        assert form("filter", a).type


def test_an_index_out_of_range_reads_zero_and_writes_nothing():
    a = var("a", 3)
    at = {"a": np.array([2.0, 3, 5])}
    assert evaluate(form("gather", (5,), a, lam((i,), (i - 1,))), at).tolist() == [0, 2, 3, 5, 0]
    assert evaluate(form("scatter", (2,), a, lam((i,), (i - 1,))), at).tolist() == [3, 5]


@pytest.mark.parametrize(
    "t",
    [
        form("replicate", 0, var("a", 3)),
        form("build1", 0, lam(i, var("a", 3))),
        form("gather", (0, 3), var("b", 2, 3), lam((i,), (i,))),
        form("reshape", (0, 3), form("replicate", 0, var("a", 3))),
        form("scatter", (0, 3), var("b", 2, 3), lam((i,), (i,))),
    ],
)
def test_an_empty_array_has_a_type_and_a_sum(t):
    at = {"a": np.ones(3), "b": np.ones((2, 3))}
    assert t.type is Tensor((0, 3))
    assert evaluate(t, at).shape == (0, 3)
    assert evaluate(form("sumOuter", t), at).tolist() == [0, 0, 0]
    assert evaluate(form("sumOuter", t)[1], at) == 0


def test_a_one_hot_array_is_the_gather_of_section_6_4():
    """``oneHot sh idx x = gather sh [0, x] (λidx′. cond (idx = idx′) [1] [0])``."""
    x, place = var("x", 2), var("n", of=int)
    zero_or_x = form("[]", (term(np.zeros(2)), x))
    here = form("cond", form("op", "equal", place, i), term(1), term(0))
    by_gather = form("gather", (3, 2), zero_or_x, lam((i,), (here,)))
    for n in (-1, 0, 2, 3):
        at = {"x": np.array([5.0, 7.0]), "n": n}
        one_hot = evaluate(form("oneHot", (3, 2), (place,), x), at)
        np.testing.assert_array_equal(one_hot, evaluate(by_gather, at))


@pytest.mark.parametrize(
    ("t", "why"),
    [
        (form("op", "add", var("x"), var("a", 3)), "the shapes differ"),
        (form("cond", var("p", of=bool), var("x"), var("a", 3)), "the shapes differ"),
        (form("cond", var("q", 3, of=bool), var("a", 3), var("a", 3)), "ambiguous"),
        (var("a", 3)[i, i], "too many indices"),
        (var("a", 3)[var("x")], "arrays used as indices"),
        (form("sumOuter", var("x")), "too many indices"),
        (form("reshape", (2,), var("a", 3)), "cannot reshape"),
        (form("[]", (var("x"), var("a", 3))), "same shape"),
        (form("[]", ()), "need at least one array"),
        (form("let", var("a", 3), lam(var("x"), var("x"))), "cannot broadcast"),
    ],
)
def test_what_figure_8_gives_no_type_is_refused_with_the_reason(t, why):
    with pytest.raises(TypeMismatch, match=rf"has no type \(003, Fig. 8\): .*{why}"):
        assert t.type


def test_substitution_renames_what_would_capture():
    x, a = var("x"), var("a", 3)
    t = substituted(form("build1", 2, lam(i, x + a[i])), {"x": a[i]})
    assert str(t) == "build1 2 (λi′. (index a [i]) + (index a [i′]))"
    assert set(free(t)) == {"a", "i"}
    hidden = var("i′", of=int)
    both = substituted(lam((i, hidden), (i, hidden, x)), {"x": i + 0})
    assert str(both) == "λ[i′, i′′]. [i′, i′′, i + 0]"
