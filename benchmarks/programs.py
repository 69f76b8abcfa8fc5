"""Everything that is timed; the smallest programs, and their gradients by hand."""

from __future__ import annotations

from math import cos, sin
from typing import Any

import numpy as np

import bundle
import hand
import lstm
import mixture
import mlp
import pointwise
import rosenbrock
from workload import AXES, SCALARS, Workload

SIZES = (1_000, 10_000, 100_000, 1_000_000)
STEPS = 1_000
SLOW = "an unrolled program of this length does not compile in minutes"


def tiny(np_: Any, x: Any, y: Any) -> Any:
    return x * y + np_.sin(x)


def scalar_chain(np_: Any, x: Any) -> Any:
    for i in range(STEPS):
        x = np_.sin(x) * x + 0.001 * i
    return x


def scalar_chain_by_hand(x: float) -> float:
    tape = []
    for i in range(STEPS):
        sine = sin(x)
        tape.append((x, sine))
        x = sine * x + 0.001 * i
    slope = 1.0
    for x, sine in reversed(tape):
        slope = slope * sine + slope * x * cos(x)
    return slope


def dot(np_: Any, x: Any, y: Any) -> Any:
    return np_.dot(x, y)


def total(np_: Any, x: Any) -> Any:
    return np_.sum(x)


def prod(np_: Any, x: Any) -> Any:
    return np_.prod(x)


def prod_by_hand(x: Any) -> Any:
    """What stands before each element, times what stands behind it: right where some are 0."""
    before, behind = np.ones_like(x), np.ones_like(x)
    np.cumprod(x[:-1], out=before[1:])
    np.cumprod(x[:0:-1], out=behind[-2::-1])
    before *= behind
    return before


def chain(np_: Any, x: Any) -> Any:
    return np_.sum(np_.sin(x) * np_.exp(-x * x) + np_.log1p(x * x))


def chain_by_hand(x: Any) -> Any:
    decay = np.exp(-x * x)
    return decay * (np.cos(x) - 2 * x * np.sin(x)) + 2 * x / (1 + x * x)


def workloads() -> list[Workload]:
    """Everything that is timed."""
    found = [*small(), *of_arrays()]
    loop = {"casadi": AXES, "pytensor": SLOW}
    name, args = "LSTM, 32 steps", lstm.data()
    found.append(Workload(name, lstm.unrolled, args, lstm.by_hand, own=lstm.own, refused=loop))
    for file in (mlp, pointwise, mixture, bundle, hand, rosenbrock):
        found += file.workloads()
    return found


def small() -> list[Workload]:
    """On numbers."""
    unrolled = {"jax": SLOW, "xla": SLOW, "pytensor": SLOW}
    return [
        Workload("x*y + sin(x)", tiny, (0.7, 1.3), lambda x, y: y + cos(x)),
        Workload("x*y + sin(x), both", tiny, (0.7, 1.3), lambda x, y: (y + cos(x), x), (0, 1)),
        Workload("1,000 steps", scalar_chain, (0.5,), scalar_chain_by_hand, refused=unrolled),
    ]


def of_arrays() -> list[Workload]:
    """On vectors of several lengths."""
    random = np.random.default_rng(1)
    found = []
    for size in SIZES:
        x, y = random.standard_normal((2, size))
        near = 1 + random.standard_normal(size) / size
        holed = near.copy()
        holed[size // 3] = 0.0
        copies = lambda x, y: (y.copy(), x.copy())
        found += [
            Workload(f"dot {size:,}", dot, (x, y), copies, (0, 1)),
            Workload(f"sum {size:,}", total, (x,), np.ones_like),
            Workload(f"prod {size:,}", prod, (near,), prod_by_hand),
            Workload(f"prod {size:,}, a zero", prod, (holed,), prod_by_hand),
            Workload(f"chain {size:,}", chain, (x,), chain_by_hand),
        ]
    return [w._replace(refused={"casadi": SCALARS}) if w.size > 10_000 else w for w in found]
