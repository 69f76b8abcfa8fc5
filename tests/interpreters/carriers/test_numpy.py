"""NumPy's values: element types are kept, numbers stay numbers, nothing overflows needlessly."""

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import combinators.primitives  # noqa: F401 (declares them)
from combinators.literal import Literal
from combinators.objects import Int, Real, Tensor
from combinators.operation import PRIMITIVES, Operation
from interpreters.carriers.numpy import NumPy

N = NumPy()
ROOT = Path(__file__).resolve().parents[3]
LOOPS = {"fix", "loop", "override", "recompute", "rep", "dual"}


def compute(name, *xs, **parameters):
    operation = Operation(PRIMITIVES[name], tuple(parameters.items()))
    xs = [np.asarray(x)[()] for x in xs]
    types = [Tensor(x.shape, x.dtype) for x in xs]
    with np.errstate(all="ignore"):
        return N.operation(operation, types, operation.type(*types))(*xs)


def ufuncs():
    for name in sorted(PRIMITIVES):
        if isinstance(getattr(np, name, None), np.ufunc):
            yield name


@pytest.mark.parametrize("name", list(ufuncs()))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_number_stays_a_numpy_scalar_of_its_type(name, dtype):
    function = getattr(np, name)
    if name.startswith("logical"):
        xs = [np.bool_(True)] * function.nin
    elif name == "matmul":
        xs = [np.ones((2, 2), dtype)] * 2
    else:
        xs = [dtype(0.5)] * function.nin
    found = compute(name, *xs)
    with np.errstate(all="ignore"):
        expected = function(*xs) if name != "reciprocal" else 1 / xs[0]
    assert type(found) is type(expected)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", ["sigmoid", "softplus", "relu", "erf"])
def test_the_functions_that_numpy_has_not_keep_types_and_shapes(name):
    assert type(compute(name, np.float32(0.5))) is np.float32
    assert type(compute(name, np.float64(0.5))) is np.float64
    found = compute(name, np.full((2, 0, 3), 0.5, np.float32))
    assert (found.shape, found.dtype) == ((2, 0, 3), np.float32)


@given(st.floats(allow_nan=False))
def test_erf_is_that_of_python(x):
    assert compute("erf", x) == math.erf(x)
    np.testing.assert_array_equal(compute("erf", [x, -x]), [math.erf(x), -math.erf(x)])


def test_large_arguments_neither_overflow_nor_turn_into_nan():
    assert compute("sigmoid", [-1e4, 1e4, -np.inf, np.inf]).tolist() == [0.0, 1.0, 0.0, 1.0]
    assert compute("softplus", [-1e4, 1e4, np.inf]).tolist() == [0.0, 1e4, np.inf]
    assert np.isnan(compute("sigmoid", np.nan))
    assert np.isnan(compute("relu", np.nan))


def test_zero_absorbs():
    assert compute("scale", [0.0, 1.0, 0.0], [np.inf, 2.0, np.nan]).tolist() == [0.0, 2.0, 0.0]
    assert compute("unscale", [0.0, 1.0, 0.0], [0.0, 2.0, np.nan]).tolist() == [0.0, 0.5, 0.0]
    assert (compute("scale", 0.0, np.nan), compute("unscale", 0.0, 0.0)) == (0.0, 0.0)
    assert (compute("scale", np.inf, 0.0), compute("unscale", np.inf, np.inf)) == (0.0, 0.0)
    assert np.isnan(compute("scale", 1.0, np.nan))


def test_put_adds_where_indices_repeat():
    found = compute("put", [1.0, 2.0, 4.0], [1, 1, 2], axis=0, extents=(3,))
    assert found.tolist() == [0.0, 3.0, 4.0]


@pytest.mark.parametrize(("name", "type_"), [("slice", np.float64), ("reshape", np.float64)])
def test_a_result_of_no_axes_is_a_scalar(name, type_):
    parameters = {"shape": ()} if name == "reshape" else {"start": (), "step": (), "extent": ()}
    x = np.ones(1) if name == "reshape" else np.float64(1.0)
    assert type(compute(name, x, **parameters)) is type_


def test_every_primitive_has_a_value():
    """Asked of a Python of its own, where no test has declared another primitive."""
    ask = (
        "import combinators.primitives as p, interpreters.carriers.numpy_values as v\n"
        "import interpreters.carriers.pointwise_values as r\n"
        "from combinators.operation import PRIMITIVES\n"
        "from combinators.primitives.structural import STRUCTURAL\n"
        "structural = {primitive.name for primitive in STRUCTURAL}\n"
        "print(*sorted(set(PRIMITIVES) - set(v.VALUES) - set(r.ROWS) - structural))"
    )
    lacking = subprocess.run([sys.executable, "-c", ask], cwd=ROOT, capture_output=True, check=True)
    assert set(lacking.stdout.decode().split()) == LOOPS | {"coordinates", "point"}


def test_lift_copies_and_lower_copies():
    given = np.ones(3)
    lifted = N.lift(given, Tensor((3,)))
    given[0] = 5.0
    assert lifted.tolist() == [1.0, 1.0, 1.0]
    assert N.lower(lifted) is not lifted
    assert type(N.lift(2, Real)) is np.float64
    assert type(N.lift(2, Int)) is np.int64
    assert type(N.const(Literal(2.5))) is np.float64


def test_rows_and_stacks():
    matrix = N.stack([np.ones(2), np.zeros(2)], Tensor((2, 2)))
    assert N.row(matrix, 1).tolist() == [0.0, 0.0]
    assert N.stack([], Tensor((0, 2))).shape == (0, 2)
