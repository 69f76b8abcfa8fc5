"""An LSTM of 32 steps over a batch of 8, and its gradient in the weights, written by hand."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

STEPS, BATCH, INPUTS, HIDDEN = 32, 8, 4, 32
GATES = 3 * HIDDEN

Weights = tuple[Any, Any, Any]


def data() -> tuple[Weights, Any]:
    """Weights, and a series of inputs."""
    random = np.random.default_rng(0)
    shapes = (INPUTS, 4 * HIDDEN), (HIDDEN, 4 * HIDDEN), (4 * HIDDEN,)
    first, again, bias = (0.3 * random.standard_normal(shape) for shape in shapes)
    return (first, again, bias), random.standard_normal((STEPS, BATCH, INPUTS))


def cell(np_: Any, weights: Any, state: Any, x: Any) -> Any:
    """One step, for any NumPy-like module."""
    hidden, memory = state
    given = x @ weights[0] + hidden @ weights[1] + weights[2]
    gates = 0.5 * (np_.tanh(0.5 * given[:, :GATES]) + 1)
    forget, write, read = (gates[:, i * HIDDEN : (i + 1) * HIDDEN] for i in range(3))
    memory = forget * memory + write * np_.tanh(given[:, GATES:])
    return read * np_.tanh(memory), memory


def start(np_: Any) -> Any:
    """The state before the first step."""
    return np_.zeros((BATCH, HIDDEN)), np_.zeros((BATCH, HIDDEN))


def unrolled(np_: Any, weights: Any, xs: Any) -> Any:
    """The loss, by a loop of Python's."""
    state = start(np_)
    for t in range(STEPS):
        state = cell(np_, weights, state, xs[t])
    return np_.sum(state[0] ** 2)


def own(system: str) -> Callable[..., Any] | None:
    """The loss, where a system has a loop of its own."""
    match system:
        case "diffcurry":
            return folded
        case "jax":
            return scanned
        case _:
            return None


def folded(weights: Any, xs: Any) -> Any:
    """A closure, folded."""
    import diffcurry as dc

    hidden, _ = dc.fold(lambda state, x: cell(np, weights, state, x), start(np), xs)
    return np.sum(hidden**2)


def scanned(weights: Any, xs: Any) -> Any:
    """The same with JAX's scan."""
    jnp, lax = importlib.import_module("jax.numpy"), importlib.import_module("jax.lax")
    step = lambda state, x: (cell(jnp, weights, state, x), None)
    (hidden, _), _ = lax.scan(step, start(jnp), xs)
    return jnp.sum(hidden**2)


def by_hand(weights: Any, xs: Any) -> Weights:
    """Backpropagation through time: buffers for the whole series, products outside the loops."""
    first, again, bias = weights
    given = xs.reshape(-1, INPUTS) @ first
    given += bias
    given = given.reshape(STEPS, BATCH, 4 * HIDDEN)
    gates = np.empty((STEPS, BATCH, GATES))
    hidden = np.zeros((STEPS + 1, BATCH, HIDDEN))
    memory = np.zeros((STEPS + 1, BATCH, HIDDEN))
    news, outs = np.empty((2, STEPS, BATCH, HIDDEN))
    for t in range(STEPS):
        now = given[t]
        now += hidden[t] @ again
        gate = gates[t]
        np.multiply(0.5, now[:, :GATES], out=gate)
        np.tanh(gate, out=gate)
        gate += 1
        gate *= 0.5
        new = np.tanh(now[:, GATES:], out=news[t])
        np.multiply(gate[:, :HIDDEN], memory[t], out=memory[t + 1])
        memory[t + 1] += gate[:, HIDDEN : 2 * HIDDEN] * new
        out = np.tanh(memory[t + 1], out=outs[t])
        np.multiply(gate[:, 2 * HIDDEN :], out, out=hidden[t + 1])
    gate_slopes = gates * (1 - gates)
    new_slopes, out_slopes = 1 - news * news, 1 - outs * outs
    pulled = np.empty((STEPS, BATCH, 4 * HIDDEN))
    to_hidden, to_memory = 2 * hidden[STEPS], np.zeros((BATCH, HIDDEN))
    back = again.T
    for t in range(STEPS - 1, -1, -1):
        gate, now = gates[t], pulled[t]
        to_memory += to_hidden * gate[:, 2 * HIDDEN :] * out_slopes[t]
        np.multiply(to_memory, memory[t], out=now[:, :HIDDEN])
        np.multiply(to_memory, news[t], out=now[:, HIDDEN : 2 * HIDDEN])
        np.multiply(to_hidden, outs[t], out=now[:, 2 * HIDDEN : GATES])
        now[:, :GATES] *= gate_slopes[t]
        np.multiply(to_memory, gate[:, HIDDEN : 2 * HIDDEN], out=now[:, GATES:])
        now[:, GATES:] *= new_slopes[t]
        to_hidden = now @ back
        to_memory *= gate[:, :HIDDEN]
    flat = pulled.reshape(-1, 4 * HIDDEN)
    before = hidden[:STEPS].reshape(-1, HIDDEN)
    return xs.reshape(-1, INPUTS).T @ flat, before.T @ flat, flat.sum(axis=0)
