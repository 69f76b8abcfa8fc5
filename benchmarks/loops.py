"""Loops of many small steps: a chain of sines, and the LSTM of ADBench."""

from __future__ import annotations

from math import cos, sin
from typing import Any

import numpy as np

from workload import Workload

CHAINS = (10, 100, 1_000)
LAYERS, WIDTH, LETTERS = 2, 14, 1_024


def workloads() -> list[Workload]:
    """The gradients."""
    found = [
        Workload(
            f"scalar chain {n:,}",
            lambda np_, x, n=n: scalar_chain(x, n),
            (0.5,),
            lambda x, n=n: slope(x, n),
        )
        for n in CHAINS
    ]
    return [
        *found,
        Workload(f"ADBench's LSTM {LETTERS:,}", lstm_loss, lstm_data(), lstm_by_hand, (0, 1)),
    ]


def scalar_chain(x: Any, n: int) -> Any:
    """The chain of ``programs``, as a loop of the language."""
    import diffcurry as dc

    return dc.fold(lambda x, c: np.sin(x) * x + c, x, 0.001 * np.arange(float(n)))


def slope(x: float, n: int) -> float:
    """Forwards."""
    found = 1.0
    for i in range(n):
        found *= sin(x) + x * cos(x)
        x = sin(x) * x + 0.001 * i
    return found


def lstm_data() -> tuple[Any, ...]:
    """Weights of the layers and around them, the first state, and the letters."""
    random = np.random.default_rng(4)
    main = random.uniform(-1, 1, (2 * LAYERS, 4, WIDTH))
    around = random.uniform(-1, 1, (3, WIDTH))
    state = random.uniform(-1, 1, (2 * LAYERS, WIDTH))
    letters = (random.uniform(0, 1, (LETTERS, WIDTH)) < 0.1).astype(float)
    return main, around, state, letters


def _layer(weight: Any, bias: Any, hidden: Any, memory: Any, given: Any) -> tuple[Any, Any]:
    half = lambda x: 0.5 * (np.tanh(0.5 * x) + 1)
    forget, write = half(given * weight[0] + bias[0]), half(hidden * weight[1] + bias[1])
    read, change = half(given * weight[2] + bias[2]), np.tanh(hidden * weight[3] + bias[3])
    memory = memory * forget + write * change
    return read * np.tanh(memory), memory


def lstm_loss(np_: Any, main: Any, around: Any, state: Any, letters: Any) -> Any:
    """ADBench's: each letter is told from those before it."""
    import diffcurry as dc

    def step(carry: Any, pair: Any) -> Any:
        (h0, c0, h1, c1), total = carry
        letter, after = pair
        h0, c0 = _layer(main[0], main[1], h0, c0, letter * around[0])
        h1, c1 = _layer(main[2], main[3], h1, c1, h0)
        said = h1 * around[1] + around[2]
        known = said - np.log(np.sum(np.exp(said)) + 2)
        return ((h0, c0, h1, c1), total + np.sum(after * known))

    first = ((state[0], state[1], state[2], state[3]), 0.0)
    _, total = dc.fold(step, first, (letters[:-1], letters[1:]))
    return -total / ((LETTERS - 1) * WIDTH)


def lstm_by_hand(main: Any, around: Any, state: Any, letters: Any) -> Any:
    """Backpropagation through time."""
    tape = []
    h, c = [state[0], state[2]], [state[1], state[3]]
    half = lambda x: 0.5 * (np.tanh(0.5 * x) + 1)
    for t in range(LETTERS - 1):
        given, kept = letters[t] * around[0], []
        for i in range(LAYERS):
            w, b = main[2 * i], main[2 * i + 1]
            f, o = half(given * w[0] + b[0]), half(given * w[2] + b[2])
            p, g = half(h[i] * w[1] + b[1]), np.tanh(h[i] * w[3] + b[3])
            before, old = c[i], h[i]
            c[i] = before * f + p * g
            out = np.tanh(c[i])
            kept.append((given, f, o, p, g, before, old, out))
            h[i] = given = o * out
        said = given * around[1] + around[2]
        powers = np.exp(said)
        tape.append((kept, given, powers / (powers.sum() + 2)))
    to_main, to_around = np.zeros_like(main), np.zeros_like(around)
    to_h, to_c = np.zeros((LAYERS, WIDTH)), np.zeros((LAYERS, WIDTH))
    scale = -1 / ((LETTERS - 1) * WIDTH)
    for t in range(LETTERS - 2, -1, -1):
        kept, top, shares = tape[t]
        after = letters[t + 1]
        pulled = scale * (after - after.sum() * shares)
        to_around[1] += pulled * top
        to_around[2] += pulled
        pulled = pulled * around[1]
        for i in range(LAYERS - 1, -1, -1):
            given, f, o, p, g, before, old, out = kept[i]
            w, tw, tb = main[2 * i], to_main[2 * i], to_main[2 * i + 1]
            pulled = pulled + to_h[i]
            m = to_c[i] + pulled * o * (1 - out * out)
            gates = (
                m * before * f * (1 - f),
                m * g * p * (1 - p),
                pulled * out * o * (1 - o),
                m * p * (1 - g * g),
            )
            for row, (gate, x) in enumerate(zip(gates, (given, old, given, old), strict=True)):
                tw[row] += gate * x
                tb[row] += gate
            to_c[i] = m * f
            to_h[i] = gates[1] * w[1] + gates[3] * w[3]
            pulled = gates[0] * w[0] + gates[2] * w[2]
        to_around[0] += pulled * letters[t]
    return to_main, to_around
