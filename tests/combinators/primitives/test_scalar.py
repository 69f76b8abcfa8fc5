"""Every pointwise function and its pullbacks against mpmath, at random and at special points."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import combinators.primitives as language

EPS = np.finfo(float).eps
TINY, DENORMAL = 1e-300, 5e-324
SMALL = [0.0, DENORMAL, -DENORMAL, TINY, -TINY, 1e-9, -1e-9]
HUGE = [1e10, -1e10, 1e300, -1e300]
EXPONENT = [-800.0, -700.0, -40.0, 40.0, 360.0, 700.0]
ABOVE_0 = [DENORMAL, TINY, 1e-9, 1.0, 1e10, 1e300]


def sigmoid(x):
    return 1 / (1 + mpmath.exp(-x))


def sign(x):
    return mpmath.sign(x)


def logaddexp(x, y):
    return max(x, y) + mpmath.log1p(mpmath.exp(-abs(x - y)))


def clipped(x):
    return max(min(x, mpmath.mpf(2)), mpmath.mpf(-1))


def cbrt(x):
    return sign(x) * mpmath.cbrt(abs(x))


# name: (function of mpmath, lowest and highest of the random points, special points)
UNARY = {
    "negative": (lambda x: -x, -1e9, 1e9, SMALL + HUGE),
    "absolute": (abs, -1e9, 1e9, SMALL[1:] + HUGE),
    "sign": (sign, -1e9, 1e9, SMALL[1:] + HUGE),
    "floor": (mpmath.floor, -1e6, 1e6, [0.5, -0.5, 1e-9, -1e-9]),
    "ceil": (mpmath.ceil, -1e6, 1e6, [0.5, -0.5, 1e-9, -1e-9]),
    "trunc": (lambda x: sign(x) * mpmath.floor(abs(x)), -1e6, 1e6, [0.7, -0.7, 1e-9]),
    "round": (mpmath.nint, -1e6, 1e6, [0.4, -0.4, 1e-9, -1e-9]),
    "square": (lambda x: x * x, -1e9, 1e9, [0.0, TINY, 1e150]),
    "reciprocal": (lambda x: 1 / x, 0.1, 1e9, [1e-9, -1e-9, 1e10, -1e150]),
    "sqrt": (mpmath.sqrt, 0.01, 1e9, ABOVE_0),
    "cbrt": (cbrt, 0.01, 1e9, [*ABOVE_0, -1.0, -DENORMAL, -1e300]),
    "exp": (mpmath.exp, -50.0, 50.0, SMALL + EXPONENT),
    "expm1": (mpmath.expm1, -50.0, 50.0, SMALL + EXPONENT),
    "exp2": (lambda x: mpmath.mpf(2) ** x, -50.0, 50.0, SMALL + EXPONENT),
    "log": (mpmath.log, 0.01, 1e9, ABOVE_0),
    "log1p": (mpmath.log1p, -0.99, 1e9, [*SMALL, 1e10, 1e300, -1 + EPS]),
    "log2": (lambda x: mpmath.log(x, 2), 0.01, 1e9, ABOVE_0),
    "log10": (mpmath.log10, 0.01, 1e9, ABOVE_0),
    "sin": (mpmath.sin, -100.0, 100.0, [*SMALL, 1e10, -1e10]),
    "cos": (mpmath.cos, -100.0, 100.0, [*SMALL, 1e10, -1e10]),
    "tan": (mpmath.tan, -100.0, 100.0, [*SMALL, 1e10, math.pi / 2]),
    "arcsin": (mpmath.asin, -0.99, 0.99, [*SMALL, 1 - EPS, -1 + EPS]),
    "arccos": (mpmath.acos, -0.99, 0.99, [*SMALL, 1 - EPS, -1 + EPS]),
    "arctan": (mpmath.atan, -100.0, 100.0, SMALL + HUGE),
    "sinh": (mpmath.sinh, -50.0, 50.0, [*SMALL, -700.0, 700.0]),
    "cosh": (mpmath.cosh, -50.0, 50.0, [*SMALL, -700.0, 700.0]),
    "tanh": (mpmath.tanh, -50.0, 50.0, SMALL + HUGE + EXPONENT + [20.0, -360.0]),
    "arcsinh": (mpmath.asinh, -100.0, 100.0, SMALL + HUGE),
    "arccosh": (mpmath.acosh, 1.01, 100.0, [1 + EPS, 1e10, 1e300]),
    "arctanh": (mpmath.atanh, -0.99, 0.99, [*SMALL, 1 - EPS, -1 + EPS]),
    "sigmoid": (sigmoid, -50.0, 50.0, SMALL + EXPONENT),
    "softplus": (lambda x: mpmath.log1p(mpmath.exp(x)), -50.0, 50.0, SMALL + EXPONENT),
    "relu": (lambda x: max(x, mpmath.mpf(0)), -9.0, 9.0, SMALL[1:] + HUGE),
    "erf": (mpmath.erf, -6.0, 6.0, [*SMALL, 30.0, -30.0]),
}
BINARY = {
    "add": (lambda x, y: x + y, -1e9, 1e9),
    "subtract": (lambda x, y: x - y, -1e9, 1e9),
    "multiply": (lambda x, y: x * y, -1e9, 1e9),
    "scale": (lambda x, y: x * y, 0.1, 1e9),
    "divide": (lambda x, y: x / y, 0.1, 1e9),
    "unscale": (lambda x, y: x / y, 0.1, 1e9),
    "power": (lambda x, y: x**y, 0.1, 10.0),
    "hypot": (mpmath.hypot, -100.0, 100.0),
    "arctan2": (mpmath.atan2, 0.01, 100.0),
    "logaddexp": (logaddexp, -30.0, 30.0),
    "maximum": (max, -9.0, 9.0),
    "minimum": (min, -9.0, 9.0),
    "remainder": (lambda x, y: x - y * mpmath.floor(x / y), 0.5, 9.0),
    "floor_divide": (lambda x, y: mpmath.floor(x / y), 0.5, 9.0),
}
POINTS = [0.0, DENORMAL, -TINY, 1e-9, -0.5, 1.0, -3.0, 1e10, -1e300]
POSITIVE = [DENORMAL, TINY, 1e-9, 0.5, 1.0 - EPS, 1.0, 1e10, 1e300]
EXPONENTS = [0.0, DENORMAL, TINY, 1e-9, 0.5, 1.0, -1.0, 2.0, -3.0, 300.0, -1e10]
SUMMANDS = [0.0, DENORMAL, -1e-9, 0.5, -40.0, 700.0, -700.0, 1e10, -1e10, 1e10 + 1]
DISTINCT = [(x, y) for x in POINTS for y in POINTS if x != y]
PAIRS = list(itertools.product(POINTS, POINTS))
OVER = [(x, y) for x, y in PAIRS if y]
AROUND = [(x, y) for x, y in PAIRS if x or y]
# Off the cut along the negative abscissae.
OFF_CUT = [(y, x) for y, x in AROUND if y or x > 0]
WHOLE = [
    (7.5, 3.0),
    (-7.5, 3.0),
    (7.5, -3.0),
    (TINY, 1.0),
    (-TINY, 1e10),
    (1e10, 0.7),
    (1.0, 1e300),
]
SPECIAL = {
    **dict.fromkeys(("add", "subtract", "multiply", "scale"), PAIRS),
    **dict.fromkeys(("divide", "unscale"), OVER),
    **dict.fromkeys(("maximum", "minimum"), DISTINCT),
    **dict.fromkeys(("remainder", "floor_divide"), WHOLE),
    "power": list(itertools.product(POSITIVE, EXPONENTS)),
    # A hypotenuse of one denormal has no digits for the slopes to be made of.
    "hypot": [at for at in AROUND if at != (DENORMAL, DENORMAL)],
    "arctan2": OFF_CUT,
    "logaddexp": list(itertools.product(SUMMANDS, SUMMANDS)),
}
CALLS = {}


def call(compiled, name, width=1):
    if name not in CALLS:
        CALLS[name] = compiled(getattr(language, name), *[1.0] * width)
    return CALLS[name]


def close(got, want, slack):
    """Whether ``got`` is ``want``, rounded to a float, up to ``slack`` units in the last place."""
    want = float(want)
    if not math.isfinite(want) or not math.isfinite(got):
        return got == want
    return abs(got - want) <= slack * max(EPS * abs(want), DENORMAL)


def digits(*xs):
    """Enough for a derivative to be exact to 50 digits, however small or large the point is."""
    sizes = [2 * abs(math.log10(abs(x))) + min(abs(x), 1000.0) if x else 0.0 for x in xs]
    return 50 + int(max(sizes))


def amplified(name, x, value):
    """How far a slope moves, relatively, when what it is made of moves by 1."""
    if name == "erf":  # exp(-x²)
        return 2 * x * x
    if name == "tanh":  # 1 - y²
        rest = 1 - value * value
        return 2 * float(value * value / rest) if rest else math.inf
    if name == "sigmoid":  # 1 - y
        return 2 * float(value / (1 - value))
    return 0


def check_unary(compiled, name, x):
    function = UNARY[name][0]
    run = call(compiled, name)
    with mpmath.workdps(digits(x)):
        exact = mpmath.mpf(x)
        value = function(exact)
        slope = mpmath.diff(function, exact, relative=bool(x))
        slack = 8 + amplified(name, x, value)
    assert close(run.value(x), value, 8), (x, run.value(x), value)
    for (pulled,) in run.gradients(x):
        found = 0.0 if pulled is None else pulled
        assert close(found, slope, slack), (x, found, float(slope))


@pytest.mark.parametrize("name", UNARY)
@given(data=st.data())
def test_a_unary_function_at_random_points(compiled, name, data):
    _, low, high, _ = UNARY[name]
    x = data.draw(st.floats(low, high).filter(lambda x: abs(x) > 1e-6))
    at_a_jump = name in {"floor", "ceil", "trunc", "round"} and (2 * x) % 1 == 0
    if not at_a_jump:
        check_unary(compiled, name, x)


@pytest.mark.parametrize(("name", "x"), [(name, x) for name in UNARY for x in UNARY[name][3]])
def test_a_unary_function_at_special_points(compiled, name, x):
    check_unary(compiled, name, x)


def sensitivity(name, x, y, value):
    """How far value and slopes move, relatively, when what is rounded on the way moves by 1."""
    if name == "power":  # y - 1, and then x ** (y - 1)
        return 0, abs(mpmath.log(value)) + abs(mpmath.log(x))
    if name == "logaddexp":  # the larger argument, and x - y
        return abs(max(x, y) / value), min(abs(x - y), 800)
    return 0, 0


def overflows(name, x, y, argument):
    """Where an intermediate overflows although the slope need not: a limit that is accepted.

    d/dy x/y goes through v / y, and d/dx x**y through x**(y - 1).
    """
    if name in {"divide", "unscale"}:
        return argument == 1 and abs(y) < 2.0**-1024
    with np.errstate(over="ignore"):
        return name == "power" and argument == 0 and np.power(x, y - 1.0) == math.inf


def check_binary(compiled, name, x, y):
    function = BINARY[name][0]
    run = call(compiled, name, 2)
    with mpmath.workdps(digits(x, y)):
        a, b = mpmath.mpf(x), mpmath.mpf(y)
        value = function(a, b)
        slopes = (
            mpmath.diff(lambda t: function(t, b), a, relative=bool(x)),
            mpmath.diff(lambda t: function(a, t), b, relative=bool(y)),
        )
        slacks = [float(8 + 2 * moved) for moved in sensitivity(name, a, b, value)]
    assert close(run.value(x, y), value, slacks[0]), (x, y, run.value(x, y), float(value))
    for pulled in run.gradients(x, y):
        for argument, (found, slope) in enumerate(zip(pulled, slopes, strict=True)):
            got = 0.0 if found is None else found
            if overflows(name, x, y, argument):
                assert not math.isfinite(got) or got == 0.0
            else:
                assert close(got, slope, slacks[1]), (argument, x, y, got, float(slope))


@pytest.mark.parametrize("name", BINARY)
@given(data=st.data())
def test_a_binary_function_at_random_points(compiled, name, data):
    _, low, high = BINARY[name]
    numbers = st.floats(low, high).filter(lambda x: abs(x) > 1e-6)
    x, y = data.draw(numbers), data.draw(numbers)
    jumps = {"maximum", "minimum", "remainder", "floor_divide"}
    if name not in jumps or abs(x / y - round(x / y)) > 1e-9:
        check_binary(compiled, name, x, y)


@pytest.mark.parametrize(("name", "x", "y"), [(n, *at) for n in SPECIAL for at in SPECIAL[n]])
def test_a_binary_function_at_special_points(compiled, name, x, y):
    check_binary(compiled, name, x, y)


@given(x=st.floats(-5.0, 5.0))
def test_clip(gradients, x):
    (pulled,) = gradients(lambda x: language.clip(x, -1.0, 2.0), x)
    with mpmath.workdps(50):
        assert x in {-1.0, 2.0} or pulled == float(mpmath.diff(clipped, x, h=mpmath.mpf(10) ** -45))
