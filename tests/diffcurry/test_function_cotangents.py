"""Cotangents of functions: one type in two forms, added, scaled, compared and handed back."""

import functools
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import diffcurry as dc
from combinators.errors import TypeMismatch, UnknownCode
from diffcurry import Calls, Captured, Real, fun

BOTH = pytest.mark.parametrize("mode", ["dependent", "simple"])


def make(a):
    return fun(lambda z: (a * z, a + z), Real)


@BOTH
def test_the_calls_of_a_function_whose_result_is_a_product_are_handed_back(mode):
    f, pullback = dc.vjp(make, 2.0, mode=mode)
    assert pullback([(3.0, (1.0, 10.0))]) == (13.0,)
    calls, _ = dc.vjp(lambda f, x: f(x)[0] * f(x)[1], f, 3.0, mode="simple")[1](1.0)
    assert pullback(calls) == (21.0,)


def test_an_environment_among_calls_is_shown_as_what_was_captured():
    g = functools.partial(lambda a, z: a * z * z, 3.0)
    for mode in ("simple", "dependent"):
        _, pullback = dc.vjp(lambda f, x: dc.grad(f)(x), g, 2.0, mode=mode)
        assert pullback(1.0) == ({"a": 4.0}, 6.0)


@BOTH
def test_an_environment_is_handed_back_as_the_cotangent_inside_a_call(mode):
    def of_functions(a):
        return fun(lambda x: fun(lambda y: a * x * y * a, Real), Real)

    _, pullback = dc.vjp(of_functions, 2.0, mode=mode)
    assert pullback([(3.0, {"a": 1.0})]) == (1.0,)
    assert pullback([(3.0, {"a": 1.0, "x": 7.0}), (1.0, [(1.0, 1.0)])]) == (5.0,)


def test_the_tangent_of_a_function_may_give_functions():
    curried = fun(functools.partial(lambda a, x: fun(lambda y: a * x * y, Real), 2.0), Real)
    moved = dc.jvp(
        lambda f, x: f(x)(x), (curried, 3.0), (lambda x: fun(lambda y: x * y, Real), 0.0)
    )
    assert moved == (18.0, 9.0)


def test_merged_is_a_normal_form():
    one = Calls([(1.0, 2.0), (3.0, 4.0)]).merged()
    assert one == Calls([(3.0, 4.0), (1.0, 2.0)]).merged()
    nested = Calls([(1.0, (Calls([(2.0, 0.0)]), 3.0))]).merged()
    assert nested == Calls([(1.0, (Calls([]), 3.0))])
    assert Calls([(2, 1.0), (2.0, 1.0)]).merged() == Calls([(2.0, 2.0)])
    assert Calls([(0.0, 1.0), (-0.0, 1.0)]).merged() == Calls([(-0.0, 1.0), (0.0, 1.0)])
    assert Calls([(2**53 + 1, 1.0), (2.0**53, 1.0)]).merged() != Calls([(2.0**53, 2.0)])


def test_cotangents_of_functions_are_added_scaled_and_compared():
    calls = Calls([(np.array([1.0, 2.0]), {"b": 1.0, "c": None})])
    assert (2.0 * calls + calls).equivalent(3 * calls)
    assert sum([calls, calls]).equivalent(calls * 2)
    assert not (calls + calls).equivalent(calls)
    assert (calls + -calls).merged() == []
    inner = Captured({"a": 1.0, "f": Captured({"b": 2.0})})
    assert inner + {"f": {"b": 1.0}} == {"a": 1.0, "f": {"b": 3.0}}
    assert (inner * 2).equivalent({"f": {"b": 4.0}, "a": 2.0})
    assert Calls([(1.0, Calls([(2.0, 1.0)])), (1.0, Calls([(2.0, -1.0)]))]).equivalent([])


def test_the_two_forms_are_not_added():
    with pytest.raises(TypeMismatch, match="hand both to the pullback"):
        Calls([(1.0, 1.0)]) + Captured({"a": 1.0})


def test_the_cotangent_of_a_closure_is_no_other_closures_of_its_shape():
    def line(k):
        return lambda a: fun((lambda z: a * z) if k else (lambda z: a + z), Real)

    (f, pullback), (g, other) = dc.vjp(line(0), 2.0), dc.vjp(line(1), 2.0)
    of_f, _ = dc.vjp(lambda h, x: h(x), f, 3.0)[1](1.0)
    of_g, _ = dc.vjp(lambda h, x: h(x), g, 3.0)[1](1.0)
    assert pullback(of_f) == (1.0,)
    assert other(of_g) == (3.0,)
    with pytest.raises(TypeMismatch, match="is of another function"):
        pullback(of_g)
    with pytest.raises(TypeMismatch, match="of different code"):
        of_f + of_g
    assert pullback(dict(of_g)) == (3.0,)


@pytest.mark.parametrize(("mode", "height"), [("dependent", 1000), ("simple", 60)])
def test_a_tower_of_a_thousand_closures_is_handed_back(mode, height):
    def tower(x):
        def storey(below, a):
            return fun(lambda t: below(t) + a * x, Real)

        return dc.fold(storey, fun(lambda t: t * x, Real), np.ones(height))

    top, pullback = dc.vjp(tower, 2.0, mode=mode)
    assert pullback([(3.0, 1.0)]) == (height + 3.0,)
    captured, _ = dc.vjp(lambda h, t: h(t), top, 3.0)[1](1.0)
    assert pullback(captured) == (height + 3.0,)
    assert pullback(captured + captured) == (2 * height + 6.0,)
    assert (2 * captured).equivalent(captured + captured)


def test_a_partial_of_a_partial_captures_a_third():
    inner = functools.partial(lambda a, z: a * z, 3.0)
    middle = functools.partial(lambda g, b, z: g(z) * b, inner, 2.0)
    outer = functools.partial(lambda h, c, z: h(z) * c, middle, 5.0)
    captured, x = dc.vjp(lambda f, x: f(x), outer, 7.0)[1](1.0)
    assert (captured["c"], captured["h"]["b"], captured["h"]["g"]["a"], x) == (42, 105, 70, 30)


def test_a_returned_closure_can_be_differentiated():
    line = fun(lambda a: fun(lambda x: a * x * x, Real))(2.0)
    assert dc.grad(line)(3.0) == 12.0
    assert dc.grad(dc.grad(line))(3.0) == 4.0
    assert dc.jvp(line, (3.0,), (1.0,)) == (18.0, 12.0)
    assert fun(lambda x: line(x) + dc.grad(line)(x))(3.0) == 30.0
    apply = fun(lambda a: fun(lambda f, y: f(y) * a, dc.Fun(Real, Real), Real))(2.0)
    assert dc.grad(apply)(line, 0.5) == {"a": 0.5}
    assert np.isclose(dc.grad(apply, argnums=1)(np.sin, 0.5), 2 * np.cos(0.5))


def nested(a, depth):
    """Functions that capture functions, numbers, arrays and pairs."""
    if not depth:
        return functools.partial(lambda a, z: a * z, a)
    below = nested(a + 1.0, depth - 1)
    inside = lambda g, p, xs, z: g(z) * p[0] + p[1] * xs[0]
    return functools.partial(inside, below, (a, 2.0), (a,))


@BOTH
@pytest.mark.parametrize("depth", range(4))
def test_what_is_shown_reads_as_what_it_was(mode, depth):
    """``show (read c) ~ c``, of the cotangents of functions that capture functions."""
    g = nested(1.5, depth)
    _, pullback = dc.vjp(lambda g, x: g(x) * g(2.0) + g(x), g, 3.0, mode=mode)
    shown, _ = pullback(1.0)
    _, back = dc.vjp(lambda g: (g, g(1.0)), g, mode=mode)
    (again,) = back((shown, 0.0))
    if mode == "simple":
        again = Calls([call for call in again if call.cotangent])
    assert again.equivalent(shown)
    (twice,) = back((2 * shown + shown, 0.0))
    assert twice.equivalent(3 * shown)


def test_the_tangent_space_of_a_function_is_that_of_what_it_captured():
    g = nested(1.5, 1)
    space = dc.tangent_space(fun(g, Real))
    assert repr(space) == "{g: {a: Real}, p: Real × Real, xs: (Real,)}"
    assert dc.tangent_space(dc.vjp(make, 2.0)[0]) is dc.Record(a=Real)
    assert repr(
        dc.tangent_space(fun(lambda x: fun(lambda y: x * y, Real), Real), mode="simple")
    ) == ("[(Real, [(Real, Real)])]")
    assert dc.tangent_space(2.0) is Real
    with pytest.raises(TypeMismatch, match="depends on its types"):
        dc.tangent_space(lambda x: x)


def test_the_simply_typed_form_of_nested_functions_is_bounded_and_says_so(monkeypatch):
    monkeypatch.setattr("interpreters.modes.reverse.MOST_CALLS", 3_000)

    def nest(x, n):
        return fun(lambda y: x * nest(y, n - 1), Real)(x) if n else x * x

    with pytest.raises(dc.WrongMode, match="runs the body of a function again for every call"):
        dc.grad(lambda x: nest(x, 40), mode="simple")(1.0)
    with pytest.warns(UserWarning, match="check_grads leaves a form out"):
        dc.check_grads(lambda x: nest(x, 40), (1.0,))


class Line(NamedTuple):
    slope: float
    height: float


def line(a):
    return fun(lambda z: Line(a, a * z), Real)


def test_a_returned_function_gives_the_users_container():
    f = fun(line)(2.0)
    assert repr(f(3.0)) == repr(Line(np.float64(2.0), np.float64(6.0)))
    assert type(pickle.loads(pickle.dumps(f))(3.0)) is Line
    primal, tangent = dc.jvp(f, (3.0,), (1.0,))
    assert (primal, tangent) == ((2.0, 6.0), (0.0, 2.0))
    assert type(primal) is type(tangent) is Line
    g, pullback = dc.vjp(line, 2.0)
    assert type(g(3.0)) is Line
    assert pullback([(3.0, Line(1.0, 10.0))]) == (31.0,)
    inner = fun(lambda a: {"k": fun(lambda z: [a, fun(line)(z)], Real)})(2.0)["k"](3.0)
    assert type(inner) is list
    assert type(inner[1](1.0)) is Line


def test_a_function_that_is_made_in_a_trace_gives_the_users_container():
    make = fun(line)
    assert fun(lambda a: make(a)(3.0).height)(2.0) == 6.0
    assert type(fun(lambda a: make(a))(2.0)(3.0)) is Line
    choose = fun(lambda a: dc.cond(a > 0, lambda: line(a), lambda: line(-a)))
    assert choose(-2.0)(3.0) == Line(2.0, 6.0)
    other = fun(lambda a: dc.cond(a > 0, lambda: line(a), lambda: fun(lambda z: Line(z, a), Real)))
    assert other(-2.0)(3.0) == Line(3.0, -2.0)


def powers(a, b):
    """A recursive function that captures, and one of two that call one another."""
    alone = dc.rec(lambda self, x: dc.cond(x < 1, lambda: a, lambda: b * self(x / 2)), Real)
    even = dc.rec(lambda n: dc.cond(n < 1, lambda: a, lambda: b * odd(n - 1)), Real, returns=Real)
    odd = dc.rec(lambda n: dc.cond(n < 1, lambda: b, lambda: a * even(n - 1)), Real, returns=Real)
    return alone, even


@BOTH
def test_the_cotangent_of_a_recursive_function_is_that_of_what_it_captured(mode):
    (alone, even), pullback = dc.vjp(powers, 2.0, 3.0, mode=mode)
    assert (list(alone.captured), list(even.captured)) == (["a", "b"], ["a", "b"])
    assert dc.tangent_space(alone) == dc.tangent_space(even) == dc.Record(a=Real, b=Real)
    assert dc.tangent_space(even, mode="simple").argument == Real
    assert pullback(({"a": 1.0}, {"b": 2.0})) == (1.0, 2.0)
    assert pullback(([(3.0, 1.0)], [(2.0, 1.0)])) == (9.0 + 12.0, 12.0 + 12.0 - 8.0)  # ab², ba²


@BOTH
def test_cotangents_of_recursive_functions_are_added_scaled_compared_and_handed_back(mode):
    (alone, _), pullback = dc.vjp(powers, 2.0, 3.0, mode=mode)
    cotangent = dc.vjp(lambda f, x: f(x) + f(2 * x), alone, 3.0, mode=mode)[1](1.0)[0]
    assert (cotangent + cotangent).equivalent(2 * cotangent)
    assert not cotangent.equivalent(2 * cotangent)
    assert pullback((cotangent + cotangent, None)) == (2 * (9.0 + 27.0), 2 * (12.0 + 54.0))


def test_a_recursive_function_takes_cotangents_of_either_form_inside_a_trace():
    def inside(a, b):
        _, pullback = dc.vjp(lambda s, t: powers(s, t)[0], a, b)
        return (
            pullback([(3.0, 1.0)]),
            pullback({"s": 1.0}),
            dc.grad(lambda f: f(3.0))(powers(a, b)[0]),
        )

    assert fun(inside)(2.0, 3.0) == ((9.0, 12.0), (1.0, 0.0), {"a": 9.0, "b": 12.0})
    total = lambda a, b: sum(inside(a, b)[0])
    assert dc.grad(total, argnums=(0, 1))(2.0, 3.0) == (2 * 3.0, 2 * 3.0 + 2 * 2.0)


@BOTH
def test_a_recursive_function_that_captures_nothing_is_an_argument_in_every_mode(mode):
    halved = dc.rec(lambda self, x: dc.cond(x < 1, lambda: x, lambda: x * self(x / 2)), Real)
    assert dc.grad(lambda f, x: f(x), 1, mode=mode)(halved, 3.0) == 3 * 3.0**2 / 8
    assert dc.jvp(lambda f, x: f(x), (halved, 3.0), (None, 1.0))[1] == 3 * 3.0**2 / 8
    assert dc.tangent_space(halved) == dc.Unit


@BOTH
def test_a_recursive_function_that_gives_what_captures_itself_captures_no_step(mode):
    def giving(a):
        def body(self, x):
            return fun(
                lambda z: dc.cond(z < 1, lambda: a * z + x, lambda: self(x)(z / 2) * a), Real
            )

        return dc.rec(body, Real, returns=dc.Fun(Real, Real))

    inner, pullback = dc.vjp(lambda a: giving(a)(1.0), 2.0, mode=mode)
    assert inner(3.0) == 2.0**3 * 0.75 + 2.0**2
    assert pullback([(3.0, 1.0)]) == (13.0,)
    assert pullback({"a": 1.0, "body": {"a": 2.0}}) == (3.0,)


def test_a_returned_function_is_a_function_of_its_types():
    line = dc.vjp(lambda a: fun(lambda z: a * z, Real), 2.0)[0]
    assert dc.grad(fun(line))(5.0) == 2.0
    assert fun(line).types == (Real,)


def scaled(a, x):
    return a * x * x


SUM = dc.Sum(line=dc.Fun(Real, Real), number=Real)
CHOSEN = fun(lambda s, x: dc.case(s, lambda f: f(x), lambda n: n * x), SUM, Real)
FOLDED = fun(lambda fs, x: dc.fold(lambda y, f: f(y), x, fs), dc.List(dc.Fun(Real, Real)), Real)
THREE = functools.partial(scaled, 3.0)
RETURNED = dc.vjp(lambda a: fun(lambda x: a * x * x, Real), 3.0)[0]


@pytest.mark.parametrize("function", [THREE, fun(THREE, Real), RETURNED])
def test_functions_in_sums_keep_what_they_captured_wherever_the_sum_was_made(function):
    inside = dc.Maybe(SUM)
    held = fun(lambda m, x: dc.case(m, lambda: x, lambda s: CHOSEN(s, x)), inside, Real)
    for given in (dc.inl(function), dc.inject(SUM, "line", function)):
        for use, value in ((CHOSEN, given), (held, dc.inject(inside, dc.inject(SUM, 0, function)))):
            assert dc.grad(use, argnums=(0, 1))(value, 2.0) == (("line", {"a": 4.0}), 12.0)
            assert dc.vjp(use, value, 2.0, mode="simple")[1](1.0) == (("line", [(2.0, 1.0)]), 12.0)


def test_functions_in_lists_keep_what_they_captured_wherever_the_list_was_made():
    two = fun(functools.partial(scaled, 2.0), Real)
    end = dc.cons(two, dc.nil)
    for given in ([THREE, two], dc.cons(fun(THREE, Real), [two]), dc.cons(RETURNED, end)):
        gradient = dc.grad(FOLDED, argnums=(0, 1))(given, 1.0)  # 2 (3 x²)²
        assert gradient == ([{"a": 12.0}, {"a": 9.0}], 72.0)


@dataclass
class Held:
    """A function in a class."""

    f: Callable[[float], float]


@dataclass
class Twice:
    """Another, applied twice."""

    inside: "Nested"


Nested = Held | Twice


def test_functions_in_classes_keep_what_they_captured_wherever_the_value_was_made():
    @dc.rec
    def applied(n: Nested, x: float) -> float:
        return dc.case(n, lambda h: h.f(x), lambda t: applied(t.inside, applied(t.inside, x)))

    for given in (Twice(Held(THREE)), dc.inject(Nested, Twice(dc.inject(Nested, Held(THREE))))):
        gradient = dc.grad(applied, argnums=(0, 1))(given, 1.0)  # a (a x²)²
        assert gradient == (Twice(Held({"a": 27.0})), 108.0)


def test_functions_made_of_functions_capture_what_those_captured():
    typed, call = fun(THREE, Real), lambda f, x: f(x)
    bound = functools.partial(fun(functools.partial(lambda a, b, x: a * b * x, 3.0)), 2.0)
    pairs = [
        (bound, {"a": 4.0, "b": 6.0}, 6.0),
        (typed >> np.sqrt, {"f": {"a": 2.0 / np.sqrt(12.0)}}, np.sqrt(3.0)),
        (np.negative >> typed, {"g": {"a": 4.0}}, 12.0),
        (dc.fork(typed, np.sin) >> (lambda u, v: u), {"f": {"functions": ({"a": 4.0}, {})}}, 12.0),
        (dc.const(3.0), {"value": 1.0}, 0.0),
        (dc.recompute(THREE), {"f": {"a": 4.0}}, 12.0),
        (dc.with_derivative(typed, lambda x, g: 5.0 * g), {"f": {"a": 4.0}}, 5.0),
        (dc.grad(typed), {"f": {"a": 4.0}}, 6.0),
        (fun(dc.grad(THREE), Real), {"f": {"a": 4.0}}, 6.0),
        (fun(RETURNED, Real), {"a": 4.0}, 12.0),
        (dc.grad(fun(RETURNED, Real)), {"f": {"a": 4.0}}, 6.0),
        (dc.grad(dc.grad(THREE)), {"f": {"f": {"a": 2.0}}}, 0.0),
        (dc.curry(fun(lambda x, y: x * y, Real, Real))(2.0), {"x": 2.0}, 2.0),
    ]
    for function, captured, moved in pairs:
        given, gradient = dc.grad(call, argnums=(0, 1))(function, 2.0)
        assert given.equivalent(captured), (function, given)
        np.testing.assert_allclose(gradient, moved)
        assert dc.vjp(call, function, 2.0)[1](1.0)[0].equivalent(captured)


def test_the_derivative_of_a_function_in_a_sum_or_a_list_is_differentiated():
    perhaps, functions = dc.Maybe(dc.Fun(Real, Real)), dc.List(dc.Fun(Real, Real))

    def in_a_sum(a):
        given = dc.cond(
            a > 0, lambda: dc.inject(perhaps, cube(a)), lambda: dc.inject(perhaps, None)
        )
        return dc.case(given, lambda: 0.0, lambda f: dc.grad(f)(2.0))

    def in_a_list(a):
        given = dc.cons(cube(a), dc.inject(functions, [cube(a * a)]))
        return dc.fold(lambda s, f: s + dc.grad(f)(2.0), 0.0, given)

    def cube(a):
        return fun(lambda z: a * z**3, Real)

    for use, slope in ((in_a_sum, 12.0), (in_a_list, 12.0 + 72.0)):
        for mode in ("dependent", "simple"):
            assert dc.grad(use, mode=mode)(3.0) == slope
        assert dc.jvp(use, (3.0,), (1.0,))[1] == slope
        with pytest.raises(UnknownCode, match=r"held by a sum or a list .* known"):
            fun(lambda a, use=use: dc.grad(use)(a), Real)(3.0)


def test_a_derivative_that_is_given_its_types_is_that_derivative():
    cube = lambda x: x**3
    assert fun(dc.grad(cube), Real)(2.0) == dc.rec(dc.grad(cube), Real)(2.0) == 12.0
    assert fun(dc.value_and_grad(cube), Real)(2.0) == (8.0, 12.0)
