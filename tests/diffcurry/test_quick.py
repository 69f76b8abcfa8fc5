"""Arguments go to the compiled function after a comparison each, containers part by part."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import diffcurry as dc
from combinators.tracing.faces import take_apart
from diffcurry.border import NotThese
from tests.house.calls import entered


class Pair(NamedTuple):
    w: Any
    b: Any


@dataclass(frozen=True)
class Frozen:
    w: Any
    b: Any


def entry(function, *args):
    """What ``function`` was compiled to for these arguments."""
    function(*args)
    return lambda *again: function._quick[len(args)](again)


X = np.array([1.0, 2.0])
ARGUMENTS = {
    "float": 2.0,
    "numpy float": np.float64(2.0),
    "array": X,
    "tuple": (2.0, X),
    "list": [2.0, [X, 3.0]],
    "dict": {"b": X, "a": (1.0, 2.0)},
    "named tuple": Pair(2.0, X),
    "dataclass": Frozen(2.0, {"k": X}),
    "nothing": (2.0, None, ()),
}


def total(value):
    return sum(np.sum(leaf * leaf) for leaf in take_apart(value)[1])


@pytest.mark.parametrize("name", ARGUMENTS)
def test_the_second_call_needs_no_conversion(name):
    argument = ARGUMENTS[name]
    gradient = dc.grad(total)
    first = gradient(argument)
    again = entry(gradient, argument)(argument)
    assert type(again) is type(first)
    assert repr(again) == repr(first)


@pytest.mark.parametrize(
    ("given", "other"),
    [
        (2.0, 2),
        (2.0, "2"),
        (X, X.astype(np.float32)),
        (X, np.ones(3)),
        (X, np.ones((1, 2))),
        (np.ones((1, 2)), X),
        (X, [1.0, 2.0]),
        ((1.0, 2.0), [1.0, 2.0]),
        ((1.0, 2.0), (1.0, 2.0, 3.0)),
        ({"a": 1.0}, {"a": 1.0, "b": 2.0}),
        (Pair(1.0, 2.0), (1.0, 2.0)),
        (Frozen(1.0, 2.0), Pair(1.0, 2.0)),
        (3, 2**63),
        (True, 1),
    ],
)
def test_other_arguments_are_refused_before_anything_is_computed(given, other):
    square = dc.fun(total)
    with pytest.raises(NotThese):
        entry(square, given)(other)


def test_a_missing_key_takes_the_slow_way():
    gradient = dc.grad(total)
    gradient({"a": 1.0, "b": 2.0})
    assert gradient({"a": 1.0}) == {"a": 2.0}


def test_a_gradient_wears_the_containers_of_each_call():
    gradient = dc.grad(lambda p: p[0] * p[1])
    assert gradient([2.0, 3.0]) == [3.0, 2.0]
    assert gradient((2.0, 3.0)) == (3.0, 2.0)
    assert gradient([2.0, 3.0]) == [3.0, 2.0]


def written(function):
    """How many derivatives a function has written."""
    return len(function._derived) + sum(map(len, getattr(function, "_directed", {}).values()))


@pytest.mark.parametrize(
    ("make", "args"),
    [
        (dc.grad, (0.7, 1.3)),
        (lambda f: dc.grad(f, (1, 0)), (0.7, np.float64(1.3))),
        (dc.value_and_grad, (0.7, 2)),
        (lambda f: dc.grad(f, mode="delta"), (0.7, 1.3)),
        (lambda f: dc.grad(lambda x, y: (f(x, y), {"x": x}), has_aux=True), (0.7, 1.3)),
        (dc.jvp, (0.7, 1.3, 1.0, None)),
        (lambda f: dc.grad(dc.grad(f), 1), (0.7, 1.3)),
        (lambda f: dc.jvp(dc.grad(f)), (0.7, 1.3, 1.0, 0.5)),
    ],
)
def test_the_first_derivative_of_a_long_program_is_computed_and_the_second_is_written(
    make, args, monkeypatch
):
    monkeypatch.setenv("DIFFCURRY_BACKEND", "python")
    monkeypatch.setattr("diffcurry.derivative.LONG", 0)
    derivative = make(lambda x, y: np.sin(x * y) * x + y * y)
    first = derivative(*args)
    assert not written(derivative)
    second = derivative(*args)
    assert numbers_in(first) == pytest.approx(numbers_in(second), rel=1e-14)
    assert derivative._quick[len(args)]
    assert written(derivative)


def numbers_in(found):
    """The numbers in containers, in order."""
    return [float(leaf) for leaf in take_apart(found)[1]]


def test_a_long_program_in_another_is_written_at_once():
    def long(x):
        for i in range(400):
            x = np.sin(x) * x + 0.001 * i
        return x

    slope = dc.grad(long)
    assert dc.fun(lambda x: slope(x) * 2.0)(0.5) == 2.0 * slope(0.5) == 2.0 * slope(0.5)
    looped = dc.grad(lambda x: dc.fold(lambda c, r: long(c) * r, x, np.ones(3)))
    looped(0.5)
    assert written(looped)


def test_of_a_long_program_only_what_tracing_reads_is_watched():
    factor, seen = 2.0, []
    slope = dc.grad(lambda x: (seen.append(1), sum([x * x] * 1_200) * factor)[1])
    assert [slope(1.0) for _ in range(4)] == [4800.0] * 4
    factor = 3.0
    assert [slope(1.0) for _ in range(3)] == [7200.0] * 3
    assert len(seen) <= 4


def steps(count):
    """A program of so many steps, written out."""

    def f(x):
        for i in range(count):
            x = np.sin(x) * x + 0.001 * (i + 1)
        return x

    return f


def test_a_first_result_costs_so_many_calls_a_line():
    with dc.backend("python"):
        first = {n: entered(lambda n=n: dc.grad(steps(n))(0.5), calls=1) for n in (1, 20, 60)}
    assert first[1] < 2_000
    assert first[60] - first[20] < 40 * 600  # of which eight lines are written, and three are left
