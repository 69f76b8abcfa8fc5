"""Machine code in threads, in forks, in pickles, millions of times; and it can be interrupted."""

import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="LLVM is not installed: pip install 'diffcurry[native]'")

import diffcurry as dc
from interpreters.backends.llvm import machine_code
from interpreters.backends.llvm.machine_code import object_code
from interpreters.backends.llvm.native_program import NativeProgram
from tests.interpreters.backends.llvm.comparing import not_called, same

X = np.linspace(0.1, 2.0, 4_000)


def entry(function, *args):
    return NativeProgram(dc.fun(function).program(*args).lam, not_called).function


def running_sums(x):
    return np.cumsum(np.tanh(np.cumsum(np.sin(x))))


def rounds(count):
    def many(x):
        inner = np.zeros(1_000)
        again = lambda c, _: c * 0.999 + np.sin(c) * x
        return dc.fold(lambda c, _: dc.fold(again, c, inner), 0.5, np.zeros(count))

    return many


def test_threads_that_call_one_program_have_memory_of_their_own():
    points = [X * k for k in (0.5, 1.0, 1.5)]
    for size in (1, 8):  # beyond some size other threads run meanwhile
        tiled = [np.tile(point, size) for point in points]
        program = entry(running_sums, tiled[0])
        expected = [program(point) for point in tiled]

        def called(k, size=size, program=program, tiled=tiled, expected=expected):
            return all(np.array_equal(program(tiled[k]), expected[k]) for _ in range(300 // size))

        switch = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            with ThreadPoolExecutor(3) as pool:
                assert all(pool.map(called, [0, 1, 2, 0, 1, 2]))
        finally:
            sys.setswitchinterval(switch)


def test_other_threads_run_while_a_long_call_does():
    program, ended = entry(rounds(2_000), 0.3), threading.Event()

    def call():
        program(0.3)
        program(0.3)
        ended.set()

    thread = threading.Thread(target=call)
    thread.start()
    naps = 0
    while not ended.is_set():
        time.sleep(0.001)
        naps += 1
    thread.join()
    assert naps > 5


def test_a_long_loop_is_interrupted_and_leaves_everything_as_it_was():
    program = entry(rounds(10_000_000), 0.3)
    short = entry(rounds(10), 0.3)
    before = short(0.3)
    for _ in range(2):
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        began = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            program(0.3)
        assert time.perf_counter() - began < 30.0  # it would run for minutes
    assert short(0.3) == before


def test_a_loop_without_end_lets_other_threads_run_and_is_interrupted():
    program = entry(lambda x: dc.while_loop(lambda c: c > -1.0, lambda c: np.sin(c) + 0.5, x), 0.3)
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        program(0.3)


def test_a_handler_of_signals_may_call_the_program_that_it_interrupts():
    def whole(x, n):
        sums = dc.fold(lambda c, _: np.cumsum(np.sin(c)), x, n)
        return np.sum(sums)

    n = np.zeros(2_000)
    program, point = entry(whole, X, n), X * 0.5
    expected, other = program(X, n), program(point, n)
    found = []
    handler = signal.signal(signal.SIGALRM, lambda *_: found.append(program(point, n)))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        assert program(X, n) == expected
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    assert found in ([other], [])


def test_a_fork_calls_what_was_compiled_before_it():
    program = entry(running_sums, X)
    expected = program(X)
    child = os.fork()
    if not child:
        fine = np.array_equal(program(X), expected) and entry(np.sin, X) is not None
        os._exit(0 if fine else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert np.array_equal(program(X), expected)


def cubed(x):
    return x * x * np.sum(X * x)


def test_a_function_that_was_compiled_is_pickled_and_compiled_again():
    with dc.backend("llvm"):
        gradient = dc.grad(dc.fun(cubed))
        expected = gradient(2.0)
        again = pickle.loads(pickle.dumps(gradient))
        assert again(2.0) == expected


@pytest.mark.slow
def test_programs_that_are_dropped_leave_no_machine_code(monkeypatch):
    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    native = NativeProgram(dc.fun(cubed).program(2.0).lam, not_called)
    _, code = object_code(native.text)
    monkeypatch.setattr(machine_code, "object_code", lambda _: (False, code))

    def made(count):
        for _ in range(count):
            vars(native).pop("function", None)
            assert native.function(2.0)
        gc.collect()

    made(50)
    before = resident()
    made(500)
    assert resident() - before < 500 * 4_096  # less than a page for each


@pytest.mark.slow
def test_a_million_calls_keep_nothing():
    def several(x, p):
        return x * p[0], (np.sin(p[1]), x)

    program, sums = entry(several, 2.0, (3.0, X[:3])), entry(running_sums, X)
    tracemalloc.start()
    try:
        for _ in range(1_000):
            program(2.0, (3.0, X[:3]))
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(1_000_000):
            program(2.0, (3.0, X[:3]))
        for _ in range(2_000):
            sums(X)
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 10_000
    assert sys.getrefcount(np.dtype("float64")) < 100_000


@pytest.mark.slow
def test_programs_are_left_in_order_when_python_ends():
    script = (
        "import numpy as np, diffcurry as dc\n"
        "with dc.backend('llvm'):\n"
        "    f = dc.grad(lambda x: np.sum(np.sin(x)))\n"
        "    print(f(np.zeros(3)))\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert ran.stdout == b"[1. 1. 1.]\n"
    assert not ran.stderr


def flat(value):
    return [x for part in value for x in flat(part)] if isinstance(value, tuple) else [value]


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (lambda x, n, b: (x * 2.0, (n + 1, np.where(b, x, 1.0) > 2.0, x * X[:3])), (3.0, 4, True)),
        (lambda p: (p[0] * p[1][0], p[1][1] < 3), ((2.0, (np.float64(3.0), 2)),)),
        (lambda a: a[0] * a, (X[:4],)),
    ],
    ids=["numbers", "tuples", "arrays"],
)
def test_what_the_door_takes_and_gives_is_what_it_was(function, args):
    python, native = dc.fun(function), dc.fun(lambda *given: function(*given))
    with dc.backend("llvm"):
        native(*args)
    for _ in range(2):
        same(native(*args), python(*args))
        leaves = zip(flat(native(*args)), flat(python(*args)), strict=True)
        assert all(type(a) is type(b) for a, b in leaves)
    wrong = ("word", *args[1:])
    with pytest.raises(TypeError) as found:
        native(*wrong)
    with pytest.raises(TypeError) as expected:
        python(*wrong)
    assert type(found.value) is type(expected.value)


def test_what_the_door_does_not_take_is_converted():
    gradient = dc.grad(lambda a, x: np.sum(a * a) * x)
    with dc.backend("llvm"):
        expected = gradient(X, 2.0)
    assert np.array_equal(gradient(np.repeat(X, 2)[::2], 2), expected)
    assert np.array_equal(gradient(np.asfortranarray(X), np.float64(2.0)), expected)
    assert np.array_equal(gradient(X.astype(">f8"), 2), expected)
