"""Laws of the words that users call: whichever way a derivative is asked for, it is the same."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import diffcurry as dc
from tests.strategies.language import Pair, R, V
from tests.strategies.meanings import function_of
from tests.strategies.points import quarters, values
from tests.strategies.programs import LENGTH, POLYNOMIAL, programs

PARAMS = ("x", Pair(R, V(LENGTH))), ("v", V(LENGTH))
RESULT = Pair(R, R)
drawn = programs(POLYNOMIAL, PARAMS, RESULT, depth=2).map(function_of)
points = st.tuples(*(values(kind, quarters) for _, kind in PARAMS))


def plain(value):
    """Numbers and arrays of floats, in tuples."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return float(value) if np.ndim(value) == 0 else np.asarray(value, float)


def flat(value):
    return [x for part in value for x in flat(part)] if isinstance(value, tuple) else [value]


def alike(left, right):
    pairs = zip(flat(plain(left)), flat(plain(right)), strict=True)
    assert all(np.allclose(a, b) for a, b in pairs)


@given(drawn, points, values(RESULT, quarters))
def test_the_pullback_in_a_source_is_called_as_the_one_of_the_api(function, point, covector):
    pull, args, w = dc.vjp(function), plain(point), plain(covector)
    space = {}
    exec(pull.source(), space)
    *_, written = (made for made in space.values() if callable(made))
    (value, by_api), (again, by_source) = pull(*args), written(*args)
    alike(value, again)
    alike(by_api(w), by_source(w))


@given(drawn, points)
def test_a_jacobian_holds_the_jacobian_of_each_result_at_its_place(function, point):
    """By results first, and by arguments within, as ``jacobian`` of one result alone gives it."""
    args = plain(point)
    both = dc.jacobian(function, argnums=(0, 1))(*args)
    for index, row in enumerate(both):
        alone = dc.jacobian(lambda x, v, at=index: function(x, v)[at], argnums=(0, 1))(*args)
        alike(row, alone)


@given(st.integers(1, 4), st.integers(-6, 6))
def test_an_index_means_the_same_whether_it_is_a_literal_or_computed(extent, index):
    rows = np.arange(4.0)
    alike(
        dc.scatter(extent, rows, lambda i: index), dc.scatter(extent, rows, lambda i: i * 0 + index)
    )
    alike(
        dc.gather(extent, rows, lambda i: index), dc.gather(extent, rows, lambda i: i * 0 + index)
    )
