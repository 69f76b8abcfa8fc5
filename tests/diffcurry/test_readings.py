"""What is captured and changes afterwards is seen (defect 19)."""

import random

import numpy as np
import pytest

import diffcurry as dc
from diffcurry.readings import Readings

BATCH = 1.0
WEIGHTS = np.ones(3)


def rebind(monkeypatch, value):
    monkeypatch.setitem(globals(), "BATCH", value)


def scaled(x):
    return x * BATCH


def test_a_global_that_is_rebound_is_read_anew(monkeypatch):
    slope = dc.grad(lambda w: w * w * BATCH)
    assert slope(1.0) == 2.0
    rebind(monkeypatch, 5.0)
    assert [slope(1.0), slope(1.0)] == [10.0, 10.0]


def test_so_is_one_behind_a_function_that_is_called(monkeypatch):
    inner = dc.fun(scaled)
    one, two = dc.grad(lambda x: inner(x)), dc.jacobian(lambda x: 2.0 * inner(x))
    assert (one(1.0), two(1.0), inner(1.0)) == (1.0, 2.0, 1.0)
    rebind(monkeypatch, 3.0)
    assert (one(1.0), two(1.0), inner(1.0)) == (3.0, 6.0, 3.0)


def test_a_cell_of_a_closure_is_read_anew():
    a = 1.0

    def f(x):
        return a * x * x

    slope = dc.grad(f)
    assert slope(1.0) == 2.0
    a = 7.0
    assert slope(1.0) == 14.0


def test_an_attribute_behind_a_bound_method_is_read_anew():
    class Ridge:
        def __init__(self):
            self.lam = 1.0
            self.unread = 0

        def loss(self, w):
            return self.lam * w * w

    ridge = Ridge()
    slope = dc.grad(ridge.loss)
    assert slope(1.0) == 2.0
    ridge.lam = 3.0
    assert slope(1.0) == 6.0


def test_an_item_of_a_captured_container_is_read_anew():
    params = {"w": 1.0, "layers": [2.0]}
    slope = dc.grad(lambda x: x * params["w"] * sum(params["layers"]))
    assert slope(1.0) == 2.0
    params["w"] = 3.0
    params["layers"].append(1.0)
    assert slope(1.0) == 9.0


def test_an_array_changed_in_place_is_warned_of_once():
    kept = np.ones(3)
    slope = dc.grad(lambda x: np.sum(kept * x))
    slope(kept)
    kept *= 7.0
    with pytest.warns(UserWarning, match="Pass it as an argument, or make a new array"):
        assert list(slope(np.ones(3))) == [1.0, 1.0, 1.0]
    assert list(slope(np.ones(3))) == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("draw", [random.random, np.random.normal, np.random.default_rng(0).normal])
def test_random_numbers_drawn_while_tracing_are_warned_of(draw):
    with pytest.warns(UserWarning, match="random numbers were drawn .* Draw them outside"):
        dc.grad(lambda x: x * draw())(1.0)


def test_what_tracing_itself_changes_is_no_reason_to_trace_anew():
    seen = []
    slope = dc.grad(lambda x: (seen.append(x), x * x)[1])
    for x in (1.0, 2, 1.0, 3.0, np.float32(1.0), 1.0):
        slope(float(x))
    assert len(seen) == 1


def test_a_function_that_reads_nothing_is_not_watched():
    assert Readings(lambda x: np.sin(x) * x).nothing
    assert not Readings(scaled).nothing
