"""Positions of extreme elements on XLA."""

import numpy as np
import pytest

from tests.interpreters.backends.xla.comparing import agrees, asked

asked()
X = np.array([[3.0, 1.0, 3.0], [2.0, np.nan, 5.0]])


@pytest.mark.parametrize("x", [X, X > 2.0, np.nan_to_num(X).astype(int), X.astype(np.float32)])
def test_as_numpy_has_them(x):
    agrees(lambda a: (np.argmax(a), a.argmin(axis=0), np.argmax(a, 1, keepdims=True)), x)
