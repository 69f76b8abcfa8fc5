"""``x[…]`` as NumPy has it; what does not fit is an error that names the shape."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as arrays

import combinators.primitives as p
from combinators.errors import (
    ConcreteValueNeeded,
    ShapeMismatch,
    TypeMismatch,
)
from combinators.objects import Tensor
from combinators.operation import PRIMITIVES, Operation
from interpreters.carriers.numpy import NumPy

Q = np.arange(2.0 * 3 * 4).reshape(2, 3, 4)
KEYS = [
    1,
    -1,
    np.int64(0),
    slice(None, None, -1),
    slice(5, 2),
    ...,
    None,
    (..., None),
    (0, 1, 2),
    (0, ..., -1),
    (slice(None), slice(2, 0, -1), slice(None, None, 2)),
    (None, 0, None, slice(1, 3)),
    [0, 1, 0],
    ([0, 1], [1, 2]),
    ([0, 1], slice(None), [1, 2]),
    (0, slice(None), [1, 2]),
    (slice(None), [[0, 1], [2, -1]], None),
    (None, 0, [1, 1]),
    (slice(None), 0, [1, 1]),
    (slice(1), [0, 2], slice(None, None, -2)),
    (slice(None), [], 0),
    np.array(1),
]


def check(value, gradients, x, key):
    expected = x[key]
    found = value(lambda x: x[key], x)
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_array_equal(found, expected)
    weights = np.arange(1.0, np.size(expected) + 1).reshape(np.shape(expected))
    scattered = np.zeros_like(x)
    np.add.at(scattered, key, weights)
    np.testing.assert_array_equal(gradients(lambda x: x[key], x, g=weights)[0], scattered)


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_a_key(value, gradients, key):
    check(value, gradients, Q, key)


@given(key=arrays.basic_indices(Q.shape, allow_newaxis=True))
def test_basic_keys(value, gradients, key):
    check(value, gradients, Q, key)


@given(key=arrays.integer_array_indices(Q.shape))
def test_arrays_of_integers(value, gradients, key):
    check(value, gradients, Q, key)


@pytest.mark.parametrize("i", [0, 1])
def test_a_traced_integer(value, gradients, i):
    x, at = Q[0], np.int64(i)
    np.testing.assert_array_equal(value(lambda x, i: x[i], x, at), x[i])
    np.testing.assert_array_equal(value(lambda x, i: x[:, i], x, at), x[:, i])
    assert value(lambda x, i: x[i, 1], x, at) == x[i, 1]
    expected = np.zeros_like(x)
    expected[i] = 1.0
    found, nothing = gradients(lambda x, i: x[i], x, at)
    np.testing.assert_array_equal(found, expected)
    assert nothing is None


@pytest.mark.parametrize("i", [5, 2, -1, -3])
def test_a_traced_index_outside_reads_zero(value, gradients, i):
    at, several = np.int64(i), np.array([0, i, 1])
    np.testing.assert_array_equal(value(lambda x, i: x[i], Q, at), np.zeros((3, 4)))
    assert value(lambda x, i: x[i, 1, 2], Q, at) == 0.0
    rows = value(lambda x, i: np.take(x, i, axis=0), Q, several)
    np.testing.assert_array_equal(rows, [Q[0], np.zeros((3, 4)), Q[1]])
    truths = value(lambda x, i: np.take(x >= 0, i, axis=0), Q, several)
    assert truths.dtype == bool
    np.testing.assert_array_equal(truths[:, 0, 0], [True, False, True])
    found, _ = gradients(lambda x, i: np.take(x, i, axis=0), Q, several)
    np.testing.assert_array_equal(found, np.ones(Q.shape))


@pytest.mark.parametrize("key", [np.array([], int), np.array([0, -1])], ids=len)
def test_nothing_is_read_of_an_empty_axis(value, gradients, key):
    x = np.zeros((3, 0, 2))
    found = value(lambda x, i: x[:, i], x, key)
    np.testing.assert_array_equal(found, np.zeros((3, len(key), 2)))
    assert gradients(lambda x, i: x[:, i], x, key)[0].shape == x.shape


def test_what_is_put_outside_is_left_out():
    put = Operation(PRIMITIVES["put"], (("axis", 1), ("extents", (3, 2))))
    types = Tensor((1, 4)), Tensor((4,), "int64"), Tensor((), "int64")
    compute = NumPy().operation(put, types, put.type(*types))
    at = np.array([0, 3, -1, 0])
    found = compute(np.array([[1.0, 2.0, 4.0, 8.0]]), at, np.int64(1))
    np.testing.assert_array_equal(found, [[[0.0, 9.0], [0.0, 0.0], [0.0, 0.0]]])
    nowhere = compute(np.ones((1, 4)), at, np.int64(2))
    np.testing.assert_array_equal(nowhere, np.zeros((1, 3, 2)))


def test_take(value, gradients):
    np.testing.assert_array_equal(
        value(lambda x: np.take(x, [0, -1], axis=1), Q), np.take(Q, [0, -1], axis=1)
    )
    np.testing.assert_array_equal(value(lambda x: x.take([[0, 23]]), Q), np.take(Q, [[0, 23]]))
    found = gradients(lambda x: np.take(x, [0, 0, 1]), [1.0, 2.0, 3.0])[0]
    np.testing.assert_array_equal(found, [2.0, 1.0, 0.0])


@pytest.mark.parametrize(
    ("key", "error", "text"),
    [
        (2, ShapeMismatch, r"index 2 is out of range for axis 0 of an array of shape \(2, 3, 4\)"),
        ((0, -4), ShapeMismatch, r"index -4 is out of range for axis 1"),
        (([0, 5],), ShapeMismatch, r"out of range for axis 0"),
        ((0, 0, 0, 0), ShapeMismatch, r"shape \(2, 3, 4\) takes at most 3 indices, and this has 4"),
        ((..., ...), ShapeMismatch, r"one '\.\.\.', and this has 2"),
        (Q[0] > 1, ShapeMismatch, r"a mask of extent 3 is no index of axis 0"),
        (True, TypeMismatch, r"write np\.where"),
        (0.5, TypeMismatch, r"indices are integers"),
    ],
    ids=repr,
)
def test_what_does_not_fit(value, key, error, text):
    with pytest.raises(error, match=text):
        value(lambda x: x[key], Q)


def test_traced_masks_and_bounds_are_errors(value):
    with pytest.raises(TypeMismatch, match=r"write np\.where"):
        value(lambda x: x[x > 0], Q)
    with pytest.raises(ConcreteValueNeeded, match="shapes are static"):
        value(lambda x, i: x[:i], Q, np.int64(1))


def test_the_transposes_of_windows_check_their_shapes(value):
    with pytest.raises(ShapeMismatch, match=r"does not fit into shape \(3,\)"):
        value(lambda x: p.shapes.embed(x, (2,), (1,), (3,)), [1.0, 2.0])
