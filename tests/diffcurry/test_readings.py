"""What is captured and changes afterwards is seen (defect 19)."""

import random
from argparse import Namespace
from types import SimpleNamespace

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


class Held:
    lam = 1.0

    def loss(self, w):
        return self.inner(w)

    def inner(self, w):
        return self.lam * w

    @property
    def shown(self):
        return self.lam

    @classmethod
    def of_class(cls, w):
        return cls.lam * w

    def __call__(self, w):
        return self.lam * w


class Slotted:
    __slots__ = ("lam",)


READERS = {
    "a method that calls another": lambda held: lambda w: held.loss(w),
    "a bound method": lambda held: held.loss,
    "a property": lambda held: lambda w: held.shown * w,
    "an object that is called": lambda held: lambda w: held(w),
    "an attribute": lambda held: lambda w: held.lam * w,
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@pytest.mark.parametrize("default", [True, False], ids=["of the class", "of the object"])
def test_an_attribute_is_read_anew_however_it_is_read(reader, default):
    held = Held()
    if not default:
        held.lam = 1.0
    slope = dc.grad(reader(held))
    assert slope(1.0) == 1.0
    held.lam = 4.0
    assert [slope(1.0), slope(1.0)] == [4.0, 4.0]


@pytest.mark.parametrize("read", [Held().loss, Held.of_class, lambda w: Held.lam * w])
def test_an_attribute_of_a_class_is_read_anew(monkeypatch, read):
    slope = dc.grad(read)
    assert slope(1.0) == 1.0
    monkeypatch.setattr(Held, "lam", 5.0)
    assert slope(1.0) == 5.0


@pytest.mark.parametrize("kind", [Slotted, SimpleNamespace, Namespace])
def test_so_is_one_in_slots_or_in_a_namespace(kind):
    config = kind()
    config.lam = 1.0
    slope = dc.grad(lambda w: config.lam * w)
    assert slope(1.0) == 1.0
    config.lam = 3.0
    assert slope(1.0) == 3.0


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
    assert Readings(lambda x: np.sin(x) * x).guard() is None
    assert Readings(scaled).guard() is not None
