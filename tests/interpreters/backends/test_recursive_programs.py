"""Programs with sums, recursion and recursive data as Python: right, deep, and interrupted."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import diffcurry as dc
from combinators.objects import Bool, Product, Real, Sum, Tagged, Tensor
from combinators.terms import App, Cond, Lam, Let, Tuple, Var, const
from combinators.type_folds import tangent_of
from interpreters.backends.python import compile_program
from interpreters.backends.python.python_helpers import HELPERS
from tests.interpreters.backends.terms_of_recursion import (
    NUMBERS,
    applied,
    cells,
    climbing,
    composed,
    depth,
    function,
    halvings,
    powers,
    squares,
    summed,
)

MILLION = 1_000_000


def without_helpers(program):
    """The text of the entry."""
    return program.source.rpartition("\n\n\n")[2]


def test_a_recursive_function_is_a_function_that_calls_itself():
    program = compile_program(powers())
    assert without_helpers(program) == textwrap.dedent("""\
        @_deep_calls("powers")
        def f(a, x):
            def powers(x):
                ax = a * x
                if x < 1.0:
                    return ax
                t = powers(x / 2.0)
                return ax * t

            return powers(x)
        """)
    assert program.function(1.3, 7.0) == pytest.approx(1.3**4 * 7 * 3.5 * 1.75 * 0.875)


def test_a_case_looks_at_the_tag_of_a_tuple():
    program = compile_program(squares())
    assert "if xs[0] == 0:\n            return 0.0\n        cell = xs[1]" in program.source
    assert program.function(cells([1.0, 2.0, 3.0])) == 14.0


def test_a_call_that_ends_a_function_is_a_loop():
    program = compile_program(halvings())
    assert without_helpers(program) == textwrap.dedent("""\
        def f(x):
            n, x1 = 0, x
            while not x1 < 1.0:
                n, x1 = _int64(n + 1), x1 / 2.0
            return n
        """)
    assert program.function(1000.0) == 10


def test_a_function_that_is_a_loop_may_be_given_on():
    count = halvings().body.function
    g, x = function("g", count.type.dom, count.type.cod), Var("x", Real)
    twice = Tuple((App(g, Tuple((const(0), x))), App(g, Tuple((const(5), x)))))
    program = compile_program(Lam((x,), Let(((g, count),), twice)))
    assert program.function(1000.0) == (10, 15)
    assert without_helpers(program) == textwrap.dedent("""\
        def f(x):
            def count(n, x):
                while True:
                    if x < 1.0:
                        return n
                    n, x = _int64(n + 1), x / 2.0

            t = count(0, x)
            t1 = count(5, x)
            return t, t1
        """)


def test_a_loop_may_end_in_several_places():
    program = compile_program(climbing())
    assert [program.function(x) for x in (1.0, -1.0, 10.0)] == [16.0, 0.0, 10.0]
    assert (
        "        while True:\n            if x > 9.0:\n                return x\n" in program.source
    )


def test_a_million_calls_are_no_depth_and_leave_no_limit():
    before = sys.getrecursionlimit(), gc.get_threshold()
    assert compile_program(depth()).function(MILLION) == MILLION
    assert compile_program(summed()).function(MILLION) == MILLION * (MILLION + 1) // 2
    assert (sys.getrecursionlimit(), gc.get_threshold()) == before


def test_functions_made_in_a_loop_know_their_own_round():
    assert compile_program(composed()).function(3, 0.5) == 6.5


def test_a_function_that_a_program_gives_may_call_as_deep():
    whole = composed()
    program = compile_program(Lam(whole.params[:1], whole.body.function))
    given, before = program.function(50_000), sys.getrecursionlimit()
    assert given(0.5) == 50_000 * 50_001 / 2 + 0.5
    assert sys.getrecursionlimit() == before


@pytest.mark.slow
def test_a_million_functions_made_in_a_loop_call_each_other():
    f = compile_program(composed()).function
    assert f(MILLION, 0.0) == MILLION * (MILLION + 1) / 2


def test_a_long_list_is_run_over():
    items = [float(item) for item in range(100_000)]
    assert compile_program(squares()).function(cells(items)) == sum(x * x for x in items)


def test_the_limit_is_restored_when_a_program_fails_and_while_others_run():
    before, f = sys.getrecursionlimit(), compile_program(depth()).function
    with pytest.raises(TypeError):
        f("n")
    assert sys.getrecursionlimit() == before
    found = []
    threads = [
        threading.Thread(target=lambda n=n: found.append(f(n) == n)) for n in range(40_000, 40_020)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found)
    assert len(found) == len(threads)
    assert sys.getrecursionlimit() == before


def test_what_does_not_end_names_itself():
    text = compile_program(depth()).source.replace("most=20_000_000", "most=5_000")
    space = {}
    exec(text, space)
    with pytest.raises(RecursionError, match="down calls itself 5000 times deep"):
        space["f"](MILLION)


def test_a_function_that_calls_itself_without_end_is_named_at_the_users_line(monkeypatch):
    shallow = HELPERS["_deep_calls"].replace("20_000_000", "5_000")
    monkeypatch.setitem(HELPERS, "_deep_calls", shallow)
    down = dc.rec(lambda self, n: dc.cond(n <= 0, lambda: 0, lambda: 1 + self(n - 1)))
    assert down(10) == 10
    for deep in (down, dc.fun(lambda n: down(n) + 1)):
        with pytest.raises(dc.TooDeep, match=r"test_recursive_programs.py:\d+: .* 5000 times deep"):
            deep(10_000)


ENDLESS = """
import signal
import sys
import numpy as np
from combinators.morphisms import interpret
from combinators.translate import translate
from interpreters.backends.python import compile_program
from interpreters.carriers.numpy import NumPy
from interpreters.modes.primal import Primal
from tests.interpreters.backends import terms_of_recursion as terms

lam, mode = terms.{program}(), Primal(NumPy())
arrow = interpret(translate(lam.params, lam.body), mode)
f = compile_program(lam).function if {written} else lambda n: mode.value(arrow, (np.int64(n),))
signal.signal(signal.SIGINT, signal.default_int_handler)  # who starts the tests may ignore it
print("go", flush=True)
try:
    f(10**15)
except KeyboardInterrupt:
    print(sys.getrecursionlimit(), f(3), flush=True)
"""


@pytest.mark.parametrize(
    ("program", "written", "found"),
    [("summed", True, 6), ("depth", True, 3), ("summed", False, 6), ("depth", False, 3)],
)
def test_an_interrupt_ends_it_at_once_and_leaves_nothing(program, written, found):
    command = [sys.executable, "-c", ENDLESS.format(program=program, written=written)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ)) as run:
        assert run.stdout.readline() == "go\n"
        time.sleep(0.2)
        run.send_signal(signal.SIGINT)
        try:
            said, _ = run.communicate(timeout=60)
        finally:
            run.kill()
    assert said.split()[0] == "1000"
    assert float(said.split()[1]) == found


EITHER = Sum(number=Real, pair=Product(Real, Tensor((2,))))


def test_a_sum_is_a_tuple_of_a_tag_and_a_value():
    b, x = Var("b", Bool), Var("x", Real)
    number = applied("inject", x, of=EITHER, index=0)
    pair = Tuple((applied("sin", x), const([1.0, 2.0])))
    lam = Lam((b, x), Cond(b, number, applied("inject", pair, of=EITHER, index=1)))
    f = compile_program(lam).function
    assert f(True, 2.0) == (0, 2.0)
    tag, (y, array) = f(False, 2.0)
    assert (tag, y, array.tolist()) == (1, np.sin(2.0), [1.0, 2.0])
    array[0] = 5.0
    assert f(False, 2.0)[1][1].tolist() == [1.0, 2.0]


def test_the_zero_of_a_sum_is_none_and_adds_nothing():
    tangent = tangent_of(EITHER)
    assert isinstance(tangent, Tagged)
    g, h = Var("g", tangent), Var("h", tangent)
    f = compile_program(Lam((g, h), applied("plus", g, h))).function
    one = (1, (2.0, np.array([1.0, 2.0])))
    assert f(None, None) is None
    assert f(one, None)[1][0] == 2.0
    tag, (x, array) = f(one, (1, (3.0, np.array([1.0, 1.0]))))
    assert (tag, x, array.tolist()) == (1, 5.0, [2.0, 3.0])
    with pytest.raises(ValueError, match="two alternatives"):
        f(one, (0, 1.0))
    opened = applied("untag", g, index=1)
    zero = compile_program(Lam((g,), Let(((h, g),), opened))).function(None)
    assert (zero[0], zero[1].tolist()) == (0.0, [0.0, 0.0])


def test_cotangents_of_long_lists_add():
    g, h = Var("g", tangent_of(NUMBERS)), Var("h", tangent_of(NUMBERS))
    f = compile_program(Lam((g, h), applied("plus", g, h))).function
    found, count = f(cells([1.0] * 20_000), cells([2.0] * 20_000)), 0
    while found[0]:
        count += found[1][0] == 3.0
        found = found[1][1]
    assert count == 20_000
