"""Emitted JAX held against the carrier of NumPy's numbers."""

from typing import Any

import numpy as np
import pytest

from combinators.terms import Lam
from diffcurry import fun
from interpreters.backends.xla import JaxProgram, compile_program

WHY = "JAX is not installed: pip install 'diffcurry[xla]'"


def asked() -> Any:
    """JAX, or a test that is skipped, and says so."""
    return pytest.importorskip("jax", reason=WHY)


def plain(value: Any) -> Any:
    """A user's value as emitted code takes it: containers are tuples."""
    if isinstance(value, dict):
        return tuple(plain(value[key]) for key in sorted(value))
    return tuple(map(plain, value)) if isinstance(value, (tuple, list)) else value


def on_xla(lam: Lam, *args: Any) -> Any:
    """What the emitted function gives, jitted."""
    jax = asked()
    with jax.enable_x64(True):
        return jax.jit(compile_program(lam).function)(*plain(args))


def same(found: Any, true: Any, rtol: float = 1e-13, atol: float = 1e-13) -> None:
    """Equal in structure, shapes and dtypes, and in numbers to rounding; nans and infs are."""
    if isinstance(true, (tuple, list, dict)):
        true = plain(true)
        assert isinstance(found, tuple)
        assert len(found) == len(true)
        for a, b in zip(found, true, strict=True):
            same(a, b, rtol, atol)
        return
    assert found.dtype == np.asarray(true).dtype, (found, true)
    assert np.shape(found) == np.shape(true)
    np.testing.assert_allclose(np.asarray(found), true, rtol=rtol, atol=atol)


def agrees(function: Any, *args: Any, rtol: float = 1e-13) -> JaxProgram:
    """The code of a function, which gives on XLA what the carrier gives."""
    whole = fun(function)
    lam = whole.program(*args).lam
    same(on_xla(lam, *args), whole.evaluate(args), rtol, rtol)
    return compile_program(lam)
