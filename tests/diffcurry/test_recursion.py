"""``rec``, ``while_loop`` and ``until``: what is written with them, and what bad input gets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import diffcurry as dc
from combinators.errors import UnknownCode
from diffcurry import Int, Real, interpretation


@dc.rec
def power(x: float, n: int) -> float:
    return dc.cond(n == 0, lambda: 1.0, lambda: x * power(x, n - 1))


@dc.rec
def even(n: Any) -> Any:
    return dc.cond(n == 0, lambda: True, lambda: odd(n - 1))


@dc.rec
def odd(n: Any) -> Any:
    return dc.cond(n == 0, lambda: False, lambda: even(n - 1))


def root(a: Any, x0: Any) -> Any:
    """Newton's method, until two steps agree."""
    return dc.until(lambda x: abs(x * x - a) < 1e-12, lambda x: (x + a / x) / 2, x0, most=60)


def test_a_recursive_function_calls_itself_by_its_name() -> None:
    assert power(2.0, 10) == 1024.0
    assert dc.grad(power)(2.0, 10) == 10 * 2.0**9


def test_a_recursive_function_may_be_given_itself() -> None:
    squares = dc.rec(lambda self, n: dc.cond(n == 0, lambda: 0, lambda: n * n + self(n - 1)))
    assert squares(10) == 385


def test_its_type_is_found_out_from_the_branch_that_does_not_call_it() -> None:
    halves = dc.rec(lambda self, x: dc.cond(x < 1, lambda: 0, lambda: x + self(x / 2)))
    assert halves(4.0) == 7.0
    assert dc.grad(halves)(4.0) == 1.75


def test_functions_call_one_another_in_a_circle() -> None:
    assert [bool(even(n)) for n in range(4)] == [True, False, True, False]
    assert bool(odd(7))


def test_a_recursive_function_captures_and_is_a_value() -> None:
    def horner(a: Any, x: Any) -> Any:
        value = dc.rec(lambda self, n: dc.cond(n == 0, lambda: a, lambda: a + x * self(n - 1)), Int)
        twice = dc.fun(lambda f: f(2) + f(1), dc.Fun(Int, Real))
        return twice(value)

    assert dc.fun(horner)(3.0, 2.0) == 3 * (1 + 2 + 4) + 3 * (1 + 2)
    assert dc.grad(horner, argnums=(0, 1))(3.0, 2.0) == (10.0, 3 * (1 + 4) + 3)


def test_a_recursive_function_at_a_type_is_its_fix_applied() -> None:
    halved = dc.rec(lambda self, x: dc.cond(x < 1, lambda: x, lambda: x * self(x / 2)))
    assert str(dc.fun(halved, Real)).count("if") == 1
    assert dc.grad(dc.fun(halved, Real))(3.0) == dc.grad(halved)(3.0) == 3 * 3.0**2 / 8


def test_the_gradient_mirrors_items_of_a_list_that_are_not_read() -> None:
    def first(xs: list[float]) -> Any:
        return dc.case(xs, lambda: 0.0, lambda x, rest: x * x)

    assert dc.grad(first)([3.0, 4.0]) == [6.0, 0.0]
    assert dc.grad(first)([]) == []


def test_a_hessian_in_a_number_stands_beside_data_that_do_not_move() -> None:
    def power(xs: list[float], w: float) -> Any:
        return dc.fold(lambda s, x: s * w + x, 1.0, xs)

    assert dc.hessian(power, argnums=1)([1.0, 2.0, 3.0], 2.0) == 6 * 2.0 + 2


def test_a_while_loop_goes_on_as_long_as_its_test_holds() -> None:
    def doubled(x: Any) -> Any:
        return dc.while_loop(lambda c: c < 100.0, lambda c: c * x, 1)

    assert dc.fun(doubled)(3.0) == 243.0
    assert dc.grad(doubled)(3.0) == 5 * 3.0**4


def test_until_gives_the_first_value_of_which_its_test_holds() -> None:
    assert dc.fun(root)(2.0, 1.0) == pytest.approx(np.sqrt(2), abs=1e-12)
    assert dc.grad(root)(2.0, 1.0) == pytest.approx(0.5 / np.sqrt(2), abs=1e-6)
    assert dc.jvp(root, (2.0, 1.0), (1.0, 0.0))[1] == pytest.approx(0.5 / np.sqrt(2), abs=1e-6)


def test_a_loop_carries_containers() -> None:
    def fibonacci(n: Any) -> Any:
        start = {"a": 0, "b": 1, "n": n}
        step = lambda c: {"a": c["b"], "b": c["a"] + c["b"], "n": c["n"] - 1}
        return dc.while_loop(lambda c: c["n"] > 0, step, start)["a"]

    assert dc.fun(fibonacci)(30) == 832040


def test_a_loop_and_a_recursion_are_bounded_by_most() -> None:
    with pytest.raises(dc.TooManyRounds, match="until went round more than 60 times"):
        dc.fun(root)(-1.0, 1.0)
    endless = dc.rec(lambda self, x: dc.cond(x < 0, lambda: x, lambda: self(x + 1)), most=100)
    with pytest.raises(dc.TooManyRounds, match="more than 100 times"):
        endless(0.0)
    assert endless(-1.0) == -1.0
    assert dc.until(lambda x: x >= 3, lambda x: x + 1, 0, most=np.int64(3)) == 3


def test_a_recursive_function_of_unknown_result_asks_for_its_annotation() -> None:
    loop = dc.rec(lambda self, x: self(x + 1.0))
    with pytest.raises(dc.TypeMismatch, match="each branch calls it"):
        loop(1.0)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: dc.while_loop(lambda c: c, lambda c: c, 1.0), "the test of while_loop gives a Bo"),
        (lambda: dc.while_loop(True, lambda c: c, 1.0), "while_loop takes functions"),
        (lambda: dc.until(lambda c: True, lambda c: (c, c), 1.0), "until carries Real"),
        (lambda: dc.rec(lambda self, x: x, most=-1), "most= is a number of rounds"),
    ],
)
def test_bad_input_is_refused(wrong: Any, said: str) -> None:
    with pytest.raises(dc.TypeMismatch, match=said):
        wrong()


def test_functions_in_a_circle_capture_and_are_annotated_where_they_stand() -> None:
    def factors(x: Any, y: Any) -> Any:
        @dc.rec
        def odd(n: int) -> float:
            return dc.cond(n == 0, lambda: y, lambda: y * even(n - 1))

        @dc.rec
        def even(n: int) -> float:
            return dc.cond(n == 0, lambda: 1.0, lambda: x * odd(n - 1))

        return even(4)

    assert dc.grad(factors, argnums=(0, 1))(2.0, 3.0) == (2 * 2.0 * 9.0, 4.0 * 2 * 3.0)


def test_the_derivative_of_a_function_in_its_own_body_says_that_the_order_has_no_end() -> None:
    @dc.rec
    def f(x: float, n: int) -> float:
        return dc.cond(n == 0, lambda: x**4, lambda: x * dc.grad(lambda y: f(y, n - 1))(x))

    for ask in (f, dc.grad(f), dc.grad(f, mode="simple")):
        with pytest.raises(UnknownCode, match=r"f takes the derivative of itself.*let a Python"):
            ask(2.0, 2)

    def known(n: int) -> Any:
        return dc.fun(lambda x: x**4 if n == 0 else x * dc.grad(known(n - 1))(x), Real)

    assert (known(2)(2.0), dc.grad(known(2))(2.0)) == (16 * 2.0**4, 64 * 2.0**3)


def test_the_simple_form_runs_no_call_of_a_recursion_again_inside_another() -> None:
    def collatz(a: Any, x: Any, start: Any) -> Any:
        down = dc.rec(
            lambda self, y, n: dc.cond(
                n <= 1,
                lambda: y,
                lambda: dc.cond(
                    n % 2 == 0, lambda: self(y * a, n // 2), lambda: a + self(y + a, 3 * n + 1)
                ),
            )
        )
        return down(x, start)

    true = dc.grad(collatz, argnums=(0, 1))(1.01, 2.0, 27)  # in 111 rounds
    np.testing.assert_allclose(dc.grad(collatz, (0, 1), mode="simple")(1.01, 2.0, 27), true, 1e-12)


def test_a_recursion_inside_another_that_is_passed_agrees_in_every_mode() -> None:
    def both(a: Any, x: Any) -> Any:
        square = dc.fun(lambda z: a * z * z, Real)

        def outer(self: Any, y: Any, n: Any) -> Any:
            inner = dc.rec(
                lambda self, z, k: dc.cond(
                    k == 0, lambda: square(z) * y, lambda: a + self(z * a, k - 1)
                )
            )
            return dc.cond(
                n == 0, lambda: y, lambda: inner(self(y / 2, n - 1), 2) + self(y * a, n - 1)
            )

        go = dc.rec(outer)
        twice = dc.fun(
            lambda f, v: f(v, 2) + f(v * v, 1), dc.Fun(dc.Product(Real, Int), Real), Real
        )
        return twice(go, x)

    true = dc.grad(both, (0, 1), mode="forward")(1.1, 0.7)
    for mode in ("dependent", "simple"):
        np.testing.assert_allclose(dc.grad(both, (0, 1), mode=mode)(1.1, 0.7), true, 1e-12)


@pytest.mark.parametrize("mode", ["dependent", "simple", "forward"])
def test_a_hundred_thousand_calls_deep_is_compiled_in_every_mode(
    mode: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for word in ("run", "pushing"):
        monkeypatch.delattr(interpretation, word)
    value, slope = dc.value_and_grad(power, mode=mode)(1.0 + 1e-6, 100_000)
    assert (value, slope) == pytest.approx((np.exp(0.1), 1e5 * np.exp(0.1)), rel=2e-6)


@pytest.mark.parametrize("mode", ["dependent", "simple", "forward", "delta"])
def test_what_does_not_end_is_not_computed_for_no_rows(mode: Any) -> None:
    def endless(x: Any) -> Any:
        return dc.while_loop(lambda y: y > 1.0, lambda y: y * 2.0, x)

    def over(shape: tuple[int, ...]) -> Any:
        return dc.fun(lambda x: np.sum(dc.map(lambda row: row + endless(x), np.zeros(shape))), Real)

    assert (over((0,))(2.0), dc.grad(over((0,)), mode=mode)(2.0)) == (0.0, 0.0)
    assert (over((2,))(0.5), dc.grad(over((2,)), mode=mode)(0.5)) == (1.0, 2.0)


def test_a_pullback_reads_the_rows_of_a_loop_under_names_of_their_own() -> None:
    def scanned(x: Any, xs: Any, rows: Any) -> Any:
        def step(c: Any, row: Any) -> Any:
            total = dc.reduce(lambda a, b: a + b + c * a * b, 0.0, np.stack([c, x, x]))
            scaled = dc.fold(
                lambda g, _: dc.fun(lambda z: z * x, Real), dc.fun(dc.identity, Real), xs
            )
            return np.tanh(total), scaled(row)

        return np.sum(dc.scan(step, x, rows)[1])

    at = (0.3, [1.0, 2.0], np.ones(3))
    pulled = dc.vjp(dc.fun(scanned, Real, dc.List(Real), dc.Tensor((3,))), *at)[1](1.0)
    assert pulled[0] == pytest.approx(3.0)
    assert pulled[2] == pytest.approx([0.3] * 3)


def test_what_goes_on_too_long_is_not_run_again_to_say_so() -> None:
    goes_on = dc.fun(lambda a: dc.until(lambda x: x < 0, lambda x: x + a, a, most=1_000_000), Real)
    with pytest.raises(dc.TooManyRounds, match="more than 1000000 times; give it a larger most="):
        goes_on(1.0)


def test_a_derivative_of_recursion_stands_where_only_a_type_is_asked_for() -> None:
    def slope(v: Any) -> Any:
        inner = dc.rec(lambda self, u: dc.cond(u > 1.0, lambda: u * v, lambda: self(u + 1.0)))
        return dc.grad(inner)(v)

    outer = dc.rec(lambda self, v: dc.cond(v > 0.3, lambda: v, lambda: slope(v) * self(v + 0.4)))
    assert outer(0.1) == pytest.approx(0.1 * 0.5)
