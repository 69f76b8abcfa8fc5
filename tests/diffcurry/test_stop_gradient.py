"""``stop_gradient`` of numbers, functions and containers: constants to every derivative."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import diffcurry as dc
from diffcurry import Fun, Product, Real, fun, stop_gradient

CUBE = fun(lambda x: x * x * x, Real)
MODES = ["dependent", "simple", "forward", "delta"]


def captures(a: Any, x: Any) -> Any:
    """The function that is stopped captures both, and is called on one of them."""
    return stop_gradient(fun(lambda z: a * z * x, Real))(x) * a * x + a


@pytest.mark.parametrize("mode", MODES)
def test_calls_pass_nothing_to_what_the_function_captured_nor_to_what_it_is_called_on(
    mode: Any,
) -> None:
    stopped = 2.0 * 3.0 * 3.0
    assert captures(2.0, 3.0) == stopped * 6.0 + 2.0
    gradient = dc.grad(captures, argnums=(0, 1), mode=mode)(2.0, 3.0)
    assert gradient == (stopped * 3.0 + 1.0, stopped * 2.0)


def test_they_pass_nothing_in_programs_either_to_any_order_and_forwards() -> None:
    program = fun(lambda a, x: dc.grad(captures, argnums=(0, 1))(a, x), Real, Real)
    assert program(2.0, 3.0) == (55.0, 36.0)
    assert dc.jvp(captures, (2.0, 3.0), (1.0, 1.0))[1] == 55.0 + 36.0
    assert dc.hessian(lambda x: captures(x, x))(2.0) == 2.0 * 2.0**3


@pytest.mark.parametrize("mode", ["dependent", "simple"])
def test_a_function_that_is_given_gets_no_cotangent(mode: Any) -> None:
    given = partial(lambda a, z: a * z * z, 3.0)
    pullback = dc.vjp(lambda h, x: stop_gradient(h)(x) * x, given, 2.0, mode=mode)[1]
    cotangent, slope = pullback(1.0)
    assert slope == 12.0
    if mode == "simple":
        assert cotangent.merged() == []
    else:
        assert cotangent["a"] == 0.0


def test_functions_that_give_functions_are_stopped_through_all_their_calls() -> None:
    line = fun(lambda a: fun(lambda b: a * b, Real), Real)
    assert dc.grad(lambda x: stop_gradient(line)(x)(x) + x)(2.0) == 1.0
    apply = fun(lambda h, x: h(x), Fun(Real, Real), Real)
    assert dc.grad(stop_gradient(apply), argnums=1)(CUBE, 2.0) == 0.0


@pytest.mark.parametrize("f", [CUBE, lambda x: x * x * x, fun(lambda x: x**3.0)])
def test_a_function_is_stopped_outside_a_trace_too_and_composed(f: Any) -> None:
    assert stop_gradient(f)(2.0) == 8.0
    assert dc.grad(stop_gradient(f))(2.0) == 0.0
    assert dc.grad(lambda x: (stop_gradient(f) >> np.exp)(x) * x)(1.0) == pytest.approx(np.e)


def test_every_leaf_of_a_container_is_stopped() -> None:
    found = stop_gradient((1.0, [np.ones(2), {"a": True}], None))
    assert found[0] == 1.0
    assert found[1][1] == {"a": True}
    assert dc.grad(lambda x: stop_gradient({"x": [x, CUBE]})["x"][0] * x)(3.0) == 3.0
    assert dc.grad(lambda x: stop_gradient({"x": [x, CUBE]})["x"][1](x) * x)(3.0) == 27.0


def test_a_stopped_step_makes_a_loop_a_constant() -> None:
    steps = np.array([1.0, 2.0])
    assert (
        dc.grad(lambda x: dc.fold(stop_gradient(lambda c, r: c * r * x), x, steps) * x)(2.0) == 16.0
    )


EITHER = dc.Sum(Real, Product(Real, Real))


def chosen(x: Any) -> Any:
    """x², or the pair of x, by its sign, stopped: what it is multiplied by is not."""
    made = dc.cond(x > 0, lambda: dc.inject(EITHER, 0, x * x), lambda: dc.inject(EITHER, 1, (x, x)))
    return dc.case(stop_gradient(made), lambda a: a * x, lambda p: p[0] * p[1] * x)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("x", [2.0, -3.0])
def test_what_an_alternative_holds_is_stopped(mode: Any, x: float) -> None:
    assert dc.grad(chosen, mode=mode)(x) == x * x
    assert dc.jvp(chosen, (x,), (1.0,))[1] == x * x
