"""Programs with sums, recursion and recursive data against derivatives of fifty digits.

Each is written twice: in the language, and in plain Python, which mpmath differentiates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import mpmath
import numpy as np
import pytest

import diffcurry as dc
from diffcurry import Fun, Int, Real

MODES = ("dependent", "simple", "forward")


class Evidence(NamedTuple):
    """A program of numbers, the same in Python, and where."""

    program: Callable[..., Any]
    plain: Callable[..., Any]
    at: tuple[float, ...]


def newton(a: Any, x: Any) -> Any:
    return dc.until(lambda x: abs(x * x - a) < 1e-14, lambda x: (x + a / x) / 2, x, most=60)


def plain_newton(a: Any, x: Any) -> Any:
    while not abs(x * x - a) < 1e-14:
        x = (x + a / x) / 2
    return x


def collatz(x: Any, y: Any) -> Any:
    """Whole numbers choose the way; a real number is carried along it."""

    def step(c: Any) -> Any:
        n, total = c
        even = lambda: (n // 2, total * x + y)
        return dc.cond(n % 2 == 0, even, lambda: (3 * n + 1, total - x * y))

    return dc.while_loop(lambda c: c[0] > 1, step, (3, 1.0))[1]


def plain_collatz(x: Any, y: Any) -> Any:
    n, total = 3, mpmath.mpf(1)
    while n > 1:
        n, total = (n // 2, total * x + y) if n % 2 == 0 else (3 * n + 1, total - x * y)
    return total


def decay(rate: Any, start: Any) -> Any:
    """Euler's method for ẏ = -rate·y³ to t = 1; its step halves where half steps disagree."""

    @dc.rec
    def go(t: float, y: float, h: float) -> float:
        once = y - h * rate * y * y * y
        half = y - h / 2 * rate * y * y * y
        twice = half - h / 2 * rate * half * half * half

        def on() -> Any:
            fine = abs(once - twice) < 1e-2
            return dc.cond(fine, lambda: go(t + h, twice, h), lambda: go(t, y, h / 2))

        return dc.cond(t >= 1.0, lambda: y, on)

    return go(0.0, start, 0.5)


def plain_decay(rate: Any, start: Any) -> Any:
    t, y, h = mpmath.mpf(0), start, mpmath.mpf(0.5)
    while t < 1:
        once = y - h * rate * y**3
        half = y - h / 2 * rate * y**3
        twice = half - h / 2 * rate * half**3
        if abs(once - twice) < 1e-2:
            t, y = t + h, twice
        else:
            h = h / 2
    return y


def parity(x: Any, y: Any) -> Any:
    """Two functions that call one another, each with a factor that it captures."""

    @dc.rec
    def even(n: int) -> float:
        return dc.cond(n == 0, lambda: 1.0, lambda: x * odd(n - 1) + n)

    @dc.rec
    def odd(n: int) -> float:
        return dc.cond(n == 0, lambda: y, lambda: y * even(n - 1))

    return even(6) * odd(3)


def plain_parity(x: Any, y: Any) -> Any:
    even = lambda n: mpmath.mpf(1) if n == 0 else x * odd(n - 1) + n
    odd = lambda n: y if n == 0 else y * even(n - 1)
    return even(6) * odd(3)


def ackermann(x: Any, y: Any) -> Any:
    """Ackermann's recursion, of which every call adds or multiplies."""

    @dc.rec
    def go(m: int, n: int) -> tuple[int, float]:
        def inside() -> Any:
            k, first = go(m, n - 1)
            last, second = go(m - 1, k)
            return last, first * 0.9 + second * x

        def less() -> Any:
            k, value = go(m - 1, 1)
            return k, value + y

        more = lambda: dc.cond(n == 0, less, inside)
        return dc.cond(m == 0, lambda: (n + 1, y), more)

    k, value = go(2, 1)
    return value * k


def plain_ackermann(x: Any, y: Any) -> Any:
    def go(m: int, n: int) -> Any:
        if m == 0:
            return n + 1, y
        if n == 0:
            k, value = go(m - 1, 1)
            return k, value + y
        k, first = go(m, n - 1)
        last, second = go(m - 1, k)
        return last, first * mpmath.mpf(0.9) + second * x

    k, value = go(2, 1)
    return value * k


def chosen(x: Any, y: Any) -> Any:
    """A conditional gives one of two recursive functions, each with what it captures."""
    sums = dc.rec(lambda self, n: dc.cond(n == 0, lambda: x, lambda: y + self(n - 1)), Int)
    powers = dc.rec(lambda self, n: dc.cond(n == 0, lambda: y, lambda: x * self(n - 1)), Int)
    f = dc.cond(x < y, lambda: sums, lambda: powers)
    return f(3) * f(1)


def plain_chosen(x: Any, y: Any) -> Any:
    sums = lambda n: x + n * y
    powers = lambda n: y * x**n
    f = sums if x < y else powers
    return f(3) * f(1)


def prefix_sums(x: Any, y: Any) -> Any:
    """The running sums of a list, weighted; both by recursion over its cells."""

    @dc.rec
    def running(xs: dc.List(Real), before: float) -> dc.List(Real):  # type: ignore[valid-type]
        longer = lambda head, rest: dc.cons(before + head, running(rest, before + head))
        return dc.case(xs, lambda: dc.nil, longer)

    @dc.rec
    def weighted(xs: dc.List(Real)) -> float:  # type: ignore[valid-type]
        return dc.case(xs, lambda: 0.0, lambda head, rest: head * head + y * weighted(rest))

    return weighted(running(dc.cons(x, dc.cons(x * y, dc.cons(2.0, dc.nil))), 0.0))


def plain_prefix_sums(x: Any, y: Any) -> Any:
    sums = [x, x + x * y, x + x * y + 2]
    return sum(s * s * y**i for i, s in enumerate(sums))


def functions_in_a_list(x: Any, y: Any) -> Any:
    """A list of functions, each applied to what the ones before it give."""

    @dc.rec
    def applied(fs: dc.List(Fun(Real, Real)), z: float) -> float:  # type: ignore[valid-type]
        return dc.case(fs, lambda: z, lambda f, rest: applied(rest, f(z)))

    double = dc.fun(lambda z: z * x, Real)
    shift = dc.fun(lambda z: np.sin(z) + y, Real)
    return applied(dc.cons(double, dc.cons(shift, dc.cons(double, dc.nil))), y)


def plain_functions(x: Any, y: Any) -> Any:
    return (mpmath.sin(y * x) + y) * x


PROGRAMS = {
    "Newton's square root": Evidence(newton, plain_newton, (2.0, 1.0)),
    "Collatz with a real carried": Evidence(collatz, plain_collatz, (0.7, 0.3)),
    "an ODE with step control": Evidence(decay, plain_decay, (1.3, 2.0)),
    "even and odd that capture": Evidence(parity, plain_parity, (0.6, 1.2)),
    "Ackermann": Evidence(ackermann, plain_ackermann, (0.4, 1.5)),
    "a recursive function chosen, the first": Evidence(chosen, plain_chosen, (0.5, 1.5)),
    "a recursive function chosen, the second": Evidence(chosen, plain_chosen, (1.5, 0.5)),
    "prefix sums": Evidence(prefix_sums, plain_prefix_sums, (1.5, 0.5)),
    "functions in a list": Evidence(functions_in_a_list, plain_functions, (1.5, 0.5)),
}
each = pytest.mark.parametrize("evidence", PROGRAMS.values(), ids=PROGRAMS)


def derivative(evidence: Evidence, *orders: int) -> float:
    """A partial derivative, to fifty digits."""
    with mpmath.workdps(50):
        return float(mpmath.diff(evidence.plain, tuple(map(mpmath.mpf, evidence.at)), orders))


DEEP = "an ODE with step control"
"""Its calls capture: the simple form runs each of them again, twice as often a call further in."""
WAYS = [(name, mode) for name in PROGRAMS for mode in MODES if (name, mode) != (DEEP, "simple")]


@pytest.mark.parametrize(("name", "mode"), WAYS)
def test_every_way_gives_the_true_gradient(name: str, mode: str) -> None:
    evidence = PROGRAMS[name]
    value, slopes = dc.value_and_grad(evidence.program, (0, 1), mode=mode)(*evidence.at)
    true = [derivative(evidence, 1, 0), derivative(evidence, 0, 1)]
    np.testing.assert_allclose(value, derivative(evidence, 0, 0), rtol=1e-12)
    np.testing.assert_allclose(slopes, true, rtol=1e-7, atol=1e-9)


@each
def test_forward_mode_moves_along_both(evidence: Evidence) -> None:
    _, moved = dc.jvp(evidence.program, evidence.at, (1.0, -2.0))
    true = derivative(evidence, 1, 0) - 2 * derivative(evidence, 0, 1)
    np.testing.assert_allclose(moved, true, rtol=1e-7, atol=1e-9)


SECOND = [name for name in PROGRAMS if name != "Newton's square root"]
"""Newton's steps stop where the value is right: its second derivative lags behind by one."""


@pytest.mark.parametrize("name", SECOND)
def test_second_derivatives(name: str) -> None:
    evidence = PROGRAMS[name]
    true = [[derivative(evidence, 2, 0), derivative(evidence, 1, 1)]]
    true += [[derivative(evidence, 1, 1), derivative(evidence, 0, 2)]]
    found = dc.hessian(evidence.program, (0, 1))(*evidence.at)
    np.testing.assert_allclose(found, true, rtol=1e-6, atol=1e-8)
