"""Its values, in one row."""

from __future__ import annotations

import numpy as np

import tests.combinators.primitives.gudermannian  # noqa: F401 (declares it)
from interpreters.carriers.pointwise_values import Row, give_values

give_values(
    "gudermannian",
    Row(
        lambda x: 2 * np.arctan(np.tanh(x / 2)),
        "2 * atan(tanh(x / 2))",
        number="2.0 * math.atan(math.tanh({0} / 2.0))",
        array="2.0 * np.arctan(np.tanh({0} / 2.0))",
        jax="2.0 * jnp.arctan(jnp.tanh({0} / 2.0))",
    ),
)
