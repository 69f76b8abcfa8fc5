"""What lies in memory that grows, as machine code: closures, tapes and tangents of recursion."""

import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="LLVM is not installed: pip install 'diffcurry[native]'")

import diffcurry as dc
from interpreters.backends.llvm.growing import FIRST
from interpreters.backends.llvm.native_program import NativeProgram
from tests.interpreters.backends.llvm.comparing import agrees, not_called, same

V = np.linspace(0.1, 0.9, 5)


def squares(function, places):
    """The sum of the squares of a gradient: its gradient is a second derivative."""
    return lambda *xs: sum(np.sum(g * g) for g in dc.grad(function, argnums=places)(*xs))


WAYS = {
    "value": lambda f, places: f,
    "gradient": lambda f, places: dc.value_and_grad(f, argnums=places),
    "jvp": lambda f, places: lambda *xs: dc.jvp(f, xs, xs),
    "second derivative": lambda f, places: dc.grad(squares(f, places), argnums=places),
}


def power(x):
    return dc.rec(lambda self, n: dc.cond(n < 1, lambda: 1.0, lambda: x * self(n - 1)))(5.0)


def tree(x):
    calls = lambda self, x: np.sin(self(x - 1)) + x * self(x - 2)
    return dc.rec(lambda self, x: dc.cond(x < 1, lambda: x * x, lambda: calls(self, x)))(x)


def by_turns(x):
    @dc.rec
    def one(x: float, n: int) -> float:
        return dc.cond(n == 0, lambda: x, lambda: x * other(x + 1, n - 1))

    @dc.rec
    def other(x: float, n: int) -> float:
        again = lambda: np.sin(x) + one(x, n - 1) * one(2 * x, n - 1)
        return dc.cond(n == 0, lambda: x * x, again)

    return one(x, 4)


def newton(a):
    return dc.until(lambda x: abs(x * x - a) < 1e-12, lambda x: (x + a / x) / 2, a, most=60)


def growth(a):
    return dc.while_loop(lambda x: x < 100.0, lambda x: x * a, a)


def growths(x, ts):
    return dc.fold(lambda c, t: growth(1.5 + 0.1 * np.sin(c + t)), x, ts)


def waves(v):
    again = lambda self, n: np.sin(self(n - 1)) * v + n
    return np.sum(dc.rec(lambda self, n: dc.cond(n < 1, lambda: v, lambda: again(self, n)))(4.0))


def products(v):
    again = lambda self, n, u: self(n - 1, u * v) + u
    step = lambda self, n, u: dc.cond(n < 1, lambda: u * v, lambda: again(self, n, u))
    return np.sum(dc.rec(step)(4.0, v))


def weighted(x):
    both = lambda self, n: np.sum(np.array([1.0, 2.0, 3.0])[:2] * self(n - 1) + np.array([0.5, x]))
    return dc.rec(lambda self, n: dc.cond(n < 1, lambda: np.sin(x), lambda: both(self, n)))(4.0)


CASES = {
    "literal arrays": (weighted, 0.3),
    "a power": (power, 2.0),
    "two calls": (tree, 5.0),
    "functions that call one another": (by_turns, 0.3),
    "until": (newton, 3.0),
    "while": (growth, 1.5),
    "while in a fold": (growths, 0.3, V),
    "arrays that are given back": (waves, V),
    "arrays that are given": (products, V),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", CASES)
def test_what_calls_itself_has_machine_code_in_every_way(case, way):
    function, *args = CASES[case]
    agrees(WAYS[way](function, tuple(range(len(args)))), *args, rtol=1e-9)


def test_a_function_that_is_carried_may_capture_the_one_before():
    def whole(x, ts):
        step = lambda c, t: dc.fun(lambda u: c(u) * x + t, dc.Real)
        return dc.fold(step, dc.fun(lambda u: u * u, dc.Real), ts)(x)

    for way in WAYS.values():
        agrees(way(whole, (0, 1)), 0.7, V, rtol=1e-9)


def test_a_function_that_is_given_on_may_capture_the_one_before():
    def whole(x):
        again = lambda self, n, k: self(n - 1, lambda y: k(y) * y + n)
        step = lambda self, n, k: dc.cond(n < 1, lambda: k(x), lambda: again(self, n, k))
        return dc.rec(step)(3.0, lambda y: np.sin(y))

    for way in WAYS.values():
        agrees(way(whole, (0,)), 0.7, rtol=1e-9)


def test_large_arrays_of_calls_are_not_on_the_stack():
    def whole(v):
        again = lambda self, n: np.cumsum(np.sin(self(n - 1)) * v) / 1e5
        rounds = dc.rec(lambda self, n: dc.cond(n < 1, lambda: v, lambda: again(self, n)))
        return np.sum(rounds(5.0))

    v = np.linspace(0.1, 1.0, 300_000)  # megabytes a call
    agrees(whole, v, rtol=1e-9)
    agrees(dc.grad(whole), v, rtol=1e-9)


def test_tangents_of_functions_that_are_chosen_are_of_one_type_or_another():
    def chosen(a, b, x, ts):
        one = lambda y: np.sin(y * a)
        step = lambda f, t: dc.cond(t < 0.5, lambda: dc.fun(lambda y: f(y) * b, dc.Real), lambda: f)
        f = dc.cond(x < 1, lambda: dc.fun(one, dc.Real), lambda: dc.fun(lambda y: y + b, dc.Real))
        return dc.fold(step, f, ts)(x)

    for x in (0.5, 1.5):
        for way in ("value", "gradient", "second derivative"):
            agrees(WAYS[way](chosen, (0, 1, 2, 3)), 0.3, 0.7, x, V, rtol=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_a_pullback_that_is_given_back_runs_forwards_again(case):
    function, *args = CASES[case]
    whole = dc.fun(lambda *xs: dc.vjp(function, *xs)).program(*args)
    value, pull = NativeProgram(whole._compiled, not_called).function(*args)
    true, python = whole.compiled("f").function(*args)
    same(value, true)
    for cotangent in (1.0, -2.0):
        same(pull(cotangent), python(cotangent), rtol=1e-9)


def test_a_check_that_fails_in_calls_gives_the_call_to_python_at_once():
    endless = lambda x: dc.until(lambda y: y < 0, lambda y: y * x + 1, x, most=60)
    slope = NativeProgram(dc.grad(endless).program(2.0)._compiled, lambda *args: "Python")
    began = time.perf_counter()
    assert slope.function(2.0) == "Python"
    assert time.perf_counter() - began < 0.5  # not at the end of a large stack


def test_memory_grows_with_what_is_kept_and_goes_with_the_call():
    fine = dc.rec(lambda self, x: dc.cond(x < 1, lambda: x, lambda: self(x - 1) + x * self(x - 2)))
    native = agrees(dc.grad(fine), 25.0)  # a quarter of a million records
    assert FIRST < 250_000 * 32
    threads = [threading.Thread(target=native.function, args=(24.0,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_calls_without_end_are_interrupted():
    slow = dc.rec(lambda self, x: dc.cond(x < 1, lambda: x, lambda: self(x - 1) + self(x - 2)))
    native = NativeProgram(dc.fun(slow).program(80.0)._compiled, not_called).function
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        native(80.0)


@pytest.mark.slow
def test_a_million_gradients_of_recursion_keep_nothing():
    resident = lambda: int(Path("/proc/self/statm").read_text().split()[1]) * 4096
    native = NativeProgram(dc.grad(dc.fun(tree)).program(5.0)._compiled, not_called).function
    for _ in range(10_000):
        native(5.0)
    before = resident()
    for _ in range(1_000_000):
        native(5.0)
    assert resident() - before < 1 << 20
