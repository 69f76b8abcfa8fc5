"""The recurrent network of section 2 of *The Differentiable Curry*, over a batch of series."""

import numpy as np

from diffcurry import fold, fun, sigmoid

GATES = ("keep", "write", "new", "show")


@fun
def lstm_cell(params, hidden, x):
    """One step of a long short-term memory: the hidden state (h, c) after the input ``x``."""
    h, c = hidden
    seen = np.concatenate([h, x], axis=1)

    def gate(name):
        weights, bias = params[name]
        return seen @ weights + bias

    c = sigmoid(gate("keep")) * c + sigmoid(gate("write")) * np.tanh(gate("new"))
    return sigmoid(gate("show")) * np.tanh(c), c


def run_rnn(params, init_state, xs):
    """The paper's ``runRNN``: ``g`` is ``lstm_cell`` applied to ``params``, which it captures."""

    def g(hidden, x):
        return lstm_cell(params, hidden, x)

    return fold(g, init_state, xs)


def predict(params, xs):
    """The year after the series ``xs : (years, batch, 1)``, as a change of the last year."""
    weights, bias = params["readout"]
    start = np.zeros((xs.shape[1], weights.shape[0]))
    h, _ = run_rnn(params["cell"], (start, start), xs)
    return xs[-1, :, 0] + h @ weights + bias


@fun
def loss(params, xs, ys):
    """The mean squared error of the prediction."""
    return np.mean(np.square(predict(params, xs) - ys))


def initial(hidden, random):
    """Random weights, and biases that let the memory keep what it has."""

    def affine(rows, columns, bias):
        return random.normal(0.0, rows**-0.5, (rows, columns)), np.full(columns, bias)

    cell = {name: affine(hidden + 1, hidden, float(name == "keep")) for name in GATES}
    return {"cell": cell, "readout": (random.normal(0.0, 0.1, hidden), 0.0)}
