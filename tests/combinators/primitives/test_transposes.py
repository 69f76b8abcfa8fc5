"""For every primitive, pushforward and pullback are transposes: ⟨ẏ, g⟩ = ⟨ẋ, ḡ⟩.

The table has a line for each primitive of the language; one without a line fails.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import combinators.primitives  # noqa: F401 (declares them)
from combinators.derivative_rules import pullback_rule, pushforward_rule
from combinators.objects import Product, Tensor
from combinators.operation import PRIMITIVES, Constant, Operation
from combinators.primitives.checks import CHECKS
from combinators.type_folds import is_smooth
from interpreters.carriers.numpy import NumPy
from interpreters.rules import program

N = NumPy()
ROOT = Path(__file__).resolve().parents[3]
A, V, S, Q = (3, 4), (4,), (), (2, 3, 4)
REAL, POSITIVE, UNIT, ABOVE_1 = (-2.0, 2.0), (0.2, 2.0), (-0.9, 0.9), (1.1, 3.0)

ONE = {
    REAL: "negative absolute square exp expm1 exp2 sin cos tan arctan sinh cosh tanh arcsinh "
    "sigmoid softplus relu erf",
    POSITIVE: "reciprocal sqrt cbrt log log1p log2 log10",
    UNIT: "arcsin arccos arctanh",
    ABOVE_1: "arccosh",
}
TWO = {
    REAL: "add subtract multiply scale hypot arctan2 logaddexp maximum minimum",
    POSITIVE: "divide unscale power remainder",
}
BOTH = (False, True)
REDUCTIONS = [{"axis": axis, "keepdims": k} for axis in ((0,), (0, 2), (0, 1, 2)) for k in (0, 1)]


class Index:
    """An argument of integers, for axes of these extents."""

    def __init__(self, *values):
        self.values = np.array(values)


ROWS = Index(2, 0, -1, 2)
# name: a list of (shapes or values of the arguments, range of the random numbers, parameters)
SAMPLES = {
    **{n: [([A], r, {}), ([S], r, {})] for r, names in ONE.items() for n in names.split()},
    **{
        n: [([A, V], r, {}), ([S, S], r, {}), ([S, A], r, {})]
        for r, names in TWO.items()
        for n in names.split()
    },
    "clip": [([A, V, S], REAL, {})],
    "where": [([np.array([True, False, True, True]), A, S], REAL, {})],
    "convert": [([A], REAL, {"dtype": "float32"})],
    "broadcast_to": [([V], REAL, {"shape": A}), ([(3, 1)], REAL, {"shape": (2, 3, 4)})],
    "reshape": [([A], REAL, {"shape": (2, 6)})],
    "transpose": [([Q], REAL, {"axes": (2, 0, 1)})],
    "slice": [([A], REAL, {"start": (2, 1), "step": (-1, 2), "extent": (3, 2)})],
    "embed": [([(3, 2)], REAL, {"start": (2, 1), "step": (-1, 2), "shape": A})],
    "take": [
        ([A, ROWS], REAL, {"axis": 0}),
        ([Q, ROWS, Index(0, 1, 4, -1)], REAL, {"axis": 1}),
        ([A, Index([0, 1], [3, 3])], REAL, {"axis": 1}),
    ],
    "put": [
        ([A[::-1], ROWS], REAL, {"axis": 0, "extents": (3,)}),
        ([(2, 4), ROWS, Index(0, 1, 4, -1)], REAL, {"axis": 1, "extents": (3, 4)}),
    ],
    "concatenate": [([A, (3, 1), A], REAL, {"axis": 1})],
    "sum": [([Q], REAL, p) for p in REDUCTIONS],
    "prod": [([Q], REAL, p) for p in REDUCTIONS],
    "max": [([Q], REAL, p) for p in REDUCTIONS],
    "min": [([Q], REAL, p) for p in REDUCTIONS],
    "logsumexp": [([Q], REAL, p) for p in REDUCTIONS],
    "cumsum": [([Q], REAL, {"axis": 1})],
    "exclusive_cumprod": [([Q], REAL, {"axis": a, "reverse": r}) for a in (0, 2) for r in BOTH],
    "recurrence": [([Q, Q], REAL, {"axis": a, "reverse": r}) for a in (0, 2) for r in BOTH],
    "matmul": [
        ([A, (4, 2)], REAL, {}),
        ([Q, (4, 2)], REAL, {}),
        ([(1, 2, 3), Q], REAL, {}),
        ([A, (4, 2)], REAL, {"absorbing": True}),
    ],
}
CASES = [(name, *sample) for name, samples in SAMPLES.items() for sample in samples]


def test_every_primitive_has_a_line():
    """Asked of a Python of its own, where no test has declared another primitive."""
    ask = (
        "import combinators.primitives\n"
        "from combinators.operation import Constant\n"
        "from combinators.operation import PRIMITIVES\n"
        "from combinators.primitives.structural import STRUCTURAL\n"
        "numeric = {n: p for n, p in PRIMITIVES.items() if p not in STRUCTURAL}\n"
        "print(*(n for n, p in numeric.items() if p.derivative not in (None, Constant())))"
    )
    smooth = subprocess.run([sys.executable, "-c", ask], cwd=ROOT, capture_output=True, check=True)
    declared = {"coordinates", "point"}  # as a class declares them, which laws TS1 to TS8 ask
    assert set(smooth.stdout.decode().split()) == set(SAMPLES) | declared


SPECIAL = {
    REAL: (0.0, -0.0, 1.0, -1.0, 1e-9, -20.0, 20.0),
    POSITIVE: (1.0, 2.0, 1e-9, 30.0),
    UNIT: (0.0, -0.0, 1e-9, 0.5, -0.5),
    ABOVE_1: (1.0 + 1e-9, 2.0, 1e9),
}


def point(rng, given, span, special):
    if isinstance(given, Index):
        return given.values
    if isinstance(given, np.ndarray):
        return given
    return (rng.choice(SPECIAL[span], given) if special else rng.uniform(*span, given))[()]


def inner(a, b):
    return float(np.sum(np.asarray(a, float) * np.asarray(b, float)))


@pytest.mark.parametrize(("name", "shapes", "span", "parameters"), CASES)
@pytest.mark.parametrize("special", [False, True])
@np.errstate(all="ignore")
@given(seed=st.integers(0, 2**32 - 1))
def test_pushforward_and_pullback_are_transposes(name, shapes, span, parameters, special, seed):
    rng = np.random.default_rng(seed)
    parameters = {k: bool(v) if k == "keepdims" else v for k, v in parameters.items()}
    operation = Operation(PRIMITIVES[name], tuple(parameters.items()))
    xs = [point(rng, given, span, special) for given in shapes]
    types = tuple(Tensor(np.shape(x), x.dtype) for x in xs)
    result = operation.type(*types)
    y = N.operation(operation, types, result)(*xs)
    assert Tensor(np.shape(y), y.dtype) is result
    g = rng.normal(size=result.shape).astype(result.dtype)[()]
    smooth = tuple(i for i, t in enumerate(types) if is_smooth(t))
    back = pullback_rule(operation, types, smooth)
    assert back.type.cod is Product(*(types[i] for i in smooth))
    cotangents = program(back, N)(g, *xs, y)
    for i, cotangent in zip(smooth, cotangents, strict=True):
        v = rng.normal(size=types[i].shape).astype(types[i].dtype)[()]
        forward = pushforward_rule(operation, types, i)
        assert forward.type.cod is result
        pushed = program(forward, N)(v, *xs, y)
        tolerance = 1e-5 if name == "convert" else 1e-9
        np.testing.assert_allclose(inner(pushed, g), inner(v, cotangent), tolerance, tolerance)


_SEARCH, _LINES = (("axis", (0,)), ("keepdims", False)), (("axis", 0),)
STEPS = {
    **dict.fromkeys(("argmax", "argmin"), _SEARCH),
    **dict.fromkeys(("argsort", "running_argmax", "running_argmin"), _LINES),
}
"""The parameters of what gives integers."""


def test_constants_have_no_rules():
    steps = [p for p in PRIMITIVES.values() if isinstance(p.derivative, Constant)]
    assert {p.name for p in steps} >= {"sign", "floor", "ceil", "round", "trunc", "stop_gradient"}
    for primitive in steps:
        if primitive.name in {"iota", "is_alternative", "searchsorted"} or primitive.name in CHECKS:
            continue  # of no arguments, of a sum, and of integers
        arity = 2 if primitive.infix and primitive.name != "logical_not" else 1
        kind = "bool" if primitive.name.startswith("logical") else "float64"
        types = (Tensor(A, kind),) * arity
        along = STEPS.get(primitive.name, ())
        operation = Operation(primitive, along)
        assert pullback_rule(operation, types, tuple(range(arity))) is None
        assert pushforward_rule(operation, types, 0) is None
