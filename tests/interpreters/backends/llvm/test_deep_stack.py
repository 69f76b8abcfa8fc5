"""Calls that are a million deep, as machine code: in a thread with a large stack, one at a time."""

import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="LLVM is not installed: pip install 'diffcurry[native]'")

import diffcurry as dc
from interpreters.backends.llvm import deep_stack
from interpreters.backends.llvm.native_program import NativeProgram
from tests.interpreters.backends.llvm.comparing import not_called


def triangle(n, t):
    """``Σ t · i``, which is computed on the way back."""
    return dc.rec(lambda self, i: dc.cond(i == 0, lambda: 0.0, lambda: t * i + self(i - 1)))(n)


def native(function, *args, otherwise=not_called):
    return NativeProgram(dc.fun(function).program(*args)._compiled, otherwise).function


def rounds(x, n):
    step = lambda state: (state[0] + 1e-5 * np.cos(state[0]), state[1] - 1)
    return dc.while_loop(lambda state: state[1] > 0, step, (x, n))[0]


def test_a_million_calls_deep_is_fine():
    program = native(triangle, 3, 0.5)
    for n in (10**6, 300):
        assert program(n, 2.0) == n * (n + 1)
    slope = native(dc.grad(triangle, argnums=1), 3, 0.5)
    assert slope(10**6, 2.0) == 10**6 * (10**6 + 1) / 2


def test_the_gradient_of_a_hundred_thousand_rounds():
    slope = dc.grad(rounds)
    small = native(slope, 0.5, 10)
    x, expected = 0.5, 1.0
    for _ in range(100_000):
        x, expected = x + 1e-5 * np.cos(x), expected * (1 - 1e-5 * np.sin(x))
    np.testing.assert_allclose(small(0.5, 100_000), expected, rtol=1e-9)


def test_what_is_deeper_still_is_left_to_python(monkeypatch):
    program = native(triangle, 3, 0.5, otherwise=lambda *args: "Python")
    monkeypatch.setattr(deep_stack, "SIZE", deep_stack.MARGIN + (1 << 21))
    assert program(10**6, 2.0) == "Python"
    assert program(4_000, 2.0) == 4_000 * 4_001


def test_a_machine_without_large_stacks_has_python(monkeypatch):
    def refused(*_):
        raise ValueError

    program = native(triangle, 3, 0.5, otherwise=lambda *args: "Python")
    monkeypatch.setattr(threading, "stack_size", refused)
    assert program(10**5, 2.0) == "Python"
    monkeypatch.undo()
    assert program(10**5, 2.0) == 10**5 * (10**5 + 1)


def test_one_of_several_threads_has_the_stack_and_the_others_python():
    whole = dc.fun(triangle).program(3, 0.5)
    program = NativeProgram(whole._compiled, whole.compiled("f").function).function
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda n: program(n, 2.0), [20_000] * 12))
    assert found == [20_000 * 20_001] * 12


def test_a_deep_call_is_interrupted():
    deep = dc.rec(lambda self, x: dc.cond(x < 1, lambda: x, lambda: self(x - 1) + self(x - 2)))
    both = lambda x, n: triangle(n, x) + deep(x)
    program = native(both, 3.0, 3)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        program(80.0, 10**5)
    while deep_stack._ONE.locked():
        sys.stdout.flush()
    assert program(2.0, 10**5) == 10**5 * (10**5 + 1) - 1


def test_the_size_of_the_stacks_of_other_threads_is_what_it_was():
    before = threading.stack_size()
    native(triangle, 3, 0.5)(10**5, 2.0)
    assert threading.stack_size() == before
