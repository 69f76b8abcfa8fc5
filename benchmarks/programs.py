"""The programs that are timed, written once for any NumPy-like module, and by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

STEPS, BATCH, HIDDEN = 32, 8, 32


class Workload(NamedTuple):
    """A scalar program of its first argument, and its gradient written by hand."""

    name: str
    program: Callable[..., Any]
    args: tuple[Any, ...]
    by_hand: Callable[..., Any] | None


def tiny(np_: Any, x: Any, y: Any) -> Any:
    return x * y + np_.sin(x)


def chain(np_: Any, x: Any) -> Any:
    return np_.sum(np_.sin(x) * np_.exp(-x * x) + np_.log1p(x * x))


def chain_by_hand(x: Any) -> Any:
    decay = np.exp(-x * x)
    return decay * (np.cos(x) - 2 * x * np.sin(x)) + 2 * x / (1 + x * x)


def scalar_chain(np_: Any, x: Any) -> Any:
    for i in range(1000):
        x = np_.sin(x) * x + 0.001 * i
    return x


def scalar_chain_by_hand(x: Any) -> Any:
    from math import cos, sin

    slope = 1.0
    for i in range(1000):
        slope *= cos(x) * x + sin(x)
        x = sin(x) * x + 0.001 * i
    return slope


def cell(np_: Any, weights: Any, state: Any, x: Any) -> Any:
    hidden, memory = state
    gates = x @ weights[0] + hidden @ weights[1] + weights[2]
    n = HIDDEN
    forget, write, read = (
        0.5 * (np_.tanh(0.5 * gates[:, i * n : (i + 1) * n]) + 1) for i in range(3)
    )
    memory = forget * memory + write * np_.tanh(gates[:, 3 * n :])
    return read * np_.tanh(memory), memory


def unrolled_lstm(np_: Any, weights: Any, xs: Any) -> Any:
    state = (np.zeros((BATCH, HIDDEN)), np.zeros((BATCH, HIDDEN)))
    for t in range(STEPS):
        state = cell(np_, weights, state, xs[t])
    return np_.sum(state[0] ** 2)


def lstm_data() -> tuple[Any, Any]:
    random = np.random.default_rng(0)
    weights = tuple(0.3 * random.standard_normal(s) for s in ((4, 128), (32, 128), (128,)))
    return weights, random.standard_normal((STEPS, BATCH, 4))


def workloads() -> list[Workload]:
    """Everything that is timed."""
    random = np.random.default_rng(1)
    found = [Workload("tiny", tiny, (0.7, 1.3), lambda x, y: y + np.cos(x))]
    for size in (1_000, 100_000):
        args = (random.standard_normal(size),)
        found.append(Workload(f"chain/{size}", chain, args, chain_by_hand))
    found.append(Workload("scalar_chain/1000", scalar_chain, (0.5,), scalar_chain_by_hand))
    found.append(Workload("lstm/32", unrolled_lstm, lstm_data(), None))
    return found
