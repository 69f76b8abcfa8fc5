"""Reads of one array at indices of different ranks: cotangents are put in the right places."""

import numpy as np
import pytest

import diffcurry as dc

C = np.arange(49.0).reshape(7, 7) / 7
ROWS, COLUMNS = np.array([0, 1]), np.array([3, 4])
MATRIX = np.array([[1, 2], [3, 4]])


def built(c):
    return np.sum(dc.build((2, 2), lambda i, j: c[i * j, j % 2] * c[i * j + 1, (j + 1) % 2]))


def gathered(c):
    first = dc.gather((2, 2), c, lambda i, j: (j * j, i * j))
    return np.sum(first * dc.gather((2, 2), c, lambda i, j: (j * j + 1, i * j + 2)))


def constant(c):
    column = np.array([[0], [1]])
    return np.sum(c[column, np.array([2, 3])] * c[column + 1, np.array([0, 3])])


def sticking_out(c):
    return np.sum(dc.build((6, 2), lambda i, j: c[j % 2, i * j] * c[j // 2, i * j]))


READS = {
    "built": (built, ()),
    "gathered": (gathered, ()),
    "constant": (constant, ()),
    "other extents": (sticking_out, ()),
    "a number and a row": (lambda c, i, j, q: c[i, q] @ c[j, q], (1, 2, COLUMNS)),
    "a number and a longer row": (
        lambda c, i, j, q: np.sum(c[i, q] * c[j, q]),
        (1, 2, np.arange(3)),
    ),
    "a row and a matrix": (lambda c, p, r, q: np.sum(c[p, q] * c[r, q]), (ROWS, COLUMNS, MATRIX)),
}


@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize("mode", ["dependent", "delta", "simple"])
def test_the_gradient_is_the_slope(name, mode):
    f, rest = READS[name]
    step, units = 1e-3, np.eye(49).reshape(49, 7, 7)
    value = dc.fun(f)
    slopes = [value(C + step * u, *rest) - value(C - step * u, *rest) for u in units]
    found = dc.grad(f, mode=mode)(C, *rest)
    np.testing.assert_allclose(found.ravel(), np.array(slopes) / (2 * step), atol=1e-9)


@pytest.mark.parametrize("name", READS)
def test_checking_gradients_asks_the_program_too(name):
    f, rest = READS[name]
    dc.check_grads(f, (C, *rest), order=2)
