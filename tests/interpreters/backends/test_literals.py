"""Arrays in the text: those that say what they are, and bytes for the others."""

import numpy as np
import pytest

from interpreters.backends.python.program import Module
from interpreters.backends.text.module import diagonal
from interpreters.backends.xla.values import array_lines

SAID = [
    np.eye(20),
    np.eye(20, 19),
    -0.0 + 2.5 * np.eye(30, 30, 7),
    np.eye(4, 9, -2),
    -np.eye(20),
    3 * np.eye(12, 10, 1, dtype=np.int64),
    np.array([[1.0, 2.0], [-0.0, 4.5]]),
    np.array([[[1], [2]], [[3], [4]]]),
    np.arange(40),
    np.array([0.1, 1e300, -3.0]),
]
AS_BYTES = [
    np.eye(20) + np.eye(20, 20, 1),
    np.diag(np.arange(1.0, 21.0)),
    np.where(np.eye(20) == 1, 1.0, -0.0),
    np.where(np.eye(20) == 1, np.nan, 0.0),
    np.eye(20, dtype=np.float32),
    np.eye(20) * (np.arange(20) != 5),
]


def read(lines: str) -> np.ndarray:
    space = {"np": np, "jnp": np}
    exec(lines, space)
    return space["a"]


def bits(array: np.ndarray) -> tuple:
    return array.shape, array.dtype.name, array.tobytes()


@pytest.mark.parametrize("array", [*SAID, *AS_BYTES], ids=lambda array: str(array.shape))
def test_the_text_gives_the_same_bits(array):
    lines = Module("f").array("a", array)
    assert ("bytes.fromhex" in lines) == (not any(array is one for one in SAID))
    assert bits(read(lines)) == bits(array)


@pytest.mark.parametrize("array", [*SAID, *AS_BYTES], ids=lambda array: str(array.shape))
def test_so_does_that_for_xla(array):
    assert bits(read(array_lines("a", array).replace("jnp.array(np.eye", "(np.eye"))) == bits(array)


def test_a_diagonal_is_told_from_what_only_looks_like_it():
    assert diagonal(np.eye(5, 5, 4)) == "np.eye(5, 5, 4)"
    assert diagonal(np.zeros((5, 5))) is None
    assert diagonal(np.ones((3, 3, 3))) is None
    assert diagonal(np.full((5, 5), np.inf)) is None
