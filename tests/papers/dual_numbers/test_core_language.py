"""The examples of sections 3 and 5.2 of 003, in its core language."""

import numpy as np
import pytest

from combinators.errors import MissingRule
from combinators.objects import Int, Real, Tensor
from papers.dual_numbers.core_language import evaluate, form, free, substituted, term, var

i, j, p = (var(name, of=int) for name in "ijp")
RNG = np.random.default_rng(0)


def test_scatter_adds_what_is_sent_to_one_place():
    halved = form("op", "floor_divide", i, term(2))
    t = form("scatter", (6,), term(np.arange(1.0, 10.0)), (i,), (halved,))
    assert evaluate(t, {}).tolist() == [3, 7, 11, 15, 9, 0]


def test_gather_is_a_build_of_indices():
    a = var("a", 3, 4)
    t = form("gather", (2, 5, 4), a, (i, j), ((i + j) - 1,))
    u = form("build1", 2, i, form("build1", 5, j, a[(i + j) - 1]))
    at = {"a": RNG.normal(size=(3, 4))}
    np.testing.assert_array_equal(evaluate(t, at), evaluate(u, at))


def test_a_matrix_product_element_by_element_and_in_first_order():
    a, b = var("a", 2, 3), var("b", 3, 4)
    element = form("sumOuter", form("build1", 3, p, a[i, p] * b[p, j]))
    pointwise = form("build1", 2, i, form("build1", 4, j, element))
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
    t = form("build1", 20, i, form("cond", form("op", "less", i, term(10)), a[i], a[i - 10]))
    at = {"a": np.arange(10.0)}
    assert evaluate(t, at).tolist() == [*range(10), *range(10)]


def test_types_are_of_shapes_and_elements():
    a = var("a", 3)
    assert a[i].type is Real
    assert (i + 1).type is Int
    assert form("replicate", 2, a).type is Tensor((2, 3))
    with pytest.raises(MissingRule, match="no term of the core language"):
        assert form("filter", a).type


def test_substitution_renames_what_would_capture():
    x, a = var("x"), var("a", 3)
    t = substituted(form("build1", 2, i, x + a[i]), {"x": a[i]})
    assert str(t) == "build1 2 (λi′. (index a [i]) + (index a [i′]))"
    assert set(free(t)) == {"a", "i"}
