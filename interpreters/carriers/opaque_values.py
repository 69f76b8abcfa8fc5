"""The values of opaque primitives, which a library computes: one line each, for every backend.

A line is NumPy's text of ``{0}`` and ``{1}`` and of the parameters. It is what is computed on
NumPy's arrays, what Python programs say, and, ``np`` being called ``jnp`` there, those for XLA.

>>> on_arrays("argsort", ["x"], {"axis": 0}), on_jax("argsort", ["x"], {"axis": 0})
('np.argsort(x, axis=0, stable=True)', 'jnp.argsort(x, axis=0, stable=True)')
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from interpreters.carriers.carrier import Compute


def _running(of: str) -> str:
    """Of the first 1, 2, … elements, where the last largest or smallest stands."""
    best = f"np.{of}.accumulate({{0}}, axis={{axis}})"
    here = f"({{0}} == {best}) | np.isnan({{0}})"
    places = f"np.where({here}, np.indices({{0}}.shape)[{{axis}}], 0)"
    return f"np.maximum.accumulate({places}, axis={{axis}})"


OPAQUE: dict[str, str] = {
    "argsort": "np.argsort({0}, axis={axis}, stable=True)",
    "running_argmax": _running("maximum"),
    "running_argmin": _running("minimum"),
    "searchsorted": "np.searchsorted({0}, {1}, side={side!r})",
}
"""NumPy's text of each."""


def on_arrays(name: str, args: Sequence[str], parameters: Mapping[str, Any]) -> str:
    """NumPy's text of these arguments."""
    return OPAQUE[name].format(*args, **parameters)


def on_jax(name: str, args: Sequence[str], parameters: Mapping[str, Any]) -> str:
    """The text for XLA."""
    return re.sub(r"\bnp\.", "jnp.", on_arrays(name, args, parameters))


def opaque(name: str, **parameters: Any) -> Compute:
    """What computes a primitive on NumPy's arrays."""
    arguments = ["x", "y"][: 1 + ("{1}" in OPAQUE[name])]
    text = on_arrays(name, arguments, parameters)
    compute: Compute = eval(f"lambda {', '.join(arguments)}: {text}", {"np": np})  # noqa: S307
    return compute
