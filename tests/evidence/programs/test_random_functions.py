"""Random programs of functions that are chosen, made by loops, captured and differentiated inside.

Their first and second derivatives agree in every mode, and with differences.
"""

import random

import numpy as np
import pytest

import diffcurry as dc
from diffcurry import Real, cond, fold, fun


def program(seed):
    """A function of one number, of which the decisions are drawn as it is traced."""

    def run(x):
        draw = random.Random(seed)
        functions = [fun(lambda z: np.sin(z) * x, Real), fun(lambda z: z * z + 0.3, Real)]
        values = [x, 0.7]
        for _ in range(draw.randint(2, 6)):
            f, g = draw.choice(functions), draw.choice(functions)
            a, b = draw.choice(values), draw.choice(values)
            step(draw, functions, values, f, g, a, b)
        return values[-1] + sum(f(x) for f in functions[-2:])

    return run


def step(draw, functions, values, f, g, a, b):
    def row(h, w):
        return fun(lambda z: np.tanh(h(z)) * w + a, Real)

    def returned():
        value, pullback = dc.vjp(lambda c: fun(lambda z: f(z) * c, Real), a)
        return np.tanh(value(0.3) + pullback([(0.2, 1.0)])[0])

    threshold, kind = draw.uniform(-1, 1), draw.randrange(9)
    made = [
        lambda: fun(lambda z: f(z) * a * 0.5, Real),
        lambda: fun(lambda z: f(np.tanh(g(z))), Real),
        lambda: cond(a > threshold, lambda: f, lambda: g),
        lambda: fold(row, f, np.array([0.4, -0.6])),
    ]
    computed = [
        lambda: np.tanh(f(a)),
        lambda: dc.grad(f)(np.tanh(a)),
        lambda: dc.jvp(f, (np.tanh(a),), (b,))[1],
        lambda: np.tanh(dc.vjp(lambda h, y: h(y) * y, f, np.tanh(a))[1](1.0)[1]),
        returned,
    ]
    if kind < len(made):
        functions.append(made[kind]())
    else:
        values.append(computed[kind - len(made)]())


@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(n, marks=pytest.mark.slow) for n in range(3, 40))]
)
def test_derivatives_of_functions_agree_in_every_mode(seed):
    f, at, h = program(seed), random.Random(seed).uniform(0.2, 1.2), 1e-5
    compiled, gradient = fun(f, Real), dc.grad(f)
    first = [dc.grad(f, mode=mode)(at) for mode in ("dependent", "simple", "forward")]
    first += [dc.jvp(f, (at,), (1.0,))[1], dc.vjp(f, at)[1](1.0)[0]]
    assert np.allclose(first, first[0], rtol=1e-9, atol=1e-9)
    slope = (compiled(at + h) - compiled(at - h)) / (2 * h)
    assert np.isclose(first[0], slope, rtol=1e-4, atol=1e-5)
    second = [dc.grad(gradient)(at), dc.hessian(f)(at), dc.hvp(f, (at,), (1.0,))]
    assert np.allclose(second, second[0], rtol=1e-8, atol=1e-8)
    curvature = (gradient(at + h) - gradient(at - h)) / (2 * h)
    assert np.isclose(second[0], curvature, rtol=1e-3, atol=1e-4)
