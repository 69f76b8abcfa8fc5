"""Pairs that share: ``p = (p, p)``, forty times over, has 2⁴⁰ leaves and forty places."""

from __future__ import annotations

from typing import Any

import pytest

import diffcurry as dc
from combinators.kit.tree import size
from combinators.objects import Product, Real
from diffcurry import fun


def wrapped(x: Any, times: int) -> Any:
    p = fun(lambda a: (a, a))(x)
    for _ in range(times):
        p = fun(lambda a: (a, a))(p)
    return p


def unwrapped(p: Any, times: int) -> Any:
    for _ in range(times + 1):
        p = p[0]
    return p


def there_and_back(x: Any, times: int) -> Any:
    return unwrapped(wrapped(x, times), times)


def test_pairs_that_share_take_linear_time() -> None:
    few, many = (
        size(fun(lambda x, n=n: there_and_back(x, n), Real).program().lam) for n in (20, 40)
    )
    assert many < 2.2 * few
    assert dc.grad(lambda x: there_and_back(x, 40) ** 2)(3.0) == 6.0


@pytest.mark.parametrize("mode", ["dependent", "simple", "delta"])
def test_so_do_their_derivatives_in_every_mode(mode: str) -> None:
    square = lambda x: there_and_back(x, 40) * there_and_back(x, 40)
    assert dc.grad(square, mode=mode)(3.0) == 6.0
    assert dc.grad(dc.grad(square, mode=mode))(3.0) == 2.0
    assert dc.jvp(square, (3.0,), (1.0,))[1] == 6.0


def test_they_are_tuples() -> None:
    def used(x: Any) -> Any:
        p = wrapped(x, 10)
        a, b = p
        both = p + (x,)  # noqa: RUF005 (it can be added to)
        assert isinstance(p, tuple)
        assert (len(p), len(both), len(p[:1]), bool(p)) == (2, 3, 1, True)
        with pytest.raises(IndexError):
            p[2]
        return unwrapped(a, 9) * unwrapped(b, 9) * unwrapped(both[1], 9) * both[-1]

    assert dc.grad(used)(2.0) == 32.0


def test_they_go_through_choices_and_loops() -> None:
    def deep(x: Any, times: int) -> Any:
        return x if not times else (deep(x, times - 1),) * 2

    def chosen(x: Any) -> Any:
        p = dc.cond(x > 0.0, lambda: wrapped(x, 9), lambda: deep(x * x, 10))
        q = dc.fold(lambda c, r: (c[1], c[0]), deep(x, 10), dc.iota(3))
        return unwrapped(p, 9) * unwrapped(q, 9)

    assert dc.grad(chosen)(3.0) == 6.0
    assert dc.grad(chosen)(-2.0) == 12.0


def test_a_parameter_may_be_one() -> None:
    pair: Any = Real
    for _ in range(30):
        pair = Product(pair, pair)
    f = fun(lambda p: p[0][1], pair)
    assert size(f.program().lam) < 200
