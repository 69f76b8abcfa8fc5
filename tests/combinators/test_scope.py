"""Scopes keep sharing and place: a value is computed where it was made, named if used again."""

import inspect

import numpy as np
import pytest

import combinators.primitives  # noqa: F401
from combinators.errors import EscapedVariable, Place
from combinators.kit.text import Names
from combinators.objects import Real, Tensor
from combinators.tracing.cases import cond
from combinators.tracing.control import fold
from combinators.tracing.definition import Definition
from combinators.tracing.faces import face_of
from combinators.tracing.scope import Scope, current


def traced(function, *types):
    return Definition(function, types).specialise(types, tuple(map(face_of, types))).lam


def test_what_is_used_once_stands_where_it_is_used() -> None:
    assert repr(traced(lambda x: np.sin(x) * x, Real).body) == "sin x * x"


def test_what_is_used_again_is_named_once() -> None:
    def square_of_sine(x):
        s = np.sin(x)
        return s * s

    assert repr(traced(square_of_sine, Real).body) == "let v = sin x in v * v"


def test_two_equal_calls_are_two() -> None:
    assert repr(traced(lambda x: np.sin(x) * np.sin(x), Real).body) == "sin x * sin x"


def test_what_nothing_uses_is_dropped() -> None:
    def wasteful(x):
        np.cos(np.sin(x))
        return x

    assert repr(traced(wasteful, Real).body) == "x"


def test_a_value_made_outside_a_loop_stays_outside() -> None:
    def program(w, xs):
        s = np.sin(w)
        return fold(lambda c, z: c * s + z, 0.0, xs)

    shown = repr(traced(program, Real, Tensor((3,))).body)
    assert shown == "let v = sin w in fold (λ(c, z). c * v + z) 0 xs"


def test_a_value_made_in_a_branch_stays_in_it() -> None:
    shown = repr(traced(lambda x: cond(x > 0.0, lambda: np.log(x), lambda: -x), Real).body)
    assert shown == "if x > 0 then log x else -x"


def test_a_function_is_made_where_it_stands_and_once() -> None:
    def program(x, xs):
        g = Definition(lambda t: t * x, (Real,))
        return fold(lambda c, z: g(c) + g(z), 0.0, xs)

    shown = repr(traced(program, Real, Tensor((3,))).body)
    assert shown == "let f = λt. t * x in fold (λ(c, z). f c + f z) 0 xs"


def test_a_deep_expression_is_broken_into_named_parts() -> None:
    def deep(x):
        for _ in range(20):
            x = np.sin(x)
        return x

    body = traced(deep, Real).body
    assert repr(body).startswith("let v")
    assert len(body.bindings) == 2


def line() -> Place:
    frame = inspect.currentframe().f_back
    return Place(frame.f_code.co_filename, frame.f_lineno)


def test_a_variable_that_escapes_its_function() -> None:
    kept, place = [], []

    def program(x):
        Definition(lambda t: kept.append(t) or t, (Real,))
        place.append(line()), kept[0] + x
        return x

    with pytest.raises(EscapedVariable) as caught:
        traced(program, Real)
    assert str(caught.value) == (
        f"{place[0]}: t : Real was made inside a λ or a branch and is used outside it; "
        "return it from there instead"
    )
    assert isinstance(caught.value, NameError)


def test_a_variable_of_one_branch_in_the_other() -> None:
    kept = []

    def program(x):
        return cond(x > 0.0, lambda: kept.append(np.sin(x)) or kept[0], lambda: kept[0])

    with pytest.raises(EscapedVariable, match="the function then and is used outside it"):
        traced(program, Real)


def test_a_variable_of_another_trace() -> None:
    kept = []
    traced(lambda x: kept.append(x) or x, Real)
    with pytest.raises(EscapedVariable):
        traced(lambda x: x + kept[0], Real)


def test_an_error_leaves_no_scope_behind() -> None:
    def broken(x):
        raise KeyError("broken")

    with pytest.raises(KeyError):
        traced(broken, Real)
    assert current() is None


def test_scopes_enclose_those_inside_while_they_are_open() -> None:
    outer = Scope(None, "outer")
    inner, sibling = Scope(outer, "inner"), Scope(outer, "sibling")
    assert outer.encloses(outer)
    assert outer.encloses(inner)
    assert not inner.encloses(outer)
    assert not inner.encloses(sibling)
    outer.is_open = False
    assert not outer.encloses(inner)


def test_names_are_given_once() -> None:
    names = Names(["x1"])
    assert [names.fresh("x") for _ in range(3)] == ["x", "x2", "x3"]
    assert names.fresh("x1") == "x11"
