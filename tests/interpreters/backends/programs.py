"""Functions that every backend writes, each with its arguments."""

import functools
from fractions import Fraction

import numpy as np

import diffcurry as dc
from combinators.objects import Real
from diffcurry import fun
from tests.strategies.meanings import function_of
from tests.strategies.points import arguments, thousandths
from tests.strategies.programs import programs

A = np.arange(12.0).reshape(3, 4)
UNARY = """
negative absolute sign square sqrt cbrt exp expm1 exp2 log log1p log2 log10 sin cos tan arcsin
arccos arctan sinh cosh tanh arcsinh arccosh arctanh floor ceil trunc round reciprocal
""".split()  # noqa: SIM905
BINARY = """
add subtract multiply divide floor_divide remainder power arctan2 hypot logaddexp maximum
minimum less less_equal greater greater_equal equal not_equal
""".split()  # noqa: SIM905
POWERS = np.array(
    [
        (base, power, int(Fraction(base) ** power) if base or power >= 0 else 0)
        for base in range(-3, 4)
        for power in range(-4, 5)
    ]
).T
"""Bases, exponents, and the integer parts of the powers."""
OTHERS = (dc.sigmoid, dc.softplus, dc.relu, dc.erf)
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e308, -1e-310, np.inf, -np.inf, np.nan)


def lam_of(function, *args):
    return fun(function).program(*args).lam


def drawn(data):
    """A random function, and arguments of it."""
    program = data.draw(programs())
    args = data.draw(arguments(program, thousandths))
    return function_of(program), tuple(np.asarray(arg, dtype=float)[()] for arg in args)


def of_arrays():
    yield lambda a: (a[0], a[:, 1], a[1, 2], a[::-1, ::2], a[-1:], a.T, a.reshape(4, 3)), A
    yield lambda a: (a @ a.T, a.T @ a, np.dot(a[0], a[1]), a @ a[0], np.outer(a[0], a[1])), A
    yield lambda a: (np.sum(a), a.sum(0), a.sum((0, 1), keepdims=True), np.max(a, 1)), A
    yield lambda a: (np.prod(a, 0), dc.logsumexp(a), np.mean(a), np.std(a)), A
    yield lambda a: (np.cumsum(a, 1), np.cumprod(a, 1), np.cumprod(a, 0), np.cumprod(a)), A
    yield lambda a: (np.concatenate([a, a], 1), np.stack([a, a + 1]), np.hstack([a[0], 1.0])), A
    yield lambda x: (np.array([1.0, 2.0]) * x, np.ones(3) * x, np.stack([x, 2 * x])), 3.0
    yield lambda a: np.where(a > 2, a, 0.0) * np.clip(a, 1, 5) + np.einsum("ij->j", a), A
    yield lambda a: (dc.sigmoid(a), dc.relu(a - 5), dc.erf(a), dc.softplus(a), 1 / (a + 1)), A


def of_empty_arrays():
    empty = np.zeros((0, 3))
    yield lambda a: (a * 2, a.sum(), a.sum(0), a.T, np.prod(a)), empty
    yield lambda a: dc.fold(lambda c, r: c + r, np.ones(3), a), empty
    yield lambda a: dc.scan(lambda c, r: (c + r, (np.sum(r), c)), np.ones(3), a), empty
    yield lambda a: dc.map(lambda r: np.sum(r) > 0, a), empty


def of_loops():
    yield lambda a: dc.fold(lambda c, r: c * r + 1.0, 1.0, a), A[0]
    yield lambda a: dc.scan(lambda c, r: ((c[1], c[0] + r), c[0] * r), (a[0], a[1]), a), A
    yield lambda a: dc.map(lambda r: dc.map(lambda x: x * r[0], r), a), A
    yield lambda n: dc.fold(lambda c, i: c * 3 + i, 1, np.arange(5)) + n, np.int64(2)
    yield lambda a: dc.fold(lambda c, r: np.sin(c) + r * c, np.ones(4), a), A
    yield lambda a: dc.fold(lambda c, r: (c[1], c[0]), (a[0], a[1]), a), A
    yield lambda a: dc.fold(lambda c, rs: c + rs[0] * rs[1][0], 0.0, (a[0], (a[1], a[2]))), A


def of_element_type(dtype):
    x, y = dtype(3), np.array([1, 2, 250], dtype)
    yield (
        lambda x, y: (x + y, x * x, np.sum(y), np.prod(y), np.cumsum(y), np.cumprod(y), y // x, -x),
        x,
        y,
    )
    yield lambda x, y: (y > x, np.where(y > x, x, y), np.maximum(x, y), np.square(x)), x, y
    yield lambda x, y: (y.astype(np.float64), x.astype(float), y[1], y[::-1], np.sign(x)), x, y
    yield lambda x, y: dc.fold(lambda c, i: c + i, x, y), x, y
    yield lambda x, y: dc.scan(lambda c, i: (c + i, c > i), x, y), x, y
    yield lambda x, y: (np.floor(y), np.round(y), x * 2, y + 1), x, y


def of_long_lines():
    """What does not fit on a line."""
    many = np.linspace(0, 1, 40)

    def wide(*xs):
        return np.concatenate([x * 2 for x in xs]), sum(np.sum(x) for x in xs), xs

    def scalars(x, y):
        z = x
        for i in range(30):
            z = np.maximum(z * y, np.sin(z)) / (1.0 + i) + np.where(x < y, x, y) - -z
        return z, np.floor(z), x != x

    def loops(a):
        return dc.scan(lambda c, r: (c + np.sum(r * many), dc.map(lambda x: x, r)), 0.0, a)

    yield wide, *[np.ones(3)] * 15
    yield scalars, 0.3, 0.4
    yield loops, np.ones((3, 40))
    yield lambda x: np.array([[1.0, np.inf], [3.0, np.nan]]) * x, 2.0


def branching(x, a):
    return dc.cond(x > 0, lambda: (np.log(x), a * 2), lambda: (x * 3.0, a))


def tower(height):
    """A function that is applied 2 ** ``height`` times."""

    def whole(x):
        f = fun(lambda t: np.sin(t) * 2.0, Real)
        for _ in range(height):
            f = fun(functools.partial(lambda g, t: g(g(t)), f), Real)
        return f(x)

    return whole
