"""``curry``, ``uncurry`` and ``lookup`` are words: of the closed category, and of total indices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import diffcurry as dc
from combinators.objects import Fun, Product, Real

TWO = Fun(Product(Real, Real), Real)


def product(x: Any, y: Any) -> Any:
    return x * x * y


def test_curry_and_uncurry_are_words_of_the_front_door() -> None:
    assert dc.curry(product)(2.0)(3.0) == 12.0
    assert dc.uncurry(dc.curry(product))(2.0, 3.0) == 12.0
    assert dc.uncurry(lambda x: lambda y: x - y)(5.0, 3.0) == 2.0


def test_a_typed_function_gives_a_curried_one_that_computes_outside_a_trace_too() -> None:
    curried = dc.curry(dc.fun(product, Real, Real))
    assert curried(2.0)(3.0) == 12.0
    assert dc.uncurry(curried)(2.0, 3.0) == 12.0
    assert dc.fun(lambda x: curried(x)(x), Real)(2.0) == 8.0
    assert (
        dc.curry(dc.fun(lambda a: dc.fun(lambda x, y: a * x * y, Real, Real))(2.0))(3.0)(5.0)
        == 30.0
    )


def test_they_are_each_others_inverses_of_functions_that_are_given() -> None:
    round_trip = dc.fun(lambda f, x, y: dc.uncurry(dc.curry(f))(x, y), TWO, Real, Real)
    assert round_trip(product, 2.0, 3.0) == 12.0
    curried = dc.fun(lambda f, x: dc.curry(dc.uncurry(f))(x)(x), Fun(Real, Fun(Real, Real)), Real)
    assert curried(lambda x: dc.fun(lambda y: x * x * y, Real), 3.0) == 27.0


def test_a_curried_function_has_derivatives_in_what_it_captured() -> None:
    assert dc.grad(lambda x: dc.curry(product)(x)(3.0))(2.0) == 12.0
    assert dc.grad(dc.curry(product)(2.0))(3.0) == 4.0
    stored = dc.fun(lambda f, x: dc.fold(lambda c, r: dc.curry(f)(r)(c), x, np.ones(3)), TWO, Real)
    assert stored(product, 2.0) == 2.0


@pytest.mark.parametrize(("index", "value"), [(0, 1.0), (2, 3.0), (-1, 0.0), (3, 0.0)])
def test_there_is_a_word_for_the_total_meaning_of_a_literal_index(index: int, value: float) -> None:
    xs = np.array([1.0, 2.0, 3.0])
    assert dc.lookup(xs, index) == value
    assert dc.fun(lambda i: dc.lookup(xs, i))(index) == value
    assert dc.lookup(np.outer(xs, xs), 1, index) == 2.0 * value
