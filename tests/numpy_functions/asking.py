"""Whether a call is right of traced values: its value, type, gradient and Hessian.

The value is held to NumPy's own, derivatives to central differences, extrapolated once.
"""

import re

import numpy as np

import diffcurry as dc
from tests.numpy_functions.calls import ARGUMENTS, KNOWN

_NAME = re.compile(r"((?:np|sp|dc)(?:\.\w+)+)\(")


def name_of(call):
    """The function that a call asks: the first that stands in it."""
    return _NAME.search(call)[1]


def given(call):
    """The arguments that a call names, by name."""
    return {name: ARGUMENTS[name] for name in re.findall(r"\b\w+\b", call) if name in ARGUMENTS}


def function(call, known=KNOWN):
    """The call as a function of the arguments that it names."""
    return eval(  # noqa: S307
        f"lambda {', '.join(given(call))}: {call}", dict(known)
    )


def parts(value):
    return [p for one in value for p in parts(one)] if isinstance(value, (list, tuple)) else [value]


def weighted(call, known=KNOWN):
    """The sum of the numbers that a call gives, of which no two count alike."""
    f = function(call, known)

    def loss(*xs):
        found = [part for part in parts(f(*xs)) if np.dtype(part.dtype).kind == "f"]
        weights = [np.cos(1.0 + np.arange(part.size)).reshape(part.shape) for part in found]
        return sum((np.sum(p * w) for p, w in zip(found, weights, strict=True)), 0.0)

    return loss


def slope(f, xs, along, step=2.0**-12):
    """How ``f`` changes along a vector, by differences."""

    def difference(h):
        there, back = ([x + s * h * v for x, v in zip(xs, along, strict=True)] for s in (1, -1))
        return (np.asarray(f(*there)) - np.asarray(f(*back))) / (2 * h)

    return (64 * difference(step / 4) - 20 * difference(step / 2) + difference(step)) / 45


def check_value(call):
    xs = list(given(call).values())
    found, expected = (parts(g(*xs)) for g in (dc.fun(function(call)), function(call)))
    assert len(found) == len(expected)
    for ours, theirs in zip(found, map(np.asarray, expected), strict=True):
        assert np.shape(ours) == theirs.shape
        assert np.asarray(ours).dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, 1e-10, 1e-12)


def check_derivatives(call):
    """The gradient in reverse and forwards, and the Hessian along a vector."""
    xs = list(given(call).values())
    random = np.random.default_rng(7)
    along = tuple(random.uniform(-1, 1, size=np.shape(x)) for x in xs)
    loss, every = weighted(call), tuple(range(len(xs)))
    plain = lambda *ys: loss(*ys)
    gradient = dc.grad(loss, argnums=every)
    expected = slope(plain, xs, along)
    found = sum(np.sum(g * v) for g, v in zip(gradient(*xs), along, strict=True))
    np.testing.assert_allclose(found, expected, 1e-6, 1e-7)
    np.testing.assert_allclose(dc.jvp(loss, tuple(xs), along)[1], expected, 1e-6, 1e-7)
    second = dc.jvp(gradient, tuple(xs), along)[1]
    for i, part in enumerate(second):
        change = slope(lambda *ys, i=i: gradient(*ys)[i], xs, along)
        np.testing.assert_allclose(part, change, 1e-5, 1e-6)
