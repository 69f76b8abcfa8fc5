"""Corners of NumPy that are easily got wrong, and mistakes that must not be NumPy's own errors."""

import numpy as np
import pytest

import diffcurry as dc
from diffcurry import DiffcurryError, fun

CUBE = np.arange(24.0).reshape(2, 3, 4)
KEYS = [
    (slice(None), 0, Ellipsis, np.array([0, 1, 2])),
    (0, slice(None), np.array([0, 1])),
    (slice(None), 0, np.array([0, 1])),
    (np.array([0, 1]), Ellipsis, np.array([0, 1])),
    (Ellipsis, np.array([0, 1]), 0),
    (np.array([0, 1]), slice(None), None, np.array([0, 1])),
    (1, Ellipsis, slice(None, None, -1)),
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_indices_stand_where_numpy_puts_them(key):
    assert np.array_equal(fun(lambda x: x[key])(CUBE), CUBE[key])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.bool_, np.float32])
@pytest.mark.parametrize("function", [np.sum, np.prod, np.cumsum, np.cumprod, np.mean, np.max])
def test_reductions_of_small_numbers_do_not_wrap(function, dtype):
    x = np.array([100, 100], np.int64).astype(dtype)
    found, wanted = fun(function)(x), function(x)
    assert np.array_equal(found, wanted)
    if dtype != np.bool_:
        assert np.asarray(found).dtype == np.asarray(wanted).dtype


MISTAKES = {
    "an axis that is not there": lambda x: np.transpose(x, (0, 3)),
    "an axis that is a word": lambda x: x.sum("a"),
    "an axis that is a boolean": lambda x: x.sum(True),
    "a slice of step 0": lambda x: x[::0],
    "a slice of words": lambda x: x["a":],
    "a method that is not in the language": lambda x: x.argsort(),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_an_error_of_ours(mistake):
    with pytest.raises(DiffcurryError, match="test_corner_cases"):
        fun(mistake)(np.ones((2, 3)))


def test_transpose_takes_its_axes_apart_or_together():
    for program in (lambda x: x.transpose(2, 0, 1), lambda x: x.transpose((2, 0, 1))):
        assert np.array_equal(fun(program)(CUBE), CUBE.transpose(2, 0, 1))


def test_an_axis_may_be_numpys_integer():
    assert fun(lambda x: np.sum(x, axis=np.int64(0)))(np.ones(3)) == 3.0


def test_a_method_is_asked_for_safely():
    def program(x):
        assert not hasattr(x, "argsort")
        return x * 1.0

    assert dc.grad(program)(2.0) == 1.0


def test_the_languages_own_names_are_not_taken():
    def sin(x):
        return 2 * x

    with pytest.raises(dc.NameTaken, match="sin already"):
        dc.primitive(lambda v, x, y: 2.0 * v)(sin)


def test_forward_mode_has_no_gradient_of_a_function():
    with pytest.raises(dc.NotDifferentiable, match="between numbers"):
        dc.grad(lambda g, x: g(x), argnums=(0, 1), mode="forward")(np.sin, 2.0)
    assert dc.grad(lambda g, x: g(x), argnums=1, mode="forward")(np.sin, 0.0) == 1.0
