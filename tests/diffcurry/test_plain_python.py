"""Plain Python and NumPy in a trace: loops, unpacking, arrays of values, what is no number."""

import enum
from dataclasses import dataclass

import numpy as np
import pytest

import diffcurry as dc

X = np.array([0.3, 0.5, 0.9])
V = np.array([1.0, 2.0])


def slopes(f, x=X, h=1e-6):
    """Central differences."""
    return np.array([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(len(x))])


def unpacked(x):
    a, *rest = x
    return a * sum(rest) + rest[0] ** 2


def added_up(x):
    total = np.zeros(3)
    for i, part in enumerate(x):
        total += part * np.eye(3)[i] * x
    return np.sum(total * total)


def turned(x):
    turn = np.array([[np.cos(x[0]), -np.sin(x[0])], [np.sin(x[0]), x[1]]])
    return np.sum((turn @ turn @ V) ** 2) + np.sum(turn.T @ x[:2])


def in_a_list(x):
    rows = [np.zeros(3), np.zeros(3)]
    for i in range(2):
        rows[i] += x * i
    return np.sum(rows[1] ** 2)


PLAIN = {
    "a loop": lambda x: sum(v * v for v in x),
    "unpacking": unpacked,
    "zip": lambda x: sum(a * b for a, b in zip(x, X, strict=True)),
    "reversed": lambda x: sum(i * a for i, a in enumerate(reversed(x))),
    "rows": lambda x: sum(a * b for a, b in np.outer(x, x)[:, :2]),
    "added up": added_up,
    "added up in a list": in_a_list,
    "an array of values": turned,
    "an array of rows": lambda x: np.sum(np.array([x, 2.0 * x]) @ x),
    "an array of values and numbers": lambda x: np.sum(np.array([x[0], 1.0, 2]) * x),
    "functions of an array of values": lambda x: np.sum(np.sin(np.array([x[0], x[1] * x[2]]))),
    "asarray": lambda x: np.sum(np.asarray(x) ** 2),
    "an array of objects, filled": lambda x: np.sum(filled(x)),
    "a known mask": lambda x: np.sum(x[np.array([True, False, True])] ** 2),
    "set_at a number": lambda x: np.sum(dc.set_at(x, 1, x[0] * x[2]) ** 2),
    "set_at a slice": lambda x: np.sum(dc.set_at(x, slice(0, 2), x[1:]) ** 2),
    "set_at a place twice": lambda x: np.sum(dc.set_at(x, [0, 0, 1], x) ** 2),
    "set_at a column": lambda x: np.sum(dc.set_at(np.outer(x, x), (slice(None), 1), x * x) ** 2),
    "set_at a computed place": lambda x: np.sum(dc.set_at(x, np.argmax(x), x[0]) ** 2),
    "add_at a place twice": lambda x: np.sum(dc.add_at(x, [0, 0, 1], x) ** 2),
}


def filled(x):
    out = np.empty(3, object)
    for i in range(3):
        out[i] = x[i] ** 3
    return out


@pytest.mark.parametrize("mode", ["dependent", "simple", "forward", "delta"])
@pytest.mark.parametrize("name", PLAIN)
def test_it_is_differentiated_as_it_is_written(name, mode):
    f = PLAIN[name]
    assert dc.fun(f)(X) == pytest.approx(f(X), rel=1e-14)
    np.testing.assert_allclose(dc.grad(f, mode=mode)(X), slopes(f), rtol=1e-7, atol=1e-8)


def test_an_array_that_another_sees_is_not_added_to():
    def alias(x):
        a = np.zeros(3)
        b = a
        a += x
        return np.sum(b)

    def view(x):
        a = np.zeros(3)
        b = a[:2]
        a += x
        return np.sum(b)

    def argument(x):
        a = np.zeros(3)
        add_to(a, x)
        return np.sum(a)

    def part(x):
        a = np.zeros(3)
        a[:2] += x[:2]
        return np.sum(a)

    def other_type(x):
        a = np.zeros(3, int)
        a += x
        return np.sum(a)

    for f in (alias, view, argument, part, other_type):
        with pytest.raises(dc.ImmutableValue, match=r"write a = a \+ x, or .* add_at"):
            dc.grad(f)(X)


def test_a_method_that_is_not_there_names_the_one_that_is_meant():
    with pytest.raises(AttributeError, match=r"x : Tensor\[3\] has no summ .* mean x\.sum\?"):
        dc.grad(lambda x: x.summ())(X)


def add_to(a, x):
    a += x


def test_set_at_and_add_at_outside_of_a_trace():
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(
        dc.set_at(x, (0, slice(1, 3)), [9.0, 8.0]), [[0, 9, 8], [3, 4, 5]]
    )
    np.testing.assert_array_equal(dc.add_at([1.0, 2.0], [0, 0], 5.0), [11.0, 2.0])
    assert dc.set_at(np.arange(3), 1, 7).dtype == np.int64
    np.testing.assert_array_equal(dc.fun(lambda v, i: dc.set_at(v, i, 9.0))(X, 5), X)
    with pytest.raises(dc.TypeMismatch, match="float64 does not go into an array of int64"):
        dc.set_at(np.arange(3), 0, 1.5)
    with pytest.raises(dc.ShapeMismatch, match="index 3 is out of range"):
        dc.set_at(x[0], 3, 1.0)
    with pytest.raises(dc.TypeMismatch, match="takes one place that is computed"):
        dc.fun(lambda v: dc.set_at(v, dc.argmax(v) + np.arange(2), 1.0))(X)


# ---- what is static ------------------------------------------------------------------------------


class Kind(enum.Enum):
    """How it is bent."""

    SINE = 1
    LINE = 2


@dataclass
class Layer:
    """A container that can be called, with a word among its fields."""

    weight: np.ndarray
    kind: Kind
    name: str = "layer"

    def __call__(self, x):
        y = self.weight * x
        return np.sum(np.sin(y) if self.kind is Kind.SINE else y)


def loss(w, x, act="tanh", depth=2, train=True):
    for _ in range(depth):
        x = np.tanh(w * x) if act == "tanh" else w * x
    return np.sum(x) if train else 2 * np.sum(x)


def test_words_truths_and_members_are_static():
    slope = dc.grad(loss)
    for act in ("tanh", "id", "tanh"):
        for train in (True, False, True):
            true = slopes(lambda w, a=act, t=train: loss(w[0], X, a, 2, t), np.array([0.5]))[0]
            assert dc.grad(dc.fun(loss, static="depth"))(0.5, X, act, 2, train) == pytest.approx(
                true
            )
            assert slope(0.5, X, act=act, train=train) == pytest.approx(true)
    layer = Layer(X, Kind.SINE)
    slope = dc.grad(lambda m, x: m(x))(layer, X)
    np.testing.assert_allclose(slope.weight, np.cos(X * X) * X)
    assert (slope.kind, slope.name) == (None, None)
    assert dc.grad(lambda m, x: m(x))(Layer(X, Kind.LINE), X).weight == pytest.approx(X)
    both = dc.grad(lambda d: np.sum(d["x"]) * (2 if d["flag"] else 3))
    assert both({"x": X, "flag": True})["x"] == pytest.approx([2.0] * 3)
    assert both({"x": X, "flag": False})["x"] == pytest.approx([3.0] * 3)
    assert dc.grad(lambda x, m: x if m else 2 * x, argnums=(0, 1))(1.0, False) == (2.0, None)


def test_a_number_is_static_by_name():
    f = dc.fun(loss, static=("depth",))
    for depth in (1, 3, 2, 3):
        expected = loss(0.5, X, "id", depth)
        assert f(0.5, X, "id", depth) == pytest.approx(expected)
        assert dc.grad(f)(0.5, X, "id", depth) == pytest.approx(depth * expected / 0.5)
        assert dc.hessian(f)(0.5, X, "id", depth) == pytest.approx(
            depth * (depth - 1) * expected / 0.25
        )
        assert dc.grad(f, mode="forward")(0.5, X, depth=depth, act="id") == pytest.approx(
            depth * expected / 0.5
        )
        assert dc.grad(lambda w, n=depth: f(w, X, "id", n))(0.5) == pytest.approx(
            depth * expected / 0.5
        )
    with pytest.raises(dc.TypeMismatch, match="static='foo' names no parameter of loss"):
        dc.fun(loss, static="foo")
    with pytest.raises(dc.TypeMismatch, match="a static argument is hashable"):
        dc.grad(f)(0.5, X, "id", [1])


def test_a_static_one_is_no_truth():
    f = dc.fun(lambda n, x: x if n is True else n * x + 1.0, static="n")
    assert [f(n, 2.0) for n in (1, True, 1, 1.0)] == [3.0, 2.0, 3.0, 3.0]


def test_functions_and_static_numbers_are_arguments_together():
    def iterated(f, x, n):
        for _ in range(n):
            x = f(x)
        return x

    slope = dc.grad(dc.fun(iterated, static="n"), argnums=1)
    a = 1.5
    for n in (1, 2, 3, 2):
        true = slopes(lambda x, n=n: iterated(lambda y: a * np.sin(y), x[0], n), X[:1])[0]
        assert slope(lambda y: a * np.sin(y), X[0], n) == pytest.approx(true)
