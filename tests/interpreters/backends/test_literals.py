"""Arrays in the text: those that say what they are, and bytes for the others."""

import numpy as np
import pytest

from interpreters.backends.python.python_program import PythonModule
from interpreters.backends.text.layout import flat
from interpreters.backends.text.module import diagonal, stepped
from interpreters.backends.xla.jax_program import JaxModule

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
    np.arange(7, 70, 3),
    np.arange(30)[::-1] - 4,
    np.add.outer(np.arange(4), 5 * np.arange(6)),
    np.add.outer(np.zeros(4, int), 5 * np.arange(6) + 9).reshape(4, 1, 6),
    np.add.outer(np.add.outer(-np.arange(3), np.arange(4)), np.arange(5)),
    np.arange(24) // 3,
    np.arange(24) % 6,
    np.add.outer(20 * np.arange(5), np.arange(3)).ravel(),
]
AS_BYTES = [
    np.eye(20) + np.eye(20, 20, 1),
    np.diag(np.arange(1.0, 21.0)),
    np.where(np.eye(20) == 1, 1.0, -0.0),
    np.where(np.eye(20) == 1, np.nan, 0.0),
    np.eye(20, dtype=np.float32),
    np.eye(20) * (np.arange(20) != 5),
    np.array([0, 3, 1, 2, 9, 8, 7, 200, 5, 5]),
    np.array([0, -3, 1, 2, 9, 8, 7, 200, 5, 70_000]),
    np.array([0, 1, 2, 3, 4, 5, 6, 7, 8, 2**62]),
    np.array([[1, 2, 3, 4, 6]] * 3, np.uint16),
    np.array([2**63 - 1, -(2**63)] * 6),
]


def read(lines: str) -> np.ndarray:
    space = {"np": np, "jnp": np}
    exec(lines, space)
    return space["a"]


def bits(array: np.ndarray) -> tuple:
    return array.shape, array.dtype.name, array.tobytes()


@pytest.mark.parametrize("array", [*SAID, *AS_BYTES], ids=lambda array: str(array.shape))
def test_the_text_gives_the_same_bits(array):
    lines = PythonModule("f").array("a", array)
    assert ("bytes.fromhex" in lines) == (not any(array is one for one in SAID))
    assert bits(read(lines)) == bits(array)


@pytest.mark.parametrize("array", [*SAID, *AS_BYTES], ids=lambda array: str(array.shape))
def test_so_does_that_for_xla(array):
    assert bits(read(JaxModule("f").array("a", array).replace("jnp.array(np.", "(np."))) == bits(
        array
    )


def test_a_diagonal_is_told_from_what_only_looks_like_it():
    assert diagonal(np.eye(5, 5, 4)) == "np.eye(5, 5, 4)"
    assert diagonal(np.zeros((5, 5))) is None
    assert diagonal(np.ones((3, 3, 3))) is None
    assert diagonal(np.full((5, 5), np.inf)) is None


def test_index_tables_are_not_embedded_as_text():
    table = np.add.outer(np.arange(0, 1000, 10), np.arange(10))
    assert flat(stepped(table)) == "np.add.outer(np.arange(0, 1000, 10), np.arange(10))"
    assert flat(stepped(table.ravel())) == "np.arange(1000)"
    assert stepped(np.arange(12.0)) is None
    irregular = PythonModule("f").array("a", np.argsort(np.sin(np.arange(100))))
    assert len(irregular) < 400
    assert 'dtype="|u1"' in irregular
