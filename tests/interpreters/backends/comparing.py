"""Emitted code held against the carrier."""

from typing import Any

import numpy as np

from diffcurry import fun
from interpreters.backends.python import PythonProgram, compile_program


def plain(value: Any) -> Any:
    """A user's value as emitted code takes it."""
    if isinstance(value, dict):
        return tuple(map(plain, value.values()))
    if isinstance(value, (tuple, list)):
        return tuple(map(plain, value))
    if isinstance(value, (np.float64, np.int64, np.bool_)):
        return value.item()
    return value


def same(found: Any, true: Any, rtol: float = 4e-16 * 2) -> None:
    """Equal in structure, types and numbers, signs of zeros and nans among them."""
    if isinstance(true, dict):
        true = tuple(true.values())
    if isinstance(true, tuple):
        assert isinstance(found, tuple)
        assert len(found) == len(true)
        for a, b in zip(found, true, strict=True):
            same(a, b, rtol)
        return
    assert isinstance(found, np.ndarray) == isinstance(true, np.ndarray)
    assert np.asarray(found).dtype == np.asarray(true).dtype, (found, true)
    assert np.shape(found) == np.shape(true)
    np.testing.assert_allclose(found, true, rtol=rtol, atol=0)
    a, b = np.asarray(found), np.asarray(true)
    if a.dtype.kind == "f":
        number = ~np.isnan(a)
        assert np.array_equal(np.signbit(a)[number], np.signbit(b)[number])


def agrees(function: Any, *args: Any, rtol: float = 1e-15) -> PythonProgram:
    """The code of a function, which gives what the carrier gives, and leaves its arguments."""
    whole = fun(function)
    code = compile_program(whole.program(*args).lam)
    given = plain(args)
    before = repr(given)
    same(code.function(*given), whole.evaluate(args), rtol)
    assert repr(given) == before
    return code
