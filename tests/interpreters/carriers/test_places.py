"""Every carrier reads 0 at an index outside, puts nothing there, and computes integers in full."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import combinators.primitives  # noqa: F401 (declares them)
from combinators.errors import DivisionByZero, DomainError, IndexOutOfRange, Place, TooManyRounds
from combinators.literal import Literal
from combinators.objects import Tensor
from combinators.operation import Operation, named
from interpreters.carriers.counting import Counting
from interpreters.carriers.fractions import Fractions
from interpreters.carriers.numpy import NumPy
from interpreters.carriers.sympy import SymPy
from interpreters.sparse_cotangents import Part, Scattered, gathered

CARRIERS = [NumPy(), Fractions(), SymPy(), Counting(NumPy())]
NAMES = [type(carrier).__name__ for carrier in CARRIERS]
INDICES = st.lists(st.integers(-2, 4), min_size=0, max_size=4)
PLACE = Place("user.py", 7)


def compute(carrier, name, *xs, **parameters):
    operation = Operation(named(name), tuple(parameters.items()))
    arrays = [np.asarray(x) for x in xs]
    types = [Tensor(x.shape, x.dtype) for x in arrays]
    lifted = [carrier.const(Literal(x)) for x in arrays]
    with np.errstate(all="ignore"):
        return carrier.operation(operation, types, operation.type(*types))(*lifted)


def same(found, expected):
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_array_equal(np.asarray(found).astype(float), np.asarray(expected, float))


def taken(x, axis, i, j):
    """``x[:, i, j]`` one element at a time."""
    rows = np.broadcast(i, j)
    out = np.zeros((*x.shape[:axis], *rows.shape, *x.shape[axis + 2 :]))
    for at, (a, b) in zip(np.ndindex(rows.shape), rows, strict=True):
        if 0 <= a < x.shape[axis] and 0 <= b < x.shape[axis + 1]:
            out[(slice(None),) * axis + at] = x[(slice(None),) * axis + (a, b)]
    return out


@pytest.mark.parametrize("carrier", CARRIERS, ids=NAMES)
@pytest.mark.parametrize("axis", [0, 1])
@given(i=INDICES, j=st.integers(-2, 4))
def test_outside_reads_zero(carrier, axis, i, j):
    x = np.arange(1.0, 25.0).reshape(2, 3, 4)
    i, j = np.array(i, dtype=np.int64), np.int64(j)
    same(compute(carrier, "take", x, i, j, axis=axis), taken(x, axis, i, j))


@pytest.mark.parametrize("carrier", CARRIERS, ids=NAMES)
@given(i=INDICES, extent=st.integers(0, 3))
def test_outside_puts_nothing(carrier, i, extent):
    x = np.arange(1.0, 1 + 2 * len(i)).reshape(len(i), 2)
    expected = np.zeros((extent, 2))
    for row, at in zip(x, i, strict=True):
        if 0 <= at < extent:
            expected[at] += row
    i = np.array(i, dtype=np.int64)
    same(compute(carrier, "put", x, i, axis=0, extents=(extent,)), expected)


@pytest.mark.parametrize("carrier", CARRIERS, ids=NAMES)
def test_of_booleans_it_is_false(carrier):
    found = compute(carrier, "take", np.array([True, True]), np.array([0, -1, 2, 1]), axis=0)
    assert list(map(bool, found)) == [True, False, False, True]
    assert not compute(carrier, "take", np.array([True, True]), np.int64(-1), axis=0)


@pytest.mark.parametrize("carrier", CARRIERS[:2], ids=NAMES[:2])
def test_parts_that_were_put_off_are_put_nowhere(carrier):
    obj, at = Tensor((3,)), Tensor((), "int64")
    put = Operation(named("put"), (("axis", 0), ("extents", (3,))))
    numbers = [carrier.const(Literal(float(n))) for n in range(1, 5)]
    parts = [
        Part(put, (Tensor(()), at), (number, np.int64(place)))
        for number, place in zip(numbers, (2, -1, 3, 2), strict=True)
    ]
    same(gathered(Scattered(obj, parts), carrier), [0.0, 0.0, 5.0])


@pytest.mark.parametrize("carrier", CARRIERS, ids=NAMES)
@given(x=st.integers(-9, 9), y=st.integers(-3, 3))
def test_integers_are_divided_by_zero(carrier, x, y):
    same(compute(carrier, "floor_divide", x, y), x // y if y else 0)
    same(compute(carrier, "remainder", x, y), x % y if y else 0)


@pytest.mark.parametrize("carrier", CARRIERS, ids=NAMES)
@given(x=st.integers(-3, 3), y=st.integers(-9, 9))
def test_negative_powers_of_integers_are_whole(carrier, x, y):
    whole = int(Fraction(x) ** y) if x or y >= 0 else 0
    same(compute(carrier, "power", x, y), whole)
    table = compute(carrier, "power", np.array([x, 2]), np.array([[y], [1]]))
    same(table, [[whole, int(2.0**y)], [x, 2]])


def test_rationals_stay_rational():
    found = compute(Fractions(), "take", np.array([0.5]), np.array([0, 1]), axis=0)
    assert found.tolist() == [Fraction(1, 2), Fraction(0)]
    assert all(type(number) is Fraction for number in found)


@pytest.mark.parametrize("carrier", CARRIERS, ids=NAMES)
def test_a_check_is_the_identity_or_an_error_at_the_user_s_line(carrier):
    asked = {"axis": 1, "extent": 3, "place": PLACE}
    for fine in (2, [0, 2, 1], []):
        same(compute(carrier, "within", np.array(fine, dtype=int), **asked), fine)
    for wrong, at in ((3, 3), (-1, -1), ([0, 7, -2], 7)):
        with pytest.raises(
            IndexOutOfRange, match=rf"^user\.py:7: the index {at} is outside axis 1, of extent 3:"
        ):
            compute(carrier, "within", np.array(wrong), **asked)
    same(compute(carrier, "nonzero", np.array([1, -2]), place=PLACE), [1, -2])
    with pytest.raises(DivisionByZero, match=r"^user\.py:7: an integer is divided by zero"):
        compute(carrier, "nonzero", np.array([1, 0]), place=PLACE)
    same(compute(carrier, "nonnegative", np.array([1, 0]), place=PLACE), [1, 0])
    with pytest.raises(
        DomainError, match=r"^user\.py:7: an integer is raised to the power -2, which gives"
    ):
        compute(carrier, "nonnegative", np.array([1, -2, -1]), place=PLACE)
    bound = {"most": 3, "did": "halve called itself", "place": PLACE}
    same(compute(carrier, "limited", np.array(2), **bound), 2)
    said = r"^user\.py:7: (in a formula .*, or: )?halve called itself more than 3 times; give it"
    with pytest.raises(TooManyRounds, match=said):
        compute(carrier, "limited", np.array(3), **bound)


def test_what_is_open_is_not_checked():
    i = sympy.Symbol("i", integer=True)
    operation = Operation(named("within"), (("axis", 0), ("extent", 3), ("place", PLACE)))
    obj = Tensor((), "int64")
    assert SymPy().operation(operation, [obj], obj)(i) is i


@pytest.mark.parametrize("carrier", CARRIERS, ids=NAMES)
@pytest.mark.parametrize("length", [0, 1, 4])
def test_iota_in_every_carrier(carrier, length):
    same(compute(carrier, "iota", length=length), np.arange(length))
