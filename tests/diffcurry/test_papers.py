"""Programs of the papers that need sums, recursion and recursive data, each by its name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import diffcurry as dc
from diffcurry import Int, List, Product, Real, Sum, Tensor, fun

XS = [np.array([1.0, -0.5]), np.array([0.3, 0.8]), np.array([-1.2, 0.1])]
W = np.array([[0.5, -0.3], [0.2, 0.7]])


def numeric(f: Any, x: np.ndarray[Any, Any], step: float = 1e-6) -> np.ndarray[Any, Any]:
    """Central differences."""
    found = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[index] += step
        down[index] -= step
        found[index] = (f(up) - f(down)) / (2 * step)
    return found


def network(w: Any, state: Any, xs: Any) -> Any:
    """The same in NumPy."""
    for x in xs:
        state = np.tanh(w @ state + x)
    return np.sum(state * state)


def cell(params: Any, hidden: Any, given: Any) -> Any:
    return np.tanh(params @ hidden + given)


def run_rnn(params: Any, start: Any, xs: Any) -> Any:
    """``runRNN`` of 004, section 2: ``fold g init_state xs``, where g captures the parameters."""
    g = fun(lambda hidden, given: cell(params, hidden, given))
    state = dc.fold(g, start, xs)
    return np.sum(state * state)


def run_rnn_by_recursion(params: Any, start: Any, xs: Any) -> Any:
    """The same, where the fold is written out: a recursive function that captures."""

    def from_here(self: Any, hidden: Any, rest: Any) -> Any:
        return dc.case(rest, lambda: hidden, lambda x, more: self(cell(params, hidden, x), more))

    state = dc.rec(from_here)(start, xs)
    return np.sum(state * state)


@pytest.mark.parametrize("run", [run_rnn, run_rnn_by_recursion])
def test_the_recurrent_network_of_the_differentiable_curry_over_a_recursive_list(run: Any) -> None:
    typed = fun(run, Tensor((2, 2)), Tensor((2,)), List(Tensor((2,))))
    start = np.array([0.1, 0.2])
    assert typed(W, start, XS) == pytest.approx(network(W, start, XS))
    dw, dstart, dxs = dc.grad(typed, argnums=(0, 1, 2))(W, start, XS)
    assert dw == pytest.approx(numeric(lambda w: network(w, start, XS), W), abs=1e-7)
    assert dstart == pytest.approx(numeric(lambda s: network(W, s, XS), start), abs=1e-7)
    assert len(dxs) == 3
    by_first = numeric(lambda x: network(W, start, [x, *XS[1:]]), XS[0])
    assert dxs[0] == pytest.approx(by_first, abs=1e-7)


def argmin(f: Any, start: Any, tolerance: float) -> Any:
    """``ARGMIN`` of 001: down the gradient by a line search, until the gradient is small."""
    slope = dc.grad(f)

    def search(self: Any, k: Any, x: Any, g: Any) -> Any:
        is_lower = f(x - k * g) < f(x)
        return dc.cond(is_lower, lambda: k, lambda: self(k / 2, x, g))

    line_search = dc.rec(search, most=60)

    def descend(self: Any, x: Any) -> Any:
        g = slope(x)
        small = np.sqrt(np.sum(g * g)) <= tolerance
        return dc.cond(small, lambda: x, lambda: self(x - line_search(0.7, x, g) * g))

    return dc.rec(descend, most=200)(start)


def test_argmin_of_the_lambda_backpropagator_by_recursive_line_search() -> None:
    well = lambda x: (x[0] - 1.0) ** 2 + 2.0 * (x[1] + 0.5) ** 2
    found = fun(lambda x: argmin(well, x, 1e-6), Tensor((2,)))(np.array([3.0, 2.0]))
    assert found == pytest.approx([1.0, -0.5], abs=1e-5)


def payoff(x: Any, y: Any) -> Any:
    """PAYOFF of 001."""
    return x[0] ** 2 + x[1] ** 2 - y[0] ** 2 - y[1] ** 2


def golden_section(f: Any) -> Any:
    """UNIVARIATEARGMIN of 001: the interval that holds the least value shrinks until it is ε."""
    ratio = (np.sqrt(5) - 1) / 2

    def step(interval: Any) -> Any:
        low, high = interval
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        return dc.cond(f(left) < f(right), lambda: (low, right), lambda: (left, high))

    low, high = dc.while_loop(lambda ends: ends[1] - ends[0] > 1e-7, step, (-2.0, 2.0), most=80)
    return (low + high) / 2


def test_the_saddle_of_the_lambda_backpropagator_by_an_epsilon_test() -> None:
    """Section 5, line by line; the derivative of λx reaches through ARGMIN of λy, and its ∇."""

    def argmin(f: Any, start: Any, eps: float) -> Any:
        @dc.rec(most=50)
        def go(x: Tensor((2,))) -> Tensor((2,)):  # type: ignore[valid-type]
            g = dc.grad(f)(x)
            further = lambda: go(x + golden_section(lambda k: f(x + k * g)) * g)
            return dc.cond(np.sqrt(np.sum(g * g)) <= eps, lambda: x, further)

        return go(start)

    def argmax(f: Any, start: Any, eps: float) -> Any:
        return argmin(lambda x: -f(x), start, eps)

    def most(f: Any, start: Any, eps: float) -> Any:
        return f(argmax(f, start, eps))

    def saddle(x: Any, y: Any) -> Any:
        best = argmin(lambda x: most(lambda y: payoff(x, y), y, 1e-5), x, 1e-3)
        return best, argmax(lambda y: payoff(best, y), y, 1e-5)

    x, y = fun(saddle, Tensor((2,)), Tensor((2,)))(np.array([1.0, 0.5]), np.array([0.7, -1.0]))
    assert x == pytest.approx([0.0, 0.0], abs=1e-5)
    assert y == pytest.approx([0.0, 0.0], abs=1e-5)


def test_the_hessian_of_the_lambda_backpropagator_times_a_vector() -> None:
    """``(H f [3, 4]) × [7, 8] = [52, 85]``, where λx refers to v freely."""
    f = lambda x: 2 * x[0] ** 2 + 3 * x[0] * x[1] + 4 * x[1] ** 2
    product = fun(lambda v: dc.grad(lambda x: np.dot(dc.grad(f)(x), v))(np.array([3.0, 4.0])))
    assert product(np.array([7.0, 8.0])) == pytest.approx([52.0, 85.0])


def test_figure_7_of_long_translates_sums_as_we_do() -> None:
    """``case e₀ of inl x → e₁, inr y → e₂``, with products and functions in the alternatives."""
    either = Sum(Real, Product(Real, dc.Fun(Real, Real)))

    def program(s: Any, z: Any) -> Any:
        t = dc.case(
            s,
            lambda x: dc.inject(either, 1, x * z, fun(lambda u: u * x, Real)),
            lambda y, f: dc.inject(either, 0, f(y) + z),
        )
        return dc.case(t, lambda x: x * x, lambda y, f: f(y) * z)

    left = fun(lambda x, z: program(dc.inject(either, 0, x), z), Real, Real)
    right = fun(lambda y, a, z: program(dc.inject(either, 1, y, fun(lambda u: a * u, Real)), z),
                Real, Real, Real)  # fmt: skip
    assert left(2.0, 3.0) == 2.0 * 3.0 * 2.0 * 3.0
    assert dc.grad(left, argnums=(0, 1))(2.0, 3.0) == (2 * 2.0 * 9.0, 2 * 4.0 * 3.0)
    assert right(2.0, 5.0, 3.0) == 13.0**2
    assert dc.grad(right, argnums=(0, 1, 2))(2.0, 5.0, 3.0) == (130.0, 52.0, 26.0)


@pytest.mark.parametrize("mode", ["delta", "dependent", "simple", "forward"])
def test_figure_7_of_long_has_the_rule_of_case_in_the_mode_of_the_paper_too(mode: Any) -> None:
    def either(x: Any, y: Any) -> Any:
        s = dc.cond(x < y, lambda: dc.inl(x * y), lambda: dc.inr((x, y)))
        return dc.case(s, np.sin, lambda p, q: p * q * q)

    gradient = dc.grad(fun(either, Real, Real), argnums=(0, 1), mode=mode)
    assert gradient(2.0, 1.0) == pytest.approx((1.0, 4.0))
    assert gradient(1.0, 2.0) == pytest.approx((2 * np.cos(2.0), np.cos(2.0)))


def test_a_recursion_runs_in_forward_mode_and_twice() -> None:
    power = dc.rec(
        lambda self, x, n: dc.cond(n == 0, lambda: 1.0, lambda: x * self(x, n - 1)), Real, Int
    )
    assert dc.jvp(power, (2.0, 5), (1.0, None)) == (32.0, 80.0)
    assert dc.grad(lambda x: dc.grad(power)(x, 5))(2.0) == 160.0
