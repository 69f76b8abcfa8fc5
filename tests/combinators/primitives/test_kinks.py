"""What the declarations say about kinks is what both pullbacks give, and what the page says."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import combinators.primitives as p
from combinators.derivative_rules import pullback_rule
from combinators.morphisms import interpret
from combinators.objects import Tensor
from combinators.operation import PRIMITIVES, Operation
from combinators.translate import translate
from interpreters.carriers.numpy import NumPy
from interpreters.modes.reverse import Dependent

INF = np.inf
ROOT = Path(__file__).resolve().parents[3]
KINKS = [
    (p.absolute, (0.0,), (0.0,)),
    (p.absolute, (-0.0,), (0.0,)),
    (p.relu, (0.0,), (0.0,)),
    (p.sqrt, (0.0,), (INF,)),
    (p.cbrt, (0.0,), (INF,)),
    (p.log, (0.0,), (INF,)),
    (p.log2, (0.0,), (INF,)),
    (p.log10, (0.0,), (INF,)),
    (p.log1p, (-1.0,), (INF,)),
    (p.arcsin, (1.0,), (INF,)),
    (p.arccos, (-1.0,), (-INF,)),
    (p.arccosh, (1.0,), (INF,)),
    (p.arctanh, (1.0,), (INF,)),
    (p.hypot, (0.0, 0.0), (0.0, 0.0)),
    (p.arctan2, (0.0, 0.0), (0.0, 0.0)),
    (p.maximum, (3.0, 3.0), (0.5, 0.5)),
    (p.minimum, (3.0, 3.0), (0.5, 0.5)),
    (p.clip, (1.0, 1.0, 2.0), (1.0, 0.0, 0.0)),
    (p.clip, (2.0, 1.0, 2.0), (1.0, 0.0, 0.0)),
    (p.clip, (0.0, 1.0, 2.0), (0.0, 1.0, 0.0)),
    (p.clip, (3.0, 1.0, 2.0), (0.0, 0.0, 1.0)),
    (p.clip, (0.0, 2.0, 1.0), (0.0, 0.0, 1.0)),
    (p.power, (0.0, 0.0), (0.0, 0.0)),
    (p.power, (0.0, 1.0), (1.0, 0.0)),
    (p.power, (0.0, 2.0), (0.0, 0.0)),
    (p.power, (0.0, 0.5), (INF, 0.0)),
    (p.power, (0.0, -1.0), (-INF, 0.0)),
    (p.power, (-2.0, 0.0), (0.0, np.nan)),
    (p.remainder, (6.0, 3.0), (1.0, -2.0)),
    (p.logaddexp, (-INF, -INF), (0.0, 0.0)),
    (p.logaddexp, (-INF, 1.0), (0.0, 1.0)),
    (p.logaddexp, (INF, 1.0), (1.0, 0.0)),
    (p.logaddexp, (INF, INF), (np.nan, np.nan)),
    (p.max, ([1.0, 3.0, 3.0],), ([0.0, 0.5, 0.5],)),
    (p.min, ([1.0, 1.0, 1.0, 3.0],), ([1 / 3, 1 / 3, 1 / 3, 0.0],)),
    (p.logsumexp, ([-INF, -INF],), ([0.0, 0.0],)),
    (p.logsumexp, ([-INF, 0.0],), ([0.0, 1.0],)),
]


@pytest.mark.parametrize(("function", "point", "expected"), KINKS)
def test_a_kink(gradients, function, point, expected):
    for found, wanted in zip(gradients(function, *point), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    "function",
    [p.sign, p.floor, p.ceil, p.trunc, p.round, p.stop_gradient, lambda x: p.floor_divide(x, 2.0)],
)
@pytest.mark.parametrize("x", [0.0, 1.0, -1.5])
def test_a_step_has_derivative_0_everywhere(gradients, function, x):
    assert gradients(function, x) == [None]


def test_the_exponent_0_as_a_constant(gradients):
    assert gradients(lambda x: x**0, 0.0) == [0.0]
    assert gradients(lambda x: x**0.0, -3.0) == [0.0]


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (lambda x: np.where(x > 0, np.log(x), 0.0), 0.0),
        (lambda x: np.where(x > 0, np.sqrt(x), x), 0.0),
        (lambda x: np.where(x != 0, 1.0 / x, 0.0), 0.0),
        (lambda x: np.where(x != 0, np.arctan2(x, x * 0.0) / x, 0.0), 0.0),
        (lambda x: np.where(x < 700, np.exp(x), 0.0), 1000.0),
    ],
)
def test_where_masks_before_anything_multiplies(gradients, function, x):
    (pulled,) = gradients(function, x)
    assert np.isfinite(pulled)


def test_a_zero_cotangent_stays_zero(gradients):
    for function in (p.sqrt, p.log, p.cbrt, p.reciprocal):
        assert gradients(function, 0.0, g=0.0) == [0.0]
    assert np.array_equal(gradients(p.logsumexp, [-INF, INF], g=0.0)[0], [0.0, 0.0])


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        ([2.0, 3.0, 4.0], [12.0, 8.0, 6.0]),
        ([2.0, 0.0, 4.0], [0.0, 8.0, 0.0]),
        ([0.0, 3.0, 0.0], [0.0, 0.0, 0.0]),
        ([1e-200, 1e-200, 1e200], [1.0, 1.0, 0.0]),
        ([5.0], [1.0]),
        ([], []),
    ],
)
def test_the_product_of_what_holds_zeros(gradients, x, expected):
    np.testing.assert_array_equal(gradients(p.prod, x)[0], expected)


@pytest.mark.parametrize("point", [[2.0, 3.0, 5.0], [0.0, 3.0, 5.0], [0.0, 0.0, 5.0], [0.0] * 3])
def test_second_derivatives_of_a_product_at_zeros(point):
    """The rule is a program, and its own pullback gives the rows of the Hessian."""
    vector = Tensor((3,))
    product = Operation(PRIMITIVES["prod"], (("axis", (0,)), ("keepdims", False)))
    rule = pullback_rule(product, (vector,), (0,))
    mode = Dependent(NumPy())
    arrow = interpret(translate(rule.params, rule.body), mode)
    x = np.array(point)
    _, pullback = mode.rep(arrow, (np.float64(1.0), x, np.prod(x)))
    hessian = [[0.0, x[2], x[1]], [x[2], 0.0, x[0]], [x[1], x[0], 0.0]]
    for direction, row in zip(np.eye(3), hessian, strict=True):
        np.testing.assert_array_equal(pullback({0: direction})[1], row)


def test_the_page_is_what_the_declarations_say():
    command = [sys.executable, "-m", "combinators.primitives.kinks"]
    written = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode()
    assert (ROOT / "docs" / "kinks.md").read_text(encoding="utf-8") == written
