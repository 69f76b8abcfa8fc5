"""Every form of the language as machine code gives what emitted Python gives."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import diffcurry as dc
from combinators.errors import MissingRule
from interpreters.backends.llvm.native_program import NativeProgram
from tests.interpreters.backends.llvm.comparing import Bare, agrees, not_called, same
from tests.interpreters.backends.programs import drawn

ALL = (0, 1, 2)
TANGENTS = (0.5, -1.0, np.array([0.25, -0.5, 2.0]))


def squares(function):
    """The sum of the squares of a gradient: its gradient is a second derivative."""
    return lambda *xs: sum(np.sum(g * g) for g in dc.grad(function, argnums=ALL)(*xs))


WAYS = {
    "value": dc.fun,
    "gradient": lambda function: dc.value_and_grad(function, argnums=ALL),
    "jvp": lambda function: lambda *xs: dc.jvp(function, xs, TANGENTS),
    "second derivative": lambda function: dc.grad(squares(function), argnums=ALL),
}


def holds(data, way):
    """A random program in a way, guarded and at its entry; one without code says what it lacks."""
    function, point = drawn(data)
    point = tuple(x if x.shape else x.item() for x in point)
    whole = dc.fun(WAYS[way](function)).program(*point)
    lam = whole._compiled
    try:
        guarded, native = Bare(lam), NativeProgram(lam, not_called)
    except MissingRule as error:
        event(f"no code: {error.args[0]:.70}")
        return
    true = whole.compiled("f").function(*point)
    same(guarded(*point), true, rtol=1e-8)
    same(native.function(*point), true, rtol=1e-8)


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=4, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_random_programs_of_all_forms(way, data):
    holds(data, way)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=400, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_many_random_programs_of_all_forms(way, data):
    holds(data, way)


# ---- sums


@dataclass
class Disc:
    radius: float


@dataclass
class Box:
    width: float
    height: float


Shape = Disc | Box


@dc.fun
def area(shape: Shape):
    return dc.case(shape, lambda disc: 3.0 * disc.radius**2, lambda box: box.width * box.height)


@dc.fun
def turned(shape: Shape, t) -> Shape:
    """A box of a disc, and a box with one more t, or a disc."""

    def of_box(box):
        return dc.cond(t > 1, lambda: Disc(box.width), lambda: Box(box.width * t, box.height))

    return dc.case(shape, lambda disc: Box(disc.radius, t), of_box)


def through(function, *args):
    """The machine code of a function at the values that its door gives."""
    whole = dc.fun(function).program(*args)
    border = whole._quick.border
    return border.entry(NativeProgram(whole._compiled, not_called).function)(args)


@pytest.mark.parametrize("shape", [Disc(2.0), Box(2.0, 3.0)])
def test_a_value_of_a_sum_is_taken_and_given(shape):
    for function in (area, dc.grad(area), dc.value_and_grad(area)):
        assert through(function, shape) == function(shape)
    assert through(turned, shape, 0.5) == turned(shape, 0.5)


def test_the_tangent_of_a_sum_may_be_zero():
    along = dc.fun(lambda t: t, dc.grad(area).program(Disc(2.0)).cod)
    assert through(along, None) is None
    assert through(along, Disc(3.0)) == Disc(3.0)


@pytest.mark.parametrize("shape", [Disc(2.0), Box(2.0, 3.0)])
def test_a_sum_is_carried_from_round_to_round(shape):
    def whole(s: Shape, ts):
        last, areas = dc.scan(lambda s, t: (turned(s, t), area(s)), s, ts)
        return np.sum(np.sin(areas)) + area(last)

    ts = np.array([0.5, 1.5, 0.25, 2.0, 0.75])
    value, grads = dc.value_and_grad(whole, argnums=(0, 1))(shape, ts)
    found, native = through(dc.value_and_grad(whole, argnums=(0, 1)), shape, ts)
    assert found == pytest.approx(value, rel=1e-14)
    assert native[0] == grads[0]
    np.testing.assert_allclose(native[1], grads[1], rtol=1e-14)


def test_rows_of_functions_of_several_codes():
    def whole(x, ts):
        def chosen(t):
            times, plus = dc.fun(lambda y: y * t, dc.Real), dc.fun(lambda y: y + x, dc.Real)
            return dc.cond(t > 1, lambda: times, lambda: plus)

        fs = dc.map(chosen, ts)
        return dc.fold(lambda c, f: f(c), x, fs)

    agrees(dc.value_and_grad(whole, argnums=(0, 1)), 0.5, np.array([0.5, 1.5, 0.25]))


# ---- checks

WHOLE = np.arange(1, 7)
MAY_FAIL = {
    "an index": (lambda a, i: a[i] * 2, (WHOLE, 5), (WHOLE, 6)),
    "indices": (lambda a, i: np.sum(a[i]), (WHOLE, WHOLE - 1), (WHOLE, WHOLE)),
    "an index in a round": (
        lambda a, i: dc.fold(lambda c, j: c + a[j], 0, i),
        (WHOLE, WHOLE - 1),
        (WHOLE, WHOLE),
    ),
    "an index in a branch": (
        lambda a, i: dc.cond(i > 2, lambda: a[i], lambda: a[0]),
        (WHOLE, -3),
        (WHOLE, 6),
    ),
    "a divisor": (lambda a, n: a // n, (WHOLE, 2), (WHOLE, 0)),
    "an exponent": (lambda a, n: a**n, (WHOLE, 3), (WHOLE, -1)),
    "a product": (lambda a, n: np.prod(a) * n, (WHOLE, 2), (WHOLE, 2**60)),
    "a sum": (lambda a, n: np.cumsum(a * n), (WHOLE, 2**50), (WHOLE, 2**60)),
    "a matrix": (lambda a, n: (a[None] @ (a[:, None] * n))[0, 0], (WHOLE, 9), (WHOLE, 2**58)),
    "what becomes an integer": (
        lambda a, x: (a * x).astype("int64"),
        (WHOLE, 0.5),
        (WHOLE, np.nan),
    ),
}


@pytest.mark.parametrize("name", MAY_FAIL)
def test_a_check_that_may_fail_is_left_to_python(name):
    function, fine, wrong = MAY_FAIL[name]
    checked = dc.fun(function, checked=True)
    whole = checked.program(*fine)
    native = NativeProgram(whole._compiled, lambda *args: args)
    same(native.function(*fine), checked(*fine))
    assert native.function(*wrong) == wrong
    with pytest.raises(Exception, match=" ") as python:
        checked(*wrong)
    with dc.backend("llvm"):
        again = dc.fun(function, checked=True)
        same(again(*fine), checked(*fine))
        with pytest.raises(type(python.value), match=" ") as error:
            again(*wrong)
    assert str(error.value) == str(python.value)


def test_the_position_of_an_extreme_is_the_first_of_equals_and_of_nans():
    def whole(a):
        return np.argmax(a), np.argmin(a, axis=0), np.argmax(a, axis=1, keepdims=True)

    a = np.array([[1.0, 3.0, 3.0], [-0.0, 0.0, 2.0], [1.0, 5.0, 5.0]])
    for array in (a, -a, a.round().astype("int64"), np.ones((4, 2))):
        agrees(whole, array)
    a[1, 1] = a[2, 2] = np.nan
    agrees(whole, a)


# ---- functions that call themselves where they end


def root(a, x0):
    """Newton's method, until two steps agree."""
    return dc.until(lambda x: abs(x * x - a) < 1e-12, lambda x: (x + a / x) / 2, x0, most=60)


@dc.rec
def divisor(a, b):
    return dc.cond(b == 0, lambda: a, lambda: divisor(b, a % b))


@dc.rec
def wandered(n, x):
    def on():
        below = lambda: dc.cond(x < -1, lambda: x * 10, lambda: wandered(n - 1, x + 0.7))
        return dc.cond(x > 3, lambda: wandered(n - 1, x - 1.0), below)

    return dc.cond(n == 0, lambda: x, on)


def leading(a, x):
    """Power iteration, whose vector is carried until it stands."""

    def step(state):
        y = a @ state[0]
        y = y / np.sqrt(np.sum(y * y))
        return y, np.sum((y - state[0]) ** 2)

    return dc.while_loop(lambda state: state[1] > 1e-20, step, (x, 1.0))[0]


def held(function, *args):
    """The machine code of the program that a function is when it is simplified."""
    whole = dc.fun(function).program(*args)
    lam, true = whole._compiled, whole.compiled("f").function(*args)
    same(Bare(lam)(*args), true)
    same(NativeProgram(lam, not_called).function(*args), true)


def test_a_function_that_calls_itself_where_it_ends_is_a_loop():
    held(root, 2.0, 1.0)
    held(divisor, 48, 18)
    held(wandered, 10**6, 0.1)
    held(leading, np.array([[3.0, 1.0], [1.0, 2.0]]), np.array([1.0, 0.3]))
    held(lambda a, x: dc.jvp(root, (a, x), (1.0, 0.5)), 2.0, 1.0)
    held(lambda n, x: dc.jvp(lambda x: wandered(n, x), (x,), (1.0,)), 1000, 0.1)
    held(lambda n, xs: dc.map(lambda x: wandered(n, x), xs), 9, np.array([0.1, 2.0, -4.0]))


def test_rounds_that_are_too_many_are_left_to_python():
    lam = dc.fun(root).program(2.0, 1.0)._compiled
    assert NativeProgram(lam, lambda *args: args).function(-2.0, 1.0) == (-2.0, 1.0)


def test_what_a_branch_or_a_round_gives_is_read_behind_what_it_writes():
    def rows(x, v):
        return dc.scan(lambda c, t: (c + t + x * c * t, c), 0.0, v)[1]

    def whole(x, v):
        given = dc.cond(x > 0, lambda: np.tanh(rows(x, v)[1]), lambda: 1.0)
        return dc.fold(lambda c, t: rows(c * t, v)[2] * t, given, v)

    held(whole, 0.5, np.array([1.341, 0.132, 0.211]))
    held(dc.grad(whole, argnums=(0, 1)), 0.5, np.array([1.341, 0.132, 0.211]))


def triangle(n, t):
    """``Σ t · i``, which is computed on the way back."""
    total = dc.rec(lambda self, i: dc.cond(i == 0, lambda: 0.0, lambda: t * i + self(i - 1)))
    return total(n)


@dc.rec
def even(n):
    return dc.cond(n == 0, lambda: True, lambda: odd(n - 1))


@dc.rec
def odd(n):
    return dc.cond(n == 0, lambda: False, lambda: even(n - 1))


@dc.rec
def fibonacci(n):
    return dc.cond(n < 2, lambda: n, lambda: fibonacci(n - 1) + fibonacci(n - 2))


def filtered(a, v, n):
    """Arrays are given and come back on the stack."""

    def step(self, state):
        again = lambda: np.tanh(a @ self((state[0] * 0.5, state[1] - 1))) + state[0]
        return dc.cond(state[1] == 0, lambda: state[0], again)

    return dc.rec(step)((v, n))


def test_a_function_that_calls_itself_elsewhere_is_a_function_of_the_module():
    a, v = np.array([[0.3, 1.0], [1.0, 0.2]]), np.array([1.0, 2.0])
    held(triangle, 10, 0.5)
    held(lambda n, t: dc.jvp(lambda t: triangle(n, t), (t,), (1.0,)), 10, 0.5)
    held(even, 101)
    held(fibonacci, 15)
    held(filtered, a, v, 7)
    held(lambda a, v, n: dc.jvp(lambda a: filtered(a, v, n), (a,), (a,)), a, v, 7)
    held(lambda n, ts: dc.map(lambda t: triangle(n, t), ts), 5, np.array([0.5, 1.0]))
