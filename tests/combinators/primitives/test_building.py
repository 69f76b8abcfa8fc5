"""Arrays written one element at a time mean what 003 says: sections 3.2 and 3.3, Figs. 7 and 8."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import combinators.primitives as p
from combinators.errors import ConcreteValueNeeded, ShapeMismatch, TypeMismatch
from combinators.objects import Tensor
from combinators.tracing.faces import take_apart
from combinators.tracing.functions import Draft

A = np.arange(1.0, 7.0).reshape(2, 3)
EXTENTS = st.integers(0, 3)


def lam_of(function, *likes):
    types = tuple(Tensor(np.shape(x), np.asarray(x).dtype) for x in likes)
    return Draft(function, types, (None,) * len(likes)).finish().lam


def test_iota_counts(value):
    np.testing.assert_array_equal(value(lambda: p.iota(4)), [0, 1, 2, 3])
    assert lam_of(lambda: p.iota(4)).body.type is Tensor((4,), "int64")
    assert value(lambda: p.iota(0)).shape == (0,)


def test_build_is_a_map_over_iota():
    """With iota, build and map are interdefinable (footnote 9)."""
    made = lam_of(lambda a: p.build((2, 3), lambda row, k: a[row, k] * 2.0), A)
    assert repr(made) == (
        "λa. map (λrow. map (λk. take[axis=0] a row k * 2) (iota[length=3])) (iota[length=2])"
    )


@given(shape=st.lists(EXTENTS, max_size=3).map(tuple))
def test_build_is_numpy_s_fromfunction(value, shape):
    def element(*at):
        return sum((n * (axis + 1) for axis, n in enumerate(at)), 1) * 1.0

    expected = np.fromfunction(element, shape, dtype=int) * np.ones(shape)
    found = value(lambda: p.build(shape, element))
    assert np.shape(found) == shape
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool"])
@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_row_follows_the_axes_that_are_built(value, dtype, count):
    x = A.astype(dtype)
    found = value(lambda x: p.build(count, lambda i: x[i - 1]), x)
    expected = np.zeros((count, 3), dtype)
    expected[1:] = x[: max(count - 1, 0)]
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, expected)


def test_the_body_may_give_containers(value):
    def function(a):
        made = p.build(2, lambda i: {"twice": a[i] * 2.0, "where": (i, i > 0, 1.5)})
        return made["twice"], *made["where"]

    twice, at, truth, number = value(function, A)
    np.testing.assert_array_equal(twice, A * 2.0)
    assert (at.tolist(), truth.tolist(), number.tolist()) == ([0, 1], [False, True], [1.5, 1.5])


def test_gradients_flow_to_what_is_indexed(gradients):
    found = gradients(lambda a: p.build((2, 2), lambda i, j: a[i, j + 1] * a[j, i]), A)[0]
    expected = np.zeros_like(A)
    for i, j in np.ndindex(2, 2):
        expected[i, j + 1] += A[j, i]
        expected[j, i] += A[i, j + 1]
    np.testing.assert_array_equal(found, expected)


def test_index_takes_arrays_of_numpy_s(value):
    found = value(lambda i: (p.index(A, i), p.index(A, i, -1), p.index(A, ..., i)), np.int64(1))
    for part, expected in zip(found, (A[1], A[1, -1], A[:, 1]), strict=True):
        np.testing.assert_array_equal(part, expected)


def test_the_example_of_scatter(value):
    """Section 3.3: what goes to one place is added, and a place where nothing goes is 0."""
    found = value(lambda x: p.scatter([6], x, lambda i: i // 2), np.arange(1, 10))
    assert found.tolist() == [3, 7, 11, 15, 9, 0]


@given(k=EXTENTS, n=EXTENTS, m=EXTENTS, shift=st.integers(-3, 3))
def test_gather_is_a_build_of_elements(value, k, n, m, shift):
    x = np.arange(1.0, 1 + n * m).reshape(n, m)

    def element(i, j):
        return j + shift, i * j

    gathered = value(lambda x: p.gather((k, 2), x, element), x)
    built = value(lambda x: p.build((k, 2), lambda i, j: x[element(i, j)]), x)
    np.testing.assert_array_equal(gathered, built)


@given(at=st.integers(-5, 5), column=st.integers(-5, 5))
def test_meaning_does_not_depend_on_staging(value, gradients, at, column):
    """Inside the λ of gather and scatter an index is computed, always: a literal, too."""

    def literal(n):
        return at, column

    def computed(n):
        return at + 0 * n, column + 0 * n

    for word in (
        lambda place: lambda a: p.gather((3,), a, place),
        lambda place: lambda a: p.scatter((2, 3), a[0], place),
        lambda place: lambda a: p.gather((), a, lambda: place(0)),
        lambda place: lambda a: p.build((2, 3), lambda i, j: p.gather((2,), a, place)[i]),
    ):
        known, staged = word(literal), word(computed)
        np.testing.assert_array_equal(value(known, A), value(staged, A))
        slopes = gradients(known, A)[0], gradients(staged, A)[0]
        np.testing.assert_equal(*(np.zeros_like(A) if g is None else g for g in slopes))


@given(k=EXTENTS, n=EXTENTS, shift=st.integers(-3, 3), seed=st.integers(0, 99))
def test_scatter_is_the_transpose_of_gather(value, gradients, k, n, shift, seed):
    x, g = (np.random.default_rng(seed).normal(size=(extent, 2)) for extent in (n, k))

    def place(i):
        return i * 2 + shift

    found = gradients(lambda x: p.gather((k, 2), x, place), x, g=g)[0]
    scattered = value(lambda g: p.scatter((n, 2), g, place), g)
    np.testing.assert_allclose(scattered, np.zeros((n, 2)) if found is None else found)


def test_the_axes_that_are_left_are_those_of_the_array(value):
    rows = value(lambda a: p.gather((2, 2, 3), a, lambda i, j: i * j), A)
    np.testing.assert_array_equal(rows, A[[[0, 0], [0, 1]]])
    np.testing.assert_array_equal(
        value(lambda a: p.scatter((4, 3), a, lambda i: 3 - i), A),
        [[0, 0, 0], [0, 0, 0], A[1], A[0]],
    )
    last = value(lambda a: p.gather((2,), a, lambda i: (i, 2)), A)
    np.testing.assert_array_equal(last, A[:, -1])


def test_an_index_of_nothing_is_the_whole(value):
    np.testing.assert_array_equal(value(lambda a: p.gather((2, 2, 3), a, lambda i: ()), A), [A, A])
    np.testing.assert_array_equal(value(lambda a: p.scatter((3,), a, lambda i: ()), A), A.sum(0))


def test_booleans_are_counted(value):
    found = value(lambda x: p.scatter((2,), x, lambda i: i // 2), np.array([True, True, False]))
    assert (found.dtype, found.tolist()) == (np.int64, [2, 0])


def test_replicate_adds_an_outermost_axis(value, gradients):
    np.testing.assert_array_equal(value(lambda a: p.replicate(2, a), A), [A, A])
    assert value(lambda a: p.replicate(0, a), A).shape == (0, 2, 3)
    np.testing.assert_array_equal(gradients(lambda a: p.replicate(2, a), A)[0], 2 * np.ones((2, 3)))


def test_containers_are_replicated_as_they_are_built(value, gradients):
    x = lambda a: {"pair": (a, 3), "rows": [a[0], 1.5], "nothing": None}
    found = value(lambda a: p.replicate(2, x(a)), A)
    built = value(lambda a: p.build(2, lambda i: x(a)), A)
    np.testing.assert_equal(found, built)
    assert [np.shape(leaf) for leaf in take_apart(found)[1]] == [(2, 2, 3), (2,), (2, 3), (2,)]
    np.testing.assert_array_equal(value(lambda: p.replicate(2, [1, 2])), [[1, 2], [1, 2]])
    (slope,) = gradients(lambda a: p.replicate(2, (a, 3))[0], A)
    np.testing.assert_array_equal(slope, 2 * np.ones((2, 3)))


@pytest.mark.parametrize(
    ("function", "error", "text"),
    [
        (lambda a: p.build(3, lambda: 1.0), TypeMismatch, r"called with \(Int\)"),
        (lambda a: p.build(-1, lambda i: i), ShapeMismatch, "no negative extents"),
        (lambda a: p.build((2.5,), lambda i: i), TypeMismatch, "a shape is of integers"),
        (lambda a: p.build(3, a), TypeMismatch, "applied|function"),
        (lambda a: p.build(2, lambda i: a[i, 7]), ShapeMismatch, "7 is out of range for axis 1"),
        (lambda a: p.build(2, lambda i: A[i]), ConcreteValueNeeded, r"index\(a, i\)"),
        (lambda a: p.gather((2,), a, lambda i: i), ShapeMismatch, r"leaves \(\)"),
        (lambda a: p.gather((2, 3), a, lambda i: 1.5), TypeMismatch, "integers, and this is 1.5"),
        (lambda a: p.scatter((2,), a, lambda i: True), TypeMismatch, "integers, and this is True"),
        (lambda a: p.gather((2,), a, lambda i: (i, i, i)), ShapeMismatch, "3 indices are too many"),
        (
            lambda a: p.gather((2,), a, lambda i: (i, p.iota(2))),
            TypeMismatch,
            "one integer an axis",
        ),
        (lambda a: p.iota((2, 3)), TypeMismatch, "a shape is of integers"),
        (lambda a: p.scatter((2, 2), a, lambda i: i), ShapeMismatch, r"the shape \(3,\)"),
        (lambda a: p.scatter((2,), a, lambda i, j, k: i), ShapeMismatch, "3 indices, and there"),
        (lambda a: p.replicate(-2, a), ShapeMismatch, "no negative extents"),
        (lambda a: p.replicate(2, (a, {1})), TypeMismatch, "a number or an array was expected"),
        (lambda a: p.build((1,) * 33, lambda *at: 1.0), ShapeMismatch, "at most 32 axes"),
    ],
)
def test_what_does_not_fit(value, function, error, text):
    with pytest.raises(error, match=text):
        value(function, A)
