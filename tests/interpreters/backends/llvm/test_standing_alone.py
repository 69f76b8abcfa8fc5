"""Programs that leave with their user, as C and as libraries, give what emitted Python gives."""

import contextlib
import ctypes
import importlib
import re
import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import diffcurry as dc
from combinators.errors import MissingRule, WrongMode
from diffcurry import Real, fun
from interpreters.backends.llvm.c.standing_alone import StandingAlone
from tests.interpreters.backends.llvm.comparing import same
from tests.interpreters.backends.llvm.compiling import SANITIZED, STRICT, done, needs_compiler, ran
from tests.interpreters.backends.programs import BINARY, POWERS, SPECIAL, UNARY, drawn

BENCHMARKS = Path(__file__).parents[4] / "benchmarks"
KINDS = ("float64", "float32", "int64", "int32", "bool")
X = np.array([0.3, -1.5, 2.0, 0.7, 1.1])


def agree(calls, room, options=(), rtol=1e-9):
    """All by one executable of C, and each by emitted Python."""
    programs = [(function.program(*args), args) for function, args in calls]
    found = ran([(program._compiled, args) for program, args in programs], room, options)
    for (program, args), value in zip(programs, found, strict=True):
        same(value, program.compiled("f").function(*args), rtol)


def drawn_gradients(count, tries):
    """The values and gradients of random programs, of those that have code."""
    found = []

    @settings(
        max_examples=tries,
        database=None,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def draw(data):
        function, point = drawn(data)
        whole = dc.value_and_grad(function, argnums=(0, 1, 2))
        if len(found) == count:
            return
        with contextlib.suppress(MissingRule):
            assert StandingAlone(whole.program(*point)._compiled, "f").c
            found.append((whole, point))

    draw()
    return found


@needs_compiler
def test_gradients_of_random_programs(tmp_path):
    agree(drawn_gradients(12, 24), tmp_path)


@needs_compiler
@pytest.mark.slow
def test_a_sanitizer_finds_nothing_in_500_random_gradients(tmp_path):
    calls = drawn_gradients(500, 1400)
    assert len(calls) == 500
    agree(calls, tmp_path, SANITIZED)


@needs_compiler
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_every_operation_at_the_numbers_that_are_special(dtype, tmp_path):
    with np.errstate(over="ignore"):
        numbers = np.array(SPECIAL).astype(dtype)
    x, y = (part.reshape(-1) for part in np.meshgrid(numbers, numbers))
    unary = [*(getattr(np, name) for name in UNARY), dc.sigmoid, dc.softplus, dc.erf, np.isnan]
    binary = [getattr(np, name) for name in BINARY]
    calls = [
        (fun(lambda x: tuple(f(x) for f in unary)), (numbers,)),
        (fun(lambda x, y: tuple(f(x, y) for f in binary)), (x, y)),
        (fun(lambda x: tuple(x.astype(to) for to in KINDS)), (np.array([0.4, -7.9, 1e9], dtype),)),
    ]
    with np.errstate(all="ignore"):
        agree(calls, tmp_path, SANITIZED, rtol=1e-14 if dtype == "float64" else 1e-5)


@needs_compiler
@pytest.mark.parametrize("dtype", ["int64", "int32"])
def test_integers_wrap_and_divide_downwards(dtype, tmp_path):
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    numbers = np.array([0, 1, -1, 2, -3, 7, most, least, least + 1], dtype)
    x, y = (part.reshape(-1) for part in np.meshgrid(numbers, numbers))
    words = "add subtract multiply floor_divide remainder maximum minimum less equal"
    binary = [getattr(np, word) for word in words.split()]
    calls = [
        (fun(lambda x, y: tuple(f(x, y) for f in binary)), (x, y)),
        (fun(lambda x: (-x, np.absolute(x), np.sign(x))), (numbers,)),
    ]
    bases, powers, _ = POWERS.astype(dtype)
    calls.append((fun(np.power), (bases, powers)))
    with np.errstate(all="ignore"):
        agree(calls, tmp_path, SANITIZED)


@needs_compiler
def test_arrays_of_every_kind_and_constants_and_names(tmp_path):
    table, truth = np.linspace(0, 1, 20), np.array([True, False, True])
    empty = np.zeros((0, 3))
    calls = [
        (fun(lambda x: np.sum(table * x) + table[3]), (2.0,)),
        (fun(lambda b: (np.logical_not(b), np.where(b, 1.0, 2.0), b)), (truth,)),
        (fun(lambda b, x: (dc.cond(b, lambda: x * 2, lambda: np.sin(x)), b)), (np.True_, 0.5)),
        (fun(lambda e: (np.sum(e), np.cos(e), np.sum(e, 0))), (empty,)),
        (
            fun(lambda double, sin, i, t1, new: double + sin * i - t1 * new),
            (1.0, 2.0, 3.0, 4.0, 5.0),
        ),
        (fun(lambda work_, work, out: (work_ + work, out)), (1.0, 2.0, X)),
        (fun(lambda x, i: x[i] + x[i % 2]), (X, np.array([4, 0, 1]))),
        (dc.grad(lambda x, i: np.sum(x[i] ** 2)), (X, np.array([4, 0, 4, 7]))),
        (dc.grad(lambda p: np.sum(p[0] * p[1][0]) * p[1][1]), ((X, (X, 2.0)),)),
        (fun(lambda x: dc.fold(lambda c, r: (c[1], c[0] * r), (1.0, 2.0), x)), (X,)),
        (dc.grad(lambda x: dc.fold(lambda c, r: np.cos(c) * r, np.ones(3), x)[1]), (X,)),
        (fun(lambda x: dc.fold(lambda c, r: c + r, np.int32(2**31 - 1), x)), (np.int32([1, 2]),)),
        (dc.grad(np.dot, argnums=(0, 1)), (np.arange(500.0), np.ones(500))),
    ]
    agree(calls, tmp_path, SANITIZED)


@needs_compiler
@pytest.mark.slow
def test_gradients_of_the_benchmarks(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    bundle, mixture, lstm, rosenbrock = map(
        importlib.import_module, ("bundle", "mixture", "lstm", "rosenbrock")
    )

    class Words:
        def __getattr__(self, name):
            return getattr(dc, name, None) or getattr(np, name)

    words = Words()
    calls = [
        (dc.grad(partial(bundle.squares, words), argnums=(0, 1, 2)), bundle.data()),
        (dc.grad(partial(mixture.log_posterior, words), argnums=(0, 1, 2)), mixture.data()),
        (dc.grad(lstm.folded), lstm.data()),
        (dc.hessian(partial(rosenbrock.rosenbrock, words)), (X,)),
    ]
    agree(calls, tmp_path, SANITIZED)


def test_it_reads_as_a_person_writes_it():
    def loss(w, xs):
        return np.sum(np.tanh(xs @ w))

    text = fun(loss).source("c", np.ones(3), np.ones((5, 3)))
    assert text[text.index("int loss(const double *restrict") :] == (
        "int loss(const double *restrict w, const double *restrict xs, double *restrict out, "
        "double *restrict work) {\n"
        "    double *w1 = work;\n"
        "    for (int64_t i = 0; i < 5; ++i) {\n"
        "        double s1 = 0.0;\n"
        "        for (int64_t j = 0; j < 3; ++j) {\n"
        "            s1 += xs[i * 3 + j] * w[j];\n"
        "        }\n"
        "        w1[i] = s1;\n"
        "    }\n"
        "    double s2 = 0.0;\n"
        "    for (int64_t i = 0; i < 5; ++i) {\n"
        "        s2 += tanh(w1[i]);\n"
        "    }\n"
        "    *out = s2;\n"
        "    return 0;\n"
        "}\n"
    )
    assert "   double work[LOSS_WORK]" in text
    assert "     const double xs[5][3]  Tensor[5, 3]\n" in text


def slope(x, a):
    return np.sum(np.sin(x * a)) * x


@needs_compiler
def test_a_library_is_called_by_its_header(tmp_path):
    program = dc.value_and_grad(slope, argnums=(0, 1))
    program.compile(tmp_path / "slope.so", 2.0, X)
    library = ctypes.CDLL(str(tmp_path / "slope.so"))
    header = (tmp_path / "slope.h").read_text()
    name = re.search(r"int (\w+)\(double x, const double \*a, double \*out0", header)[1]
    first = ctypes.c_char.in_dll(library, f"{name}_signature")
    assert ctypes.string_at(ctypes.addressof(first)).decode() in header
    outs, work = [np.zeros(1), np.zeros(1), np.zeros(5)], np.zeros(1000)
    places = [ctypes.c_void_p(array.ctypes.data) for array in (X, *outs, work)]
    assert library[name](ctypes.c_double(2.0), *places) == 0
    value, (dx, da) = program(2.0, X)
    for found, true in zip(outs, (value, dx, da), strict=True):
        np.testing.assert_allclose(found, np.reshape(true, -1), rtol=1e-12)
    (tmp_path / "user.c").write_text('#include "slope.h"\nint main(void) { return 0; }\n')
    done(["cc", *STRICT, tmp_path / "user.c", "-o", tmp_path / "user"])


@pytest.mark.skipif(shutil.which("ld") is None, reason="there is no linker here")
def test_a_linker_is_enough(tmp_path, monkeypatch):
    found = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: found(name) if name == "ld" else None)
    fun(lambda x: np.sin(x) * np.exp(x)).compile(tmp_path / "waves.so", X)
    out = np.zeros_like(X)
    library = ctypes.CDLL(str(tmp_path / "waves.so"))
    assert library.f(ctypes.c_void_p(X.ctypes.data), ctypes.c_void_p(out.ctypes.data)) == 0
    np.testing.assert_allclose(out, np.sin(X) * np.exp(X), rtol=1e-12)


def test_without_a_linker_there_is_an_object_file(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    f = fun(lambda x: np.cos(x), Real)
    with pytest.raises(MissingRule, match=r"neither cc, gcc, clang nor ld; f.compile\('.*f.o'\)"):
        f.compile(tmp_path / "f.so")
    f.compile(tmp_path / "f.o")
    assert (tmp_path / "f.o").read_bytes()[:4] == b"\x7fELF"
    assert "int f(double x, double *out);" in (tmp_path / "f.h").read_text()


def test_the_text_for_llvm_is_a_module_that_stands_alone():
    text = fun(lambda x: np.cos(x) + np.arange(0.5, 5)[2], Real).source("llvm")
    assert "define i32 @f(double %p0, ptr %o0)" in text
    assert "external" not in text


def test_what_c_does_not_have_is_said_by_name():
    pair = fun(lambda x: (x, fun(lambda y: x * y, Real)))
    with pytest.raises(MissingRule, match="C takes and gives numbers and arrays, and out1 is of"):
        pair.source("c", 1.0)
    with pytest.raises(WrongMode, match="sources are written in c, jax, llvm, numpy, python"):
        pair.source("fortran", 1.0)
