"""Arguments go to the compiled function after a comparison each, containers part by part."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import diffcurry as dc
from diffcurry.border import NotThese


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
    from combinators.tracing.faces import take_apart

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
