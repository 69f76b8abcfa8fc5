"""Mistakes at the front door, and in rules of one's own, have errors of their own too."""

import functools

import numpy as np
import pytest

import diffcurry as dc
from combinators.errors import (
    NotDifferentiable,
    ShapeMismatch,
    TypeMismatch,
    WrongDerivative,
    WrongMode,
)
from diffcurry import Fun, Real, Tensor
from tests.diffcurry.mistakes import Mistake, at, check, each

V2 = np.array([1.0, 2.0])
V3 = np.ones(3)


typed = dc.fun(lambda x: x * 2.0, Real)

two = functools.partial(lambda a, z: a * z, 3.0)
_, of_dict = dc.vjp(lambda x: {"a": x, "b": (x, V2)}, 2.0)
_, of_bool = dc.vjp(lambda x: x > 0, 2.0)
_, of_function = dc.vjp(lambda a: dc.fun(lambda z: z * a, Real), 2.0)
returned = dc.fun(lambda a: dc.fun(lambda z: z * a, Real))(2.0)

DOOR = {
    "no function": Mistake(
        lambda: dc.grad(3), TypeMismatch, TypeError, ["a function was expected", "3"]
    ),
    "result that is no number": Mistake(
        at(lambda x: x * 2, V2),
        NotDifferentiable,
        TypeError,
        ["one Real", "Tensor[2]", "np.sum", "jacobian"],
    ),
    "mode": Mistake(
        at(lambda x: x, 1.0, mode="reverse"),
        WrongMode,
        ValueError,
        ["'dependent', 'simple', 'delta', 'forward'", "'reverse'"],
    ),
    "vjp forward": Mistake(
        lambda: dc.vjp(lambda x: x, 1.0, mode="forward"),
        WrongMode,
        ValueError,
        ["vjp", "jvp(f, primals"],
    ),
    "has_aux of a number": Mistake(
        at(lambda x: x, 1.0, has_aux=True), TypeMismatch, TypeError, ["(value, aux)", "Real"]
    ),
    "has_aux of three": Mistake(
        at(lambda x: (x, x, x), 1.0, has_aux=True),
        TypeMismatch,
        TypeError,
        ["(value, aux)", "Real × Real × Real"],
    ),
    "argnums too large": Mistake(
        at(lambda x: x, 1.0, argnums=1), TypeMismatch, TypeError, ["argnums=1", "takes 1"]
    ),
    "argnums that are no ints": Mistake(
        at(lambda x: x, 1.0, argnums=["0"]),
        TypeMismatch,
        TypeError,
        ["int or a tuple of ints", "['0']"],
    ),
    "missing argument": Mistake(
        lambda: dc.grad(lambda x, y: x)(1.0),
        TypeMismatch,
        TypeError,
        ["missing a required argument: 'y'"],
    ),
    "argument that is no number": Mistake(
        lambda: dc.grad(lambda x: x)({1, 2}),
        TypeMismatch,
        TypeError,
        ["numbers, arrays, functions", "a set: {1, 2}"],
    ),
    "argument of another type": Mistake(
        lambda: typed(V2), TypeMismatch, TypeError, ["x : Real was given Tensor[2]"]
    ),
    "types that are none": Mistake(
        lambda: dc.fun(lambda x: x, "Real"), TypeMismatch, TypeError, ["fun(f, Real)", "'Real'"]
    ),
    "cotangent of another shape": Mistake(
        lambda: of_dict({"a": V2, "b": (1.0, V2)}),
        ShapeMismatch,
        ValueError,
        ["['a'] : Real", "(2,)"],
    ),
    "cotangent of another structure": Mistake(
        lambda: of_dict({"a": 1.0, "b": (1.0,)}),
        TypeMismatch,
        TypeError,
        ["['b'] : Real × Tensor[2]", "mirror"],
    ),
    "cotangent of other names": Mistake(
        lambda: of_dict({"a": 1.0, "c": (1.0, V2)}),
        TypeMismatch,
        TypeError,
        ["{a: Real, b:", "mirror"],
    ),
    "cotangent of a boolean": Mistake(
        lambda: of_bool(1.0), TypeMismatch, TypeError, ["Bool", "its cotangent is None"]
    ),
    "cotangent of a function": Mistake(
        lambda: of_function(1.0),
        TypeMismatch,
        TypeError,
        ["(argument, cotangent) pairs", "by name", "1.0"],
    ),
    "calls that are no pairs": Mistake(
        lambda: of_function([1.0]),
        TypeMismatch,
        TypeError,
        ["(argument, cotangent) pairs", "[1.0]"],
    ),
    "calls of another argument": Mistake(
        lambda: of_function([(V2, 1.0)]),
        TypeMismatch,
        TypeError,
        ["call 0", "Real was given Tensor[2]"],
    ),
    "unknown captured name": Mistake(
        lambda: of_function({"q": 1.0}), TypeMismatch, TypeError, ["captures a", "not q"]
    ),
    "returned function of another type": Mistake(
        lambda: returned(V2), TypeMismatch, TypeError, ["Real was given Tensor[2]"]
    ),
    "tangent of another shape": Mistake(
        lambda: dc.jvp(lambda x: x, (1.0,), (V2,)), ShapeMismatch, ValueError, ["x : Real", "(2,)"]
    ),
    "too few tangents": Mistake(
        lambda: dc.jvp(lambda x, y: x, (1.0, 2.0), (1.0,)),
        TypeMismatch,
        TypeError,
        ["2 primals and 1"],
    ),
    "no tuples": Mistake(
        lambda: dc.jvp(lambda x: x, 1.0, 1.0), TypeMismatch, TypeError, ["two tuples"]
    ),
    "tangent of other names": Mistake(
        lambda: dc.jvp(lambda p: p["a"], ({"a": 1.0},), ({"b": 1.0},)),
        TypeMismatch,
        TypeError,
        ["p : {a: Real}"],
    ),
    "tangent of an integer": Mistake(
        lambda: dc.jvp(lambda n: n * 1.0, (3,), (1,)), TypeMismatch, TypeError, ["n : Int", "None"]
    ),
    "tangent of a function": Mistake(
        lambda: dc.jvp(lambda f: f(1.0), (two,), (1.0,)),
        TypeMismatch,
        TypeError,
        ["f : Real ⇒ Real", "captures"],
    ),
    "tangent of an unknown name": Mistake(
        lambda: dc.jvp(lambda f: f(1.0), (two,), ({"b": 1.0},)),
        TypeMismatch,
        TypeError,
        ["captures a", "not b"],
    ),
    "partial with an unknown name": Mistake(
        lambda: dc.grad(lambda f, x: f(x), argnums=1)(
            functools.partial(lambda a, z: a, b=3.0), 1.0
        ),
        TypeMismatch,
        TypeError,
        ["partial", "does not take"],
    ),
    "linear_transpose at a text": Mistake(
        lambda: dc.linear_transpose(lambda x: x, np.array("a")),
        TypeMismatch,
        TypeError,
        ["not <U1", "convert the array first"],
    ),
    "linear_transpose of what is not linear": Mistake(
        lambda: dc.linear_transpose(lambda x: x * x, 1.0),
        NotDifferentiable,
        TypeError,
        ["linear", "use vjp"],
    ),
    "Jacobian of a function": Mistake(
        lambda: dc.jacobian(lambda a: dc.fun(lambda z: z * a, Real))(1.0),
        NotDifferentiable,
        TypeError,
        ["Real ⇒ Real", "vjp or jvp"],
    ),
    "order of check_grads": Mistake(
        lambda: dc.check_grads(lambda x: x, (1.0,), order=3),
        WrongMode,
        ValueError,
        ["order 1 and 2"],
    ),
    "jvp of what is no tuple": Mistake(
        lambda: dc.jvp(np.sin, 1.0, 1.0), TypeMismatch, TypeError, ["jvp", "two tuples"]
    ),
    "jvp along what is no tuple": Mistake(
        lambda: dc.jvp(np.sin, (1.0,), 1.0), TypeMismatch, TypeError, ["jvp", "two tuples"]
    ),
    "hvp of what is no tuple": Mistake(
        lambda: dc.hvp(np.sin, 1.0, 1.0), TypeMismatch, TypeError, ["hvp", "two tuples"]
    ),
    "forward gradient of a function": Mistake(
        at(lambda g, x: g(x), two, 2.0, argnums=(0, 1), mode="forward"),
        NotDifferentiable,
        TypeError,
        ["between numbers", "Real ⇒ Real", 'mode="dependent" or "simple"'],
    ),
    "jacfwd by a function": Mistake(
        lambda: dc.jacfwd(lambda g, x: g(x))(two, 2.0),
        NotDifferentiable,
        TypeError,
        ["Real ⇒ Real", "vjp or jvp"],
    ),
    "complex numbers": Mistake(
        lambda: Tensor((2,), "complex128"),
        TypeMismatch,
        TypeError,
        ["floats, integers or booleans", "complex128"],
    ),
    "Fun of no object": Mistake(
        lambda: Fun(3, Real), TypeMismatch, TypeError, ["Fun takes objects", "3"]
    ),
}


def _declare(rule):
    def declare():
        @dc.primitive(rule)
        def wrongly_declared_sine(x):
            return np.sin(x)

    return declare


RULES = {
    "not linear": Mistake(
        at(dc.with_derivative(lambda x: x * x, lambda x, g: g * g), 1.0),
        WrongDerivative,
        ValueError,
        ["not linear in the cotangent", "multiply the cotangent"],
    ),
    "affine": Mistake(
        at(dc.with_derivative(lambda x: x * x, lambda x, g: g + 1.0), 1.0),
        WrongDerivative,
        ValueError,
        ["not linear in the cotangent"],
    ),
    "two cotangents for one": Mistake(
        at(dc.with_derivative(lambda x: x * x, lambda x, g: (g, g)), 1.0),
        TypeMismatch,
        TypeError,
        ["the cotangent of Real", "gives Real × Real"],
    ),
    "without the argument": Mistake(
        at(dc.with_derivative(lambda x: x * x, lambda g: g), 1.0),
        TypeMismatch,
        TypeError,
        ["called with (Real, Real)", "too many"],
    ),
    "of a function argument": Mistake(
        at(dc.with_derivative(lambda f, x: f(x), lambda f, x, g: g), lambda z: z, 1.0, argnums=1),
        NotDifferentiable,
        TypeError,
        ["with_derivative", "capture the functions"],
    ),
    "that is no function": Mistake(
        lambda: dc.with_derivative(lambda x: x, 3), TypeMismatch, TypeError, ["3 is not callable"]
    ),
    "primitive: wrong": Mistake(
        _declare(lambda v, x, y: v * y),
        WrongDerivative,
        ValueError,
        ["argument 0", "mend the rule"],
    ),
    "primitive: not linear": Mistake(
        _declare(lambda v, x, y: v * v), WrongDerivative, ValueError, ["transposes", "linear in v"]
    ),
    "primitive: two for one": Mistake(
        _declare(lambda v, x, y: (v, v)), WrongDerivative, ValueError, ["gives 2 derivatives"]
    ),
    "primitive: too few arguments": Mistake(
        _declare(lambda v, x: v), TypeMismatch, TypeError, ["called with (Real, Real, Real)"]
    ),
    "check_grads": Mistake(
        lambda: dc.check_grads(dc.with_derivative(lambda x: x * x, lambda x, g: g * 5.0), (1.0,)),
        WrongDerivative,
        ValueError,
        ["jvp gives", "differences"],
    ),
}


@each(DOOR | {f"rule: {name}": mistake for name, mistake in RULES.items()})
def test_a_mistake_has_its_own_error(mistake):
    check(mistake)


def test_a_failed_declaration_declares_nothing():
    from combinators.operation import PRIMITIVES

    with pytest.raises(WrongDerivative):
        _declare(lambda v, x, y: v * y)()
    assert "wrongly_declared_sine" not in PRIMITIVES


def test_a_traceback_shows_the_users_frames(monkeypatch):
    def inner(x):
        return x.foo + 1

    def outer(x):
        return dc.fold(lambda c, y: c + inner(y), 0.0, x)

    def wrong(x):
        raise KeyError("mine")

    for f, kind, names in (
        (outer, dc.MissingRule, ["outer", "<lambda>", "inner"]),
        (wrong, KeyError, ["wrong"]),
    ):
        with pytest.raises((kind, AttributeError)) as found:
            dc.grad(f)(np.ones(3))
        assert [entry.name for entry in found.traceback][1:] == names
    monkeypatch.setenv("DIFFCURRY_TRACEBACK", "whole")
    with pytest.raises(KeyError) as found:
        dc.grad(wrong)(np.ones(3))
    assert "specialise" in [entry.name for entry in found.traceback]
