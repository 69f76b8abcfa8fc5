"""Element types as in NumPy 2, gradients of their argument's own, errors that name the types."""

import numpy as np
import pytest

import combinators.primitives as p
from combinators.errors import ShapeMismatch, TypeMismatch

SINGLE = np.array([0.25, 0.5], dtype=np.float32)
ONES = [
    "negative absolute square sqrt cbrt reciprocal exp expm1 exp2 log log1p log2 log10 sin cos tan",
    "arcsin arccos arctan sinh cosh tanh arcsinh arctanh sigmoid softplus relu erf",
    "sum prod max min mean var std cumsum cumprod logsumexp ravel flip transpose",
]
TWOS = "add subtract multiply divide power maximum minimum hypot arctan2 logaddexp remainder"


@pytest.mark.parametrize("name", " ".join(ONES).split())
def test_single_precision_is_kept(value, gradients, name):
    function = getattr(p, name)
    assert value(function, SINGLE).dtype == np.float32
    (pulled,) = gradients(function, SINGLE)
    assert pulled.dtype == np.float32


@pytest.mark.parametrize("name", TWOS.split())
def test_python_scalars_are_weak_and_float64_is_not(value, gradients, name):
    function = getattr(p, name)
    assert value(lambda x: function(x, 2.0), SINGLE).dtype == np.float32
    assert gradients(lambda x: function(x, 2), SINGLE)[0].dtype == np.float32
    wide = SINGLE.astype(np.float64)
    assert value(function, SINGLE, wide).dtype == np.float64
    narrow, other = gradients(function, SINGLE, wide)
    assert (narrow.dtype, other.dtype) == (np.float32, np.float64)


INTEGERS = {
    "sum": (lambda x, y: x + y, np.int64),
    "quotient": (lambda x, y: x / y, np.float64),
    "floor": (lambda x, y: x // y, np.int64),
    "remainder": (lambda x, y: x % y, np.int64),
    "power": (lambda x, y: x**y, np.int64),
    "square": (lambda x, y: x**2 + y, np.int64),
    "sine": (lambda x, y: np.sin(x + y), np.float64),
    "less": (lambda x, y: x < y, np.bool_),
    "equal": (lambda x, y: x == y, np.bool_),
    "and": (lambda x, y: (x > 1) & (y > 1) | ~(x > 2) ^ (y > 9), np.bool_),
    "absolute": (lambda x, y: abs(-x), np.int64),
    "clip": (lambda x, y: np.clip(x, 2, None), np.int64),
    "with a float": (lambda x, y: x * 2.5, np.float64),
    "mean": (lambda x, y: np.mean(x), np.float64),
    "how many": (lambda x, y: np.sum(x > y), np.int64),
    "maximum": (lambda x, y: np.maximum(x, y), np.int64),
    "where": (lambda x, y: np.where(x > y, x, 0.5), np.float64),
    "matmul": (lambda x, y: x @ y, np.int64),
    "astype": (lambda x, y: x.astype(np.float32), np.float32),
}


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_and_booleans(value, name):
    function, dtype = INTEGERS[name]
    x, y = np.array([7, -3, 2]), np.array([2, 5, 3])
    found = value(function, x, y)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, function(x, y))


def test_integers_have_no_cotangent(gradients):
    real, integer = gradients(lambda x, n: x * n, 2.0, np.int64(3))
    assert (real, integer) == (3.0, None)


def test_functions_that_floor_keep_their_floats(value):
    for function in (p.floor, p.ceil, p.trunc, p.round, p.sign):
        assert value(function, SINGLE).dtype == np.float32


@pytest.mark.parametrize(
    ("function", "xs", "error", "text"),
    [
        (p.add, ([1.0] * 2, [1.0] * 3), ShapeMismatch, r"\(2,\) and \(3,\) do not broadcast"),
        (p.matmul, (np.ones((2, 3)), np.ones((4, 5))), ShapeMismatch, r"\(2, 3\) and \(4, 5\)"),
        (p.matmul, (1.0, [1.0]), ShapeMismatch, r"\(\) and \(1,\)"),
        (p.tensordot, (np.ones((2, 3)), np.ones((4, 5))), ShapeMismatch, r"\(2, 3\) and \(4, 5\)"),
        (
            lambda x, y: np.einsum("ij,jk->ik", x, y),
            (np.ones((2, 3)), np.ones((4, 5))),
            ShapeMismatch,
            r"'j' has extents 3 and 4, in arrays of shapes \(2, 3\) and \(4, 5\)",
        ),
        (lambda x: np.einsum("ij->i", x), ([1.0],), ShapeMismatch, "names 2 axes of 1"),
        (lambda x: np.einsum("i->ij", x), ([1.0],), ShapeMismatch, "each index of the result"),
        (lambda x: np.einsum("i,i", x), ([1.0],), ShapeMismatch, "takes 2 arrays, not 1"),
        (
            lambda x, y: np.concatenate([x, y]),
            (np.ones((2, 3)), np.ones((2, 4))),
            ShapeMismatch,
            r"\(2, 3\) and \(2, 4\) differ elsewhere than along axis 0",
        ),
        (lambda x: np.concatenate([]) + x, ([1.0],), ValueError, "at least one"),
        (lambda x, y: np.stack([x, y]), ([1.0], 1.0), ShapeMismatch, r"\(\) and \(1,\)"),
        (lambda x: np.sum(x, axis=2), ([1.0],), ShapeMismatch, r"axis 2 .* shape \(1,\)"),
        (lambda x: np.sum(x, axis=(0, 0)), ([1.0],), ShapeMismatch, "twice"),
        (lambda x: np.max(x), ([],), ShapeMismatch, "no max of no elements"),
        (lambda x: np.squeeze(x, 0), ([1.0, 2.0],), ShapeMismatch, "has not extent 1"),
        (lambda x: x.reshape(3), ([1.0, 2.0],), ShapeMismatch, r"\(2,\) has no reshape to \(3,\)"),
        (lambda x: x & x, (np.array([1]),), TypeMismatch, r"write a comparison, as in x != 0"),
        (lambda x: x**-1, (np.array([1]),), TypeMismatch, r"integer power -1"),
        (lambda x: p.take(x, x), ([1.0],), TypeMismatch, "indices are integers"),
        (lambda x: np.moveaxis(x, 0, (0, 1)), (np.ones((2, 2)),), ShapeMismatch, "1 axes do not"),
    ],
)
def test_what_does_not_fit(value, function, xs, error, text):
    with pytest.raises(error, match=text):
        value(function, *xs)


P, Q = np.array([True, False, True]), np.array([True, True, False])


LOGIC = {
    "or": lambda p, q: p + q,
    "and": lambda p, q: p * q,
    "True, added": lambda p, q: p + True,
    "small integers": lambda p, q: (p // q, p % q, p**q, q**2),
    "themselves": lambda p, q: (abs(p), np.floor(p), np.ceil(q), np.trunc(q)),
    "paths of a graph": lambda p, q: (p @ q, np.outer(p, q) @ p, np.dot(p, q), np.inner(p, q)),
    "einsum": lambda p, q: (np.einsum("i,i->", p, q), np.einsum("i,j->ij", p, q)),
    "counted": lambda p, q: (np.sum(p), np.cumsum(q), np.prod(q), np.mean(p), p + 1, 2.0 * q),
    "truths of numbers": lambda p, q: (
        np.logical_and(3 * p, 0.5 * q),
        np.logical_or(3 * p, q),
        np.logical_xor(p, 2 * q),
        np.logical_not(np.nan * q),
    ),
    "all and any": lambda p, q: (p.all(), q.any(), np.all(2 * p), np.any(p & ~q, axis=0)),
    "compared": lambda p, q: (
        p < q,
        p == q,
        p != q,
        p >= True,
        np.maximum(p, q),
        np.where(p, q, ~q),
    ),
}


def _several(found):
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("name", LOGIC)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_arithmetic_of_booleans_is_numpys(value, name):
    found, expected = value(LOGIC[name], P, Q), LOGIC[name](P, Q)
    for one, other in zip(*map(_several, (found, expected)), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("function", "instead"),
    [
        (lambda p, q: p - q, r"subtract: .* for numbers, not for booleans; write x \^ y"),
        (lambda p, q: True - q, "subtract"),
        (lambda p, q: -p, "negative: .* write ~x"),
        (lambda p, q: +p, "positive"),
        (lambda p, q: np.sign(p), "sign: "),
    ],
)
def test_booleans_have_no_difference_and_no_sign_as_in_numpy(value, function, instead):
    with pytest.raises(TypeError):
        function(P, Q)
    with pytest.raises(TypeMismatch, match=instead):
        value(function, P, Q)


def test_logic_of_booleans_is_numpys(value):
    def logic(p, q):
        return p | q, p & q, p ^ q, ~p

    for found, expected in zip(value(logic, P, Q), logic(P, Q), strict=True):
        assert found.dtype == np.bool_
        np.testing.assert_array_equal(found, expected)
