"""Emitted source in a process that has JAX, and nothing of ours."""

import subprocess
import sys

import numpy as np
import pytest

import diffcurry as dc
from tests.interpreters.backends.xla.comparing import asked

asked()

ALONE = """
import sys
import numpy as np
found = {call}
ours = [m for m in sys.modules if m.split(".")[0] in ("diffcurry", "combinators", "interpreters")]
assert not ours, ours
print(*[np.asarray(x).dtype for x in found])
print(*[np.asarray(x).sum().item() for x in found])
"""


def alone(source, call):
    done = subprocess.run(
        [sys.executable, "-I", "-c", source + ALONE.format(call=call)],
        capture_output=True,
        text=True,
        check=True,
    )
    dtypes, sums = done.stdout.splitlines()
    return dtypes.split(), [float(x) for x in sums.split()]


@pytest.mark.slow
def test_a_gradient_runs_with_jax_alone():
    def f(weights, xs):
        last = dc.fold(lambda c, x: np.tanh(c * weights[0] + x), weights[1], xs)
        return dc.cond(np.sum(last) > 0, lambda: dc.logsumexp(last), lambda: np.prod(last))

    weights, xs = (0.3, np.arange(3.0)), np.linspace(-1, 1, 12).reshape(4, 3)
    source = dc.grad(f).source("jax", weights, xs)
    call = "d_f((0.3, np.arange(3.0)), np.linspace(-1, 1, 12).reshape(4, 3))"
    dtypes, sums = alone(source, call)
    assert dtypes == ["float64", "float64"]
    np.testing.assert_allclose(sums, [np.sum(g) for g in dc.grad(f)(weights, xs)], rtol=1e-12)


@pytest.mark.slow
def test_single_precision_leaves_jax_as_it_is():
    def f(x, y):
        return np.sum(x * 0.1 + y) * x, y > x

    x, y = np.ones(3, np.float32), np.float32(2.0)
    call = "f(np.ones(3, np.float32), np.float32(2.0))"
    dtypes, sums = alone(dc.fun(f).source("jax", x, y), call)
    assert dtypes == ["float32", "bool"]
    np.testing.assert_allclose(sums, [3 * 3 * 2.1, 3.0], rtol=1e-6)
