"""The programs that are timed, written once for any NumPy-like module, and by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import cos, sin
from typing import Any, NamedTuple

import numpy as np

import lstm

SIZES = (1_000, 10_000, 100_000, 1_000_000)
STEPS = 1_000


class Workload(NamedTuple):
    """A program with a scalar result, and its gradient written by hand."""

    name: str
    program: Callable[..., Any]
    """Of a NumPy-like module and the arguments."""
    args: tuple[Any, ...]
    by_hand: Callable[..., Any]
    argnums: int | tuple[int, ...] = 0
    own: Callable[[str], Callable[..., Any] | None] = lambda system: None
    """How a system's users would write it, where that is not ``program``."""
    refused: dict[str, str] = {}  # noqa: RUF012 (nobody writes into it)
    """Why a system is left out."""

    def written_for(self, system: str, module: Any) -> Callable[..., Any]:
        """The program in the words of a system."""
        return self.own(system) or partial(self.program, module)


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
    random = np.random.default_rng(1)
    unrolled = {"jax": "an unrolled chain of 1,000 steps does not compile in minutes"}
    found = [
        Workload("x*y + sin(x)", tiny, (0.7, 1.3), lambda x, y: y + cos(x)),
        Workload("x*y + sin(x), both", tiny, (0.7, 1.3), lambda x, y: (y + cos(x), x), (0, 1)),
        Workload("1,000 steps", scalar_chain, (0.5,), scalar_chain_by_hand, refused=unrolled),
    ]
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
    few = "its programs are of scalars: more than 10,000 make it slow"
    found = [w._replace(refused={"casadi": few}) if _size(w) > 10_000 else w for w in found]
    axes = {"casadi": "it has no arrays of three axes, and does not broadcast"}
    found.append(
        Workload("LSTM, 32 steps", lstm.unrolled, lstm.data(), lstm.by_hand, 0, lstm.own, axes)
    )
    return found


def _size(work: Workload) -> int:
    return int(np.size(work.args[0]))
