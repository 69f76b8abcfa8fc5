"""``argmax`` and ``argmin``: NumPy's positions, over every carrier, in bulk, on every backend."""

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import diffcurry as dc
from combinators.errors import ShapeMismatch, TypeMismatch
from combinators.objects import Tensor
from combinators.operation import Operation, named
from interpreters.carriers.fractions import Fractions
from interpreters.carriers.sympy import SymPy

BOTH = [np.argmax, np.argmin]
NAN = np.nan
KINDS = st.sampled_from([np.float64, np.float32, np.int64, np.bool_])
SHAPES = arrays.array_shapes(max_dims=3, max_side=3)
TIES = KINDS.flatmap(lambda kind: arrays.arrays(kind, SHAPES, elements=st.sampled_from([0, 1])))


@pytest.mark.parametrize("function", BOTH)
@given(x=TIES, keepdims=st.booleans(), data=st.data())
def test_the_first_of_equals(value, function, x, keepdims, data):
    axis = data.draw(st.sampled_from([None, *range(-x.ndim, x.ndim)]))
    found = value(lambda x: function(x, axis=axis, keepdims=keepdims), x)
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found, function(x, axis=axis, keepdims=keepdims))


@pytest.mark.parametrize("function", BOTH)
@pytest.mark.parametrize(
    "x", [[1.0, NAN, 3.0, NAN], [-np.inf, np.inf], [[0.0, -0.0], [NAN, 2.0]], 5.0]
)
def test_special_numbers(value, function, x):
    assert value(function, np.array(x)) == function(x)
    assert dc.argmax(x) == np.argmax(x)


@pytest.mark.parametrize("function", BOTH)
def test_no_elements(value, function):
    with pytest.raises(ShapeMismatch, match="of no elements"):
        value(function, np.zeros((0, 3)))
    with pytest.raises(ShapeMismatch, match="of no elements"):
        value(lambda x: function(x, axis=0), np.zeros((0, 3)))
    np.testing.assert_array_equal(
        value(lambda x: function(x, axis=1), np.zeros((0, 3))), np.zeros(0, int)
    )


@pytest.mark.parametrize(("axis", "error"), [(2, ShapeMismatch), ((0,), TypeMismatch)])
def test_an_axis_that_is_none(value, axis, error):
    with pytest.raises(error):
        value(lambda x: x.argmax(axis=axis), np.ones((2, 3)))


def test_positions_do_not_move(gradients):
    x = np.array([1.0, 5.0, 2.0])
    np.testing.assert_array_equal(dc.grad(lambda x: 3.0 * x[x.argmax()])(x), [0.0, 3.0, 0.0])
    assert gradients(lambda x: x.argmin() * 1.0, x) == [None]


def test_in_bulk():
    x = np.array([[3.0, 1.0, 4.0], [1.0, 5.0, 9.0]])
    rows = dc.fun(lambda x: dc.build(2, lambda i: np.argmax(x[i])))
    assert str(rows.program(x).bulk).splitlines()[1] == "  argmax[axis=(1,)] x"
    np.testing.assert_array_equal(rows(x), [2, 2])
    column = dc.fun(lambda x: dc.build(3, lambda i: np.argmin(x * x[0, i], axis=0)[i]))
    np.testing.assert_array_equal(column(x), [1, 0, 0])


FIRST = Operation(named("argmax"), (("axis", (0,)), ("keepdims", False)))
THREE, POSITION = Tensor((3,)), Tensor((), "int64")


def test_exactly_and_as_a_formula():
    exact = Fractions()
    assert exact.operation(FIRST, (THREE,), POSITION)(exact.lift([0.5, 2.0, 2.0], THREE)) == 1
    symbols = sympy.symbols("a b c", real=True)
    formula = SymPy().operation(FIRST, (THREE,), POSITION)(np.array(symbols, dtype=object))
    for numbers in ((1, 2, 3), (3, 3, 1), (2, 3, 3)):
        at = dict(zip(symbols, numbers, strict=True))
        assert formula.subs(at) == np.argmax(numbers)


def test_the_code_is_numpys():
    source = dc.fun(lambda x: x.argmax(axis=1) + np.argmin(x)).source(np.ones((2, 3)))
    assert "x.argmax(axis=1)" in source
    assert ".argmin()" in source
