"""What a function reads of objects, and changes afterwards, is seen by every verb."""

import collections
import itertools
import os
import types
from functools import partial

import numpy as np
import pytest

import diffcurry as dc
from diffcurry.transforms import function_at_once


class Model:
    shared = 2.0

    def __init__(self):
        self.weight, self.table = 2.0, {"a": 2.0}

    def value(self):
        return self.weight

    def loss(self, x):
        return self.value() * x

    def deep(self, x):
        return self.loss(x)

    @property
    def seen(self):
        return self.weight

    @classmethod
    def common(cls):
        return cls.shared

    def __getitem__(self, key):
        return self.table[key]

    def __mul__(self, x):
        return self.weight * x

    def __call__(self, x):
        return self.value() * x


class Slotted:
    __slots__ = ("weight",)


IN_MODELS = {
    "a method": lambda m: lambda x: m.value() * x,
    "a method of a method": lambda m: m.loss,
    "a method of a method of a method": lambda m: m.deep,
    "a property": lambda m: lambda x: m.seen * x,
    "an operator": lambda m: lambda x: m * x,
    "an object that is called": lambda m: m,
    "an object that is called inside": lambda m: lambda x: m(x),
    "a word": lambda m: lambda x: getattr(m, "weight") * x,  # noqa: B009 (what is tested)
    "all its words": lambda m: lambda x: vars(m)["weight"] * x,
    "a partial": lambda m: partial(Model.loss, m),
}


def verbs(function):
    applied = dc.grad(lambda h, x: h(x), argnums=1)
    return {
        "vjp": lambda: dc.vjp(function, 3.0)[1](1.0)[0],
        "jvp": lambda: dc.jvp(function, (3.0,), (1.0,))[1],
        "linearize": lambda: dc.linearize(function, 3.0)[1](1.0),
        "grad, as an argument": lambda: applied(function, 3.0),
    }


def check(function, change):
    asked = verbs(function)
    for name, ask in asked.items():
        assert [ask(), ask(), ask()] == [2.0] * 3, name
    change()
    for name, ask in asked.items():
        assert [ask(), ask(), ask()] == [5.0] * 3, name


@pytest.mark.parametrize("way", IN_MODELS)
def test_an_attribute_that_changes_is_read_anew_by_whatever_way(way):
    model = Model()
    check(IN_MODELS[way](model), lambda: setattr(model, "weight", 5.0))


def test_an_item_behind_an_operator_is_read_anew():
    model = Model()
    check(lambda x: model["a"] * x, lambda: model.table.update(a=5.0))


def test_an_attribute_of_a_class_is_read_anew():
    kind = type("Kind", (Model,), {"__module__": __name__})
    model = kind()
    for function in (lambda x: model.shared * x, lambda x: model.common() * x):
        check(function, lambda: setattr(kind, "shared", 5.0))
        del kind.shared
    check(lambda x: kind.shared * x, lambda: setattr(kind, "shared", 5.0))


def test_an_attribute_that_hides_that_of_a_class_is_read():
    model = Model()
    check(lambda x: model.shared * x, lambda: setattr(model, "shared", 5.0))


def test_what_cannot_be_watched_is_read_at_every_call(monkeypatch):
    slotted, spaced = Slotted(), types.SimpleNamespace(weight=2.0)
    slotted.weight = 2.0
    check(lambda x: slotted.weight * x, lambda: setattr(slotted, "weight", 5.0))
    check(lambda x: spaced.weight * x, lambda: setattr(spaced, "weight", 5.0))
    queue, numbers, many = collections.deque([2.0]), {2.0}, [2.0] * 100
    check(lambda x: queue[0] * x, lambda: queue.append(queue.popleft() + 3.0))
    check(lambda x: max(numbers) * x, lambda: numbers.add(5.0))
    check(lambda x: many[0] * x, lambda: many.__setitem__(0, 5.0))
    monkeypatch.setitem(os.environ, "WEIGHT", "2.0")
    check(lambda x: float(os.environ["WEIGHT"]) * x, lambda: os.environ.update(WEIGHT="5.0"))


def test_an_array_behind_a_view_that_is_read_only_is_read_anew():
    array = np.array([2.0, 0.0])
    view = array.view()
    view.setflags(write=False)
    check(lambda x: view[0] * x, lambda: array.__setitem__(0, 5.0))


def test_attributes_and_defaults_of_functions_are_read_anew():
    def scaled(x, *, by=2.0):
        return by * x

    def marked(x):
        return marked.by * x

    marked.by = 2.0
    check(marked, lambda: setattr(marked, "by", 5.0))
    check(scaled, lambda: scaled.__kwdefaults__.update(by=5.0))


def test_what_counts_while_it_is_traced_counts_at_every_call():
    count = itertools.count(1)
    ask = verbs(lambda x: next(count) * x)["vjp"]
    assert [float(ask()) for _ in range(4)] == [1.0, 2.0, 3.0, 4.0]
    calls = 0

    def counted(x):
        nonlocal calls
        calls += 1
        return calls * x

    ask = verbs(counted)["vjp"]
    assert [float(ask()) for _ in range(4)] == [1.0, 2.0, 3.0, 4.0]


def test_code_that_captures_other_numbers_at_every_call_is_compiled_for_the_first_alone():
    def made(number):
        return lambda x: number * x

    compiled = [function_at_once(made(float(number))) is not None for number in range(50)]
    assert sum(compiled) <= 1


def test_what_changes_at_every_call_is_compiled_ever_more_seldom():
    model, compiled = Model(), 0
    for number in range(100):
        model.weight = float(number)
        compiled += function_at_once(model.loss) is not None
        assert dc.vjp(model.loss, 3.0)[1](1.0)[0] == number
    assert compiled < 10
    asked = [function_at_once(model.loss) is not None for _ in range(130)]
    assert asked[-1]


@pytest.mark.parametrize("number", [1.0, 2.0, 3.0])
def test_linear_maps_are_those_at_the_point_though_its_arrays_change_in_place(number):
    def function(x):
        return number * x * x

    ones, slopes = np.ones(3), 2 * number * np.arange(3.0)
    point = np.arange(3.0)
    _, derivative = dc.linearize(function, point)
    pullback = dc.vjp(dc.fun(function), point)[1]
    point[:] = 100.0
    assert derivative(ones) == pytest.approx(slopes)
    assert pullback(ones)[0] == pytest.approx(slopes)
    assert dc.grad(lambda t: derivative(t).sum())(ones) == pytest.approx(slopes)
    assert dc.grad(lambda t: pullback(t)[0].sum())(ones) == pytest.approx(slopes)
