"""The gradient of a loop that indexes an array costs O(n): computed, moved, and as emitted."""

import numpy as np
import pytest

import diffcurry as dc
from combinators.morphisms import interpret
from combinators.translate import translate
from interpreters.carriers.numpy import NumPy
from interpreters.cost.counted import Moving
from interpreters.modes.primal import Primal
from interpreters.staging.programs import gradient


def mirrored(a):
    n = len(a)
    return dc.fold(lambda c, i: c + a[i] * a[n - 1 - i], 0.0, np.arange(n))


def neighbours(a):
    n = len(a)
    return dc.fold(lambda c, i: np.sin(c * a[i]) + a[i + 1] * a[i], 0.5, np.arange(n - 1))


def inside(a):
    """The index is in a closure, in a branch, in a map."""
    at = dc.fun(lambda i: dc.cond(i % 2 == 0, lambda: a[i] * a[i], lambda: a[i]), dc.Int)
    return np.sum(dc.map(at, np.arange(len(a))))


LOOPS = [mirrored, neighbours, inside]
every = pytest.mark.parametrize("loop", LOOPS)


def cost(lam, args):
    """Operations, and numbers written."""
    carrier = Moving(NumPy())
    mode = Primal(carrier)
    arrow = interpret(translate(lam.params, lam.body), mode)
    carrier.reset()
    carrier.moved = 0
    mode.value(arrow, args)
    return carrier.total, carrier.moved


@every
@pytest.mark.parametrize("simplified", [False, True])
def test_what_is_computed_and_moved_is_linear(loop, simplified):
    found = []
    for n in (100, 1_000, 10_000) if loop is mirrored and not simplified else (50, 500):
        program = dc.fun(loop).program(np.ones(n))
        lam = dc.grad(loop).program(np.ones(n)).lam if simplified else gradient(program.lam, (0,))
        found.append([number / n for number in cost(lam, (np.linspace(0.5, 1.0, n),))])
    for operations, moved in found:
        assert operations <= 16
        assert moved <= 60
    assert found[-1][1] <= 1.1 * found[0][1]


@every
def test_the_gradient_is_right(loop):
    a = np.linspace(0.5, 1.0, 7)
    found, step = dc.grad(loop)(a), 1e-6
    f = dc.fun(loop)
    units = np.eye(7) * step
    np.testing.assert_allclose(
        found, [(f(a + u) - f(a - u)) / (2 * step) for u in units], rtol=1e-6
    )


class Watched(np.ndarray):
    """An array that counts the elements that are read from it by whole-array operations."""

    touched = 0

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        Watched.touched += self.size
        plain = [np.asarray(x) if isinstance(x, Watched) else x for x in inputs]
        return getattr(ufunc, method)(*plain, **keywords)

    def __array_function__(self, function, types, args, keywords):
        Watched.touched += self.size
        return super().__array_function__(function, types, args, keywords)

    def __getitem__(self, index):
        found = np.asarray(self)[index]
        Watched.touched += np.size(found)
        return found

    def copy(self, *args):
        Watched.touched += self.size
        return np.asarray(self).copy(*args)


def loop_lines(source):
    """The lines of emitted code that stand in a loop."""
    inside = []
    for line in source.splitlines():
        indent = len(line) - len(line.lstrip())
        while inside and line.strip() and indent <= inside[-1]:
            inside.pop()
        if inside:
            yield line.strip()
        if line.lstrip().startswith("for "):
            inside.append(indent)


@every
def test_emitted_code_never_touches_the_whole_array_in_a_loop(loop):
    touched = []
    for n in (100, 1_000):
        code = dc.grad(loop).program(np.ones(n)).compiled("g")
        a = np.linspace(0.5, 1.0, n)
        Watched.touched = 0
        found = code.function(a.view(Watched))
        np.testing.assert_array_equal(found, code.function(a))
        touched.append(Watched.touched / n)
        whole = [line for line in loop_lines(code.source) if f"({n}" in line or "zeros" in line]
        assert not [line for line in whole if "range(" not in line]
        has_loop = any(True for _ in loop_lines(code.source))
        assert has_loop == (loop is neighbours)  # the others are bulk operations by then
    assert max(touched) <= 12


@every
def test_emitted_code_has_as_many_lines_for_long_loops(loop):
    # numbers of as many digits: a longer line may be wrapped
    sources = [dc.grad(loop).program(np.ones(n)).compiled("g").source for n in (2_000, 9_000)]
    assert sources[0].count("\n") == sources[1].count("\n")
    texts = [str(dc.grad(loop).program(np.ones(n))).count("\n") for n in (10, 10_000)]
    assert texts[0] == texts[1]
