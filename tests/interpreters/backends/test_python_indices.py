"""Elements at indices in emitted code: tested only where an index may be outside."""

import math
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import diffcurry as dc
from diffcurry import fun
from interpreters.backends.python import compile_program
from interpreters.backends.python.python_helpers import HELPERS
from tests.interpreters.backends.comparing import agrees

A = np.arange(1.0, 13.0).reshape(3, 4)
INTEGERS = st.integers(-3, 5)


def source(function, *args):
    """The code of the program as it is written, its loops as loops."""
    return compile_program(fun(function).program(*args).lam).source


@given(i=INTEGERS, j=INTEGERS)
def test_numbers_rows_and_columns(i, j):
    i, j = np.int64(i), np.int64(j)
    agrees(lambda a, i, j: (a[i, j], a[i], a[:, j], a[i, None, ::2] * 2), A, i, j)
    agrees(lambda a, i, j: (a > 2)[i, j], A, i, j)
    agrees(lambda a, i, j: a[i, j] * 2, A.astype(np.float32), i, j)
    agrees(lambda a, i, j: a[i, j] * 2, A.astype(int), i, j)
    agrees(dc.grad(lambda a, i, j: a[i, j] * np.sum(a[i] * a[1])), A, i, j)


@given(i=st.lists(INTEGERS, max_size=4), j=INTEGERS, k=st.integers(0, 1))
def test_arrays_of_indices(i, j, k):
    i, j = np.array(i, dtype=np.int64), np.int64(j)
    for x in (A, A.astype(np.float32), A.astype(int), A > 3, A[:0], A[:, :0]):
        agrees(lambda a, i, j: (a[i], a[:, i], a[i, j], a[i, i], a[j, i]), x, i, j)
    agrees(lambda a, i: a[i], A, i.astype(np.int32))
    for x in (A, A.astype(np.float32), A.T):
        agrees(dc.grad(lambda a, i, j: np.sum(a[i] * 2) + np.sum(a[:, i] ** 2)), x, i, j)
        agrees(dc.grad(lambda a, i, j: np.sum(a[i, i] * a[j, i])), x, i, j)


@given(i=st.integers(-9, 9), j=st.integers(-3, 3))
def test_integers_are_divided(i, j):
    for kind in (np.int64, np.int32):
        agrees(lambda i, j: (i // j, i % j, i // 3, i % 3, i // (j * 2)), kind(i), kind(j))
    agrees(lambda i, j: (i // j, i % j), np.array([i, j]), np.array([j, 0]))


def test_the_quotient_that_is_too_large_wraps():
    least = np.int64(-(2**63))
    assert dc.fun(lambda i, j: i // j)(least, np.int64(-1)) == least


def test_an_index_that_cannot_be_outside_is_not_tested():
    def inside(a):
        return dc.build((3, 2), lambda i, j: a[i, j + 1] + a[2 - i, j * 2 // 2] + a[j % 3, i % 4])

    agrees(inside, A)
    text = source(inside, A)
    assert "0 <=" not in text
    assert " < " not in text
    assert "if" not in text


def test_only_the_end_that_is_open_is_tested():
    text = source(lambda a: dc.build(3, lambda i: a[i - 1, i + 2]), A)
    assert re.search(r" if 0 <= \w+ and \w+ < 4 else 0\.0$", text, re.MULTILINE)


def test_arithmetic_on_arrays_of_indices_is_followed():
    table = np.array([[0, 1], [2, 0]])

    def inside(a):
        k = dc.iota(2)
        return (a[table], a[k, table - k + 1], a[:, k[:, None] + table], a[np.where(k > 0, k, 2)])

    agrees(inside, A)
    assert "_take" not in source(inside, A)
    assert "_take" in source(lambda a: a[dc.iota(2) - 1], A)


def test_sums_at_places_are_added_flat():
    i, j = np.array([0, 2, 2, 5]), np.array([1, 1, 1, 0])
    for y in (np.zeros((3, 4)), np.zeros((4, 3)).T):
        space = {"np": np, "math": math}
        names = ("_add_at", "_inside", "_fits")
        exec("\n".join(HELPERS[name] for name in names), space)
        space["_add_at"](y, 0, (i, j), np.arange(1.0, 5.0))
        assert (y[0, 1], y[2, 1], y.sum()) == (1.0, 5.0, 6.0)


def test_the_code_stands_alone_and_is_silent():
    i = np.array([0, 9, -1])
    function = fun(lambda a, i, n: dc.grad(lambda a: np.sum(a[i] ** 2) + a[n, n] / (n // n))(a))
    text = function.source(A, i, np.int64(7))
    script = (
        "import warnings\nwarnings.simplefilter('error')\n"
        f"{text}\nimport numpy as np\n"
        "print(f(np.arange(1.0, 13.0).reshape(3, 4), np.array([0, 9, -1]), 7).tolist())\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", script], capture_output=True, check=True, text=True
    )
    assert done.stderr == ""
    np.testing.assert_array_equal(eval(done.stdout), function(A, i, np.int64(7)))  # noqa: S307


def test_a_checked_program_raises_in_words_of_its_own():
    code = compile_program(fun(lambda a, i: a[i] * 2, checked=True).program(A[0], np.int64(1)).lam)
    assert code.function(A[0], 1) == 4.0
    with pytest.raises(
        IndexError, match=r"test_python_indices\.py:\d+: an index is outside axis 0"
    ):
        code.function(A[0], 4)
    code = compile_program(fun(lambda i: 4 // i, checked=True).program(np.int64(1)).lam)
    with pytest.raises(ZeroDivisionError, match=r"py:\d+: an integer is divided by zero"):
        code.function(0)


def test_a_check_that_cannot_fail_is_not_written():
    text = fun(lambda a: dc.build(3, lambda i: a[i, 3 - i] / (i + 1)), checked=True).source(A)
    assert "_within" not in text


def test_there_is_no_errstate_where_nothing_warns():
    x, places = np.arange(5.0), np.array([0, 3, 1, 2, 1, 4, 4, 0, 3, 2])
    silent = (
        lambda x: x[places],
        lambda x: -np.concatenate([x[1:3], abs(x)]),
        lambda x: dc.fold(lambda c, i: c * 0.5 + i, 0.0, np.arange(1, 9, 2)) + x[2],
    )
    for function in silent:
        assert "errstate" not in agrees(function, x).source
    assert "errstate" in agrees(lambda x: x[places] * x[places], x).source


def test_a_loop_over_integers_that_grow_by_one_step_is_one_over_a_range():
    for rows in (np.arange(3, 30, 2), np.arange(9, 0, -1), np.arange(4) - 2):
        code = agrees(lambda x, rows=rows: dc.fold(lambda c, i: c * x + i, 0.0, rows), 0.5)
        assert "_ARRAY" not in code.source
        assert " in range(" in code.source
