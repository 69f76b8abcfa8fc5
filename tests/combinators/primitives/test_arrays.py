"""NumPy's own functions build terms, with NumPy's values; reductions against mpmath."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import combinators.primitives as p

RNG = np.random.default_rng(0)
A, B, V, Q = (RNG.normal(size=shape) for shape in ((3, 4), (4, 2), (4,), (2, 3, 4)))
SAME = {
    "matmul": (lambda a, b: a @ b, A, B),
    "matmul of a matrix and a vector": (lambda a, b: a @ b, A, V),
    "matmul of a vector and a matrix": (lambda a, b: a @ b, V, B),
    "matmul of vectors": (lambda a, b: a @ b, V, V),
    "matmul of stacks": (lambda a, b: np.matmul(a, b), Q, B),
    "matmul of a stack and a vector": (lambda a, b: np.matmul(a, b), Q, V),
    "dot": (lambda a, b: np.dot(a, b), Q, B),
    "dot of a number": (lambda a, b: np.dot(a, b), np.float64(2.0), B),
    "method dot": (lambda a, b: a.dot(b), A, B),
    "outer": (lambda a, b: np.outer(a, b), A, V),
    "inner": (lambda a, b: np.inner(a, b), Q, A),
    "vdot": (lambda a, b: np.vdot(a, b), A, A + 1),
    "tensordot": (lambda a, b: np.tensordot(a, b, axes=([1, 2], [0, 1])), Q, A),
    "tensordot of an extent": (lambda a, b: np.tensordot(a, b, 1), Q, B),
    "tensordot of nothing": (lambda a, b: np.tensordot(a, b, 0), V, B),
    "einsum": (lambda a, b: np.einsum("ij,j->i", a, b), A, V),
    "einsum, implicit": (lambda a, b: np.einsum("bij,jk", a, b), Q, B),
    "einsum, dots": (lambda a, b, c: np.einsum("...ij,jk,j->...k", a, b, c), Q, B, V),
    "einsum, diagonal": (lambda a: np.einsum("ii->i", a), A[:, :3]),
    "einsum, trace": (lambda a: np.einsum("ii", a), A[:, :3]),
    "einsum, transpose": (lambda a: np.einsum("ij->ji", a), A),
    "einsum, summed apart": (lambda a, b: np.einsum("ij,kl->jl", a, b), A, B),
    "einsum, pointwise": (lambda a, b: np.einsum("ij,ij->ij", a, b), A, A + 1),
    "transpose": (lambda a: a.T, A),
    "transpose by axes": (lambda a: np.transpose(a, (1, 2, 0)), Q),
    "moveaxis": (lambda a: np.moveaxis(a, [0, 1], [1, 2]), Q),
    "swapaxes": (lambda a: a.swapaxes(0, 2), Q),
    "reshape": (lambda a: a.reshape(2, -1), A),
    "ravel": (lambda a: np.ravel(a), A),
    "expand_dims": (lambda a: np.expand_dims(a, (0, -1)), A),
    "squeeze": (lambda a: np.squeeze(a[None]), A),
    "squeeze of an axis": (lambda a: a[None].squeeze(0), A),
    "flip": (lambda a: np.flip(a, (0, 1)), A),
    "broadcast_to": (lambda a: np.broadcast_to(a, (3, 4)), V),
    "concatenate": (lambda a, b: np.concatenate([a, b], axis=1), A, A + 1),
    "concatenate, flat": (lambda a, b: np.concatenate([a, b], axis=None), A, V),
    "stack": (lambda a, b: np.stack([a, b], axis=-1), A, A + 1),
    "hstack": (lambda a, b: np.hstack([a, b]), A, A + 1),
    "vstack": (lambda a, b: np.vstack([a, b]), A, V),
    "diagonal": (lambda a: np.diagonal(a, 1), A),
    "diagonal below": (lambda a: np.diagonal(a, -1), A),
    "trace": (lambda a: np.trace(a), A),
    "sum": (lambda a: a.sum(axis=(0, -1)), Q),
    "mean": (lambda a: np.mean(a, axis=1, keepdims=True), A),
    "method mean": (lambda a: a.mean(), A),
    "var": (lambda a: np.var(a, axis=0, ddof=1), A),
    "std": (lambda a: np.std(a), A),
    "max": (lambda a: a.max(axis=-1), A),
    "amax": (lambda a: np.amax(a, axis=(0, 2)), Q),
    "min": (lambda a: np.min(a), A),
    "prod": (lambda a: np.prod(a, axis=(0, 2)), Q),
    "cumsum": (lambda a: np.cumsum(a, axis=1), A),
    "cumsum, flat": (lambda a: a.cumsum(), A),
    "cumprod": (lambda a: np.cumprod(a, axis=1), A),
    "cumprod, flat": (lambda a: np.cumprod(a), A),
    "where": (lambda a, b: np.where(a > 0, a * a, b), A, V),
    "where by numbers": (lambda a: np.where(np.round(a), a, 0.5), A),
    "clip": (lambda a: np.clip(a, -0.5, 0.5), A),
    "clip above": (lambda a: a.clip(None, 0.5), A),
    "round": (lambda a: a.round(2) * a, A),
    "logaddexp": (lambda a, b: np.logaddexp(a, b), A, V),
    "power of a number": (lambda a: 2**a, A),
    "cube": (lambda a: a**3, A),
    "square": (lambda a: a**2, A),
    "constants": (lambda a: a * np.full_like(a, 3) + np.ones_like(a) - np.zeros_like(a), A),
    "arange": (lambda a: a * np.arange(4), A),
    "softmax": (lambda a: np.exp(a) / np.sum(np.exp(a), axis=1, keepdims=True), A),
}


def numerically(function, xs, k):
    """The gradient of the sum of the result in argument k, by central differences."""
    gradient = np.zeros(np.shape(xs[k]))
    for at in np.ndindex(gradient.shape):
        ends = []
        for step in (1e-6, -1e-6):
            moved = [np.array(x) for x in xs]
            moved[k][at] += step
            ends.append(np.sum(function(*moved)))
        gradient[at] = (ends[0] - ends[1]) / 2e-6
    return gradient


@pytest.mark.parametrize("name", SAME)
def test_as_numpy_has_it(value, gradients, name):
    function, *xs = SAME[name]
    expected = function(*xs)
    assert np.shape(value(function, *xs)) == np.shape(expected)
    np.testing.assert_allclose(value(function, *xs), expected, 1e-13, 1e-13)
    for k, found in enumerate(gradients(function, *xs)):
        np.testing.assert_allclose(found, numerically(function, xs, k), 1e-6, 1e-7)


def test_questions_that_are_known_while_tracing(value):
    def asked(a):
        assert (np.shape(a), np.ndim(a), np.size(a)) == ((3, 4), 2, 12)
        return np.any(a > 0), np.all(a > 0), np.isnan(a), np.isinf(a), np.isfinite(a), +a

    given = A.copy()
    given[0, :3] = np.nan, np.inf, -np.inf
    for found, expected in zip(value(asked, given), asked(given), strict=True):
        np.testing.assert_array_equal(found, expected)


def power_mean(xs):
    return mpmath.fsum(x**3 for x in xs) / len(xs)


def spread(xs):
    middle = mpmath.fsum(xs) / len(xs)
    return mpmath.sqrt(mpmath.fsum((x - middle) ** 2 for x in xs) / len(xs))


REDUCTIONS = {
    "sum": (p.sum, mpmath.fsum),
    "prod": (p.prod, mpmath.fprod),
    "max": (p.max, max),
    "min": (p.min, min),
    "mean of cubes": (lambda x: np.mean(x**3), power_mean),
    "std": (p.std, spread),
    "logsumexp": (p.logsumexp, lambda xs: mpmath.log(mpmath.fsum(map(mpmath.exp, xs)))),
}


@pytest.mark.parametrize("name", REDUCTIONS)
@given(xs=st.lists(st.integers(-999, 999), min_size=2, max_size=7, unique=True))
def test_a_reduction_element_by_element(value, gradients, name, xs):
    function, exact = REDUCTIONS[name]
    point = np.array(xs) / 100.0
    (found,) = gradients(function, point)
    with mpmath.workdps(50):
        numbers = [mpmath.mpf(float(x)) for x in point]
        cancelled = float(np.max(np.abs(point)) ** 3)  # the largest of the terms that are summed
        largest = max(1.0, cancelled, float(abs(exact(numbers))))
        assert abs(value(function, point) - float(exact(numbers))) <= 1e-14 * largest
        for i, pulled in enumerate(found):
            along = [0] * len(numbers)
            along[i] = 1
            slope = mpmath.diff(lambda *at: exact(list(at)), numbers, tuple(along))
            assert abs(pulled - float(slope)) <= 1e-13 * max(1.0, abs(float(slope)))


def test_logsumexp_of_the_large_and_of_nothing_at_all(value):
    assert value(p.logsumexp, [1000.0, 1000.0]) == 1000.0 + np.log(2.0)
    assert value(p.logsumexp, [-np.inf, -np.inf]) == -np.inf
    assert value(p.logsumexp, [np.inf, 0.0]) == np.inf
    rows = np.array([[0.0, 0.0], [-np.inf, 1.0]])
    found = value(lambda x: p.logsumexp(x, axis=1, keepdims=True), rows)
    np.testing.assert_array_equal(found, [[np.log(2.0)], [1.0]])


@pytest.mark.parametrize("base", [0.0, 1e10, -1e15])
def test_logsumexp_shares_keep_their_digits_however_large_the_total(gradients, base):
    (found,) = gradients(p.logsumexp, [base, base - 1.0])
    shares = 1 / (1 + np.exp([-1.0, 1.0]))
    np.testing.assert_allclose(found, shares, 4e-16)
