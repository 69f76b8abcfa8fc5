"""Both forms differentiate functions that are values; only the simple one runs a body again.

``sin`` stands in each body once, and the derivative of ``sin`` needs none: a count of ``sin``
counts the runs of bodies.
"""

import numpy as np
import pytest

import diffcurry as dc
from diffcurry import Real
from interpreters.carriers.numpy import NumPy
from interpreters.execution.machine import Arrow
from interpreters.modes.reverse import Dependent, Pullback
from tests.evidence.measuring import counted

XS = np.array([0.5, -1.0, 2.0])


def chosen(x, y):
    """Chosen at run time between λs that capture different variables."""
    one = lambda: dc.fun(lambda z: np.sin(z * x), Real)
    two = lambda: dc.fun(lambda z: np.sin(z) * y * x, Real)
    f = dc.cond(x < y, one, two)
    return f(x) + f(y)


def returned(x, y):
    """Returned from a function."""
    make = dc.fun(lambda a: dc.fun(lambda z: np.sin(z * a), Real), Real)
    return make(x)(y) * make(y)(x)


def kept(x, y):
    """Kept in a tuple, which a function takes apart."""
    pair = (dc.fun(lambda z: np.sin(z) * x, Real), dc.fun(lambda z: np.sin(z * y), Real))
    one = dc.Fun(Real, Real)
    both = dc.fun(lambda p: p[0](p[1](x)), dc.Product(one, one))
    return both(pair)


def mapped(x, y):
    """Made by a map, as a vector of functions, and folded over."""
    functions = dc.map(lambda w: dc.fun(lambda z: np.sin(z * w * x), Real), XS * y)
    return dc.fold(lambda c, f: c + f(y), 0.0, functions)


def carried(x, y):
    """The carry of a fold, which grows from step to step."""
    f = dc.fold(
        lambda g, w: dc.fun(lambda z: np.sin(g(z) * w + x), Real), dc.fun(lambda z: z * y, Real), XS
    )
    return f(x)


def known(name, x, y):
    """The same in plain Python, on complex numbers: what the functions above compute."""
    sin = np.sin
    if name == "chosen":
        smaller = np.real(x) < np.real(y)
        f = (lambda z: sin(z * x)) if smaller else (lambda z: sin(z) * y * x)
        return f(x) + f(y)
    if name == "returned":
        return sin(y * x) * sin(x * y)
    if name == "kept":
        return sin(sin(x * y)) * x
    if name == "mapped":
        return sum(sin(y * w * y * x) for w in XS)
    z = x * y
    for w in XS:
        z = sin(z * w + x)
    return z


PROGRAMS = [(chosen, 2), (returned, 2), (kept, 2), (mapped, 3), (carried, 3)]
"""And how often bodies with a sin in them run."""
POINTS = [(0.7, 1.3), (1.3, 0.7)]
each = pytest.mark.parametrize(("f", "runs"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])


@each
@pytest.mark.parametrize("mode", ["dependent", "simple", "forward"])
@pytest.mark.parametrize(("x", "y"), POINTS)
def test_it_is_differentiated(f, runs, mode, x, y):
    value, gradient = dc.value_and_grad(f, argnums=(0, 1), mode=mode)(x, y)
    name, tiny = f.__name__, 1e-30j
    np.testing.assert_allclose(value, known(name, x, y), rtol=1e-14)
    steps = known(name, x + tiny, y).imag, known(name, x, y + tiny).imag
    np.testing.assert_allclose(gradient, np.array(steps) / 1e-30, rtol=1e-13)


@each
def test_the_dependent_form_computes_nothing_again(f, runs):
    counts = counted(f, 0.7, 1.3)
    assert counts.program["sin"] == runs
    assert counts.both["sin"] == runs


def watching(base):
    """The mode ``base``, which counts evals, runs of bodies, and the calls of what captures."""

    class Watching(base):
        evals = bodies = recorded = 0

        def eval(self, function):
            def note(_):
                self.evals += 1

            inner = super().eval(function)
            return Arrow(inner.dom, inner.cod, (note, inner))

        def curry(self, captured, function, body, label):
            def note(_):
                self.bodies += 1

            def look(machine):
                if type(machine.stack[-1]) is list and captured.width:
                    self.recorded += sum(g is not None for _, g in machine.stack[-1])

            def leave(machine):
                self.leave(machine, look)

            watched = Arrow(body.dom, body.cod, (note, body))
            curried = super().curry(captured, function, watched, label)
            return Arrow(captured, function, (curried, leave))

    return Watching(NumPy())


def pulled_back(f, mode, *args):
    function = dc.fun(f)
    program = function.program(*args)
    _, pullback = mode.rep(program.arrow(mode), program.lifted(args, mode))
    forwards = mode.bodies
    pullback(np.float64(1.0))
    return forwards


@each
def test_the_dependent_form_runs_no_body_again(f, runs):
    mode = watching(Dependent)
    forwards = pulled_back(f, mode, 0.7, 1.3)
    assert forwards == mode.bodies == mode.evals >= runs
    assert mode.recorded == 0


@each
def test_the_simple_form_runs_a_body_that_captures_again_once_for_each_recorded_call(f, runs):
    mode = watching(Pullback)
    forwards = pulled_back(f, mode, 0.7, 1.3)
    assert min(mode.recorded, forwards) >= runs
    assert mode.bodies == mode.evals + mode.recorded


def test_a_function_that_calls_no_other_is_run_again_once_a_call():
    counts = counted(chosen, 0.7, 1.3, form="simple")
    assert counts.both["sin"] == 2 + 2


def nested(depth):
    """``depth`` λs in one another, each of which captures ``w``, around one sin."""

    def level(n, w, x):
        return np.sin(x * w) if n == 0 else dc.fun(lambda z: level(n - 1, w, z), Real)(x)

    return lambda w, x: level(depth, w, x)


@pytest.mark.parametrize("depth", range(9))
def test_nested_functions_double_the_simple_form_and_cost_the_dependent_one_nothing(depth):
    # Pulling level n back pulls the level below back once in the call itself and once in the run
    # that curry makes: P(n) = 2 P(n - 1) + 1 runs again.
    assert counted(nested(depth), 0.5, 2.0, form="simple").both["sin"] == 2**depth
    assert counted(nested(depth), 0.5, 2.0).both["sin"] == 1


def test_a_call_whose_result_was_forgotten_is_not_run_again():
    first = dc.fun(lambda p: p[0], dc.Product(Real, Real))
    counts = counted(
        lambda w, x: first((w * x, dc.fun(lambda z: np.sin(z * w), Real)(x))),
        2.0,
        3.0,
        form="simple",
    )
    assert counts.both["sin"] == 1
