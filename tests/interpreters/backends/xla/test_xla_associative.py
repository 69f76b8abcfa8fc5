"""Associative loops on XLA are associative scans, and so are their derivatives."""

import numpy as np
import pytest

import diffcurry as dc
from tests.interpreters.backends.xla.comparing import agrees, asked

WORDS = {"reduce": dc.reduce, "scanl": dc.scanl, "scanr": dc.scanr}
ROWS = np.linspace(0.5, 0.9, 7)


def affine(f, g):
    return f[0] * g[0], g[0] * f[1] + g[1]


@pytest.mark.parametrize("word", WORDS)
def test_values_and_gradients_are_those_of_numpy(word):
    def combined(a, b):
        return np.sum(np.sin(WORDS[word](affine, (1.0, 0.0), (a, b))[1]))

    for rows in (ROWS, ROWS[:1], ROWS[:0]):
        agrees(combined, rows, 2 * rows, rtol=1e-12)
        agrees(dc.grad(combined, argnums=(0, 1)), rows, 2 * rows, rtol=1e-12)


def test_it_is_an_associative_scan():
    def combined(t, xs):
        return dc.reduce(lambda a, b: a + b + t * a * b, 0.0, xs)

    assert agrees(combined, 0.3, ROWS).source.count("lax.associative_scan") == 1
    asked()
    assert dc.xla(combined).source(0.3, ROWS).count("lax.associative_scan") == 1


def test_of_many_rows_at_once():
    square = np.linspace(0.1, 0.4, 12).reshape(3, 4)
    agrees(lambda m: dc.map(lambda r: dc.reduce(affine, (1.0, 0.0), (r, r))[1], m), square)


def test_of_many_long_rows_at_once_it_is_an_associative_scan_of_each():
    """In a map whose rows are long nothing runs from row to row."""
    square = np.linspace(0.1, 0.9, 60).reshape(3, 20)

    def each(m):
        return np.sum(dc.map(lambda r: dc.reduce(affine, (1.0, 0.0), (r, r))[1], m))

    assert "lax.associative_scan" in agrees(each, square).source
    source = agrees(dc.grad(each), square, rtol=1e-12).source
    assert "lax.scan" not in source
