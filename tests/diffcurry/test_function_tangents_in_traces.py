"""A function's cotangent and tangent are inside a trace what they are outside."""

from functools import partial

import numpy as np
import pytest

import diffcurry as dc
from diffcurry import Real, cond, fun


def of_a_function(g, x):
    return g(x) * g(2.0) * x


EITHER = dc.Sum(dc.Fun(Real, Real), Real)


def square(a):
    return fun(lambda z: a * z * a, Real)


def test_a_function_tangent_inside_a_trace_is_taken_along():
    g, k = fun(lambda z: z * z, Real), fun(lambda z: z, Real)
    assert dc.jvp(lambda h: h(3.0), (g,), (k,))[1] == 3.0
    assert fun(lambda x: dc.jvp(lambda h: h(x), (g,), (k,))[1])(3.0) == 3.0
    assert fun(lambda x: dc.linearize(lambda h: h(x), g)[1](k))(3.0) == 3.0
    assert dc.grad(lambda x: dc.jvp(lambda h: h(x), (g,), (k,))[1])(3.0) == 1.0


@pytest.mark.parametrize(
    "direction", [{"a": 1.0}, lambda z: 2.0 * 3.0 * z, fun(lambda z: 6.0 * z, Real), None]
)
def test_every_form_of_a_functions_tangent_is_one_inside_and_outside(direction):
    g = partial(lambda a, z: a * z * a, 3.0)
    outside = dc.jvp(of_a_function, (g, 5.0), (direction, 0.5))
    inside = fun(lambda x: dc.jvp(of_a_function, (g, x), (direction, 0.5)))(5.0)
    assert np.allclose(inside, outside, rtol=1e-14)
    again = fun(lambda a, x: dc.jvp(of_a_function, (square(a), x), (direction, 0.5)))(3.0, 5.0)
    assert np.allclose(again, outside, rtol=1e-14)


def test_a_function_moves_along_a_function_that_gives_functions():
    curried = fun(partial(lambda a, x: fun(lambda y: a * x * y, Real), 2.0), Real)
    along = fun(lambda x: fun(lambda y: x * y, Real), Real)
    moved = fun(lambda x: dc.jvp(lambda f, x: f(x)(x), (curried, x), (along, 0.0)))
    assert moved(3.0) == (18.0, 9.0)


@pytest.mark.parametrize("mode", ["dependent", "simple"])
def test_the_gradient_in_a_function_is_that_of_what_it_captured_inside_a_trace_too(mode):
    def h(a):
        return dc.grad(lambda g: g(2.0) ** 2, mode=mode)(fun(lambda z: a * z, Real))

    assert fun(h)(3.0) == {"a": 24.0}
    assert fun(lambda a: h(a)["a"])(3.0) == 24.0
    assert dc.grad(lambda a: h(a)["a"])(3.0) == 8.0
    assert fun(lambda a: h(a) + 2.0 * h(a))(3.0) == {"a": 72.0}


def test_transforms_of_functions_give_inside_a_trace_what_they_give_outside():
    outside = dc.vjp(of_a_function, partial(lambda a, z: a * z * a, 3.0), 5.0)

    def both(a, x):
        value, pullback = dc.vjp(of_a_function, square(a), x)
        return value, pullback(1.0)

    value, (of_g, of_x) = fun(both)(3.0, 5.0)
    assert (value, of_g, of_x) == (outside[0], *outside[1](1.0))
    bound = fun(lambda a, b, x: dc.grad(of_a_function)(partial(lambda a, z: a * z * b, a), x))
    assert bound(3.0, 2.0, 5.0) == {"a": 1200.0, "b": 1800.0}
    assert fun(lambda x: dc.grad(of_a_function)(np.sin, x))(5.0) == {}
    pair = fun(lambda a, x: dc.grad(lambda p: p[0](p[1]))((square(a), x)))
    assert pair(3.0, 5.0) == ({"a": 30.0}, 9.0)


@pytest.mark.parametrize("mode", ["dependent", "simple"])
@pytest.mark.parametrize("cotangent", [[(3.0, 1.0), (5.0, 2.0)], {"a": 1.5}, [], None])
def test_vjp_in_a_trace_gives_the_value_and_takes_a_functions_cotangent_in_either_form(
    mode, cotangent
):
    value, pullback = dc.vjp(square, 2.0, mode=mode)

    def inside(x):
        value, pullback = dc.vjp(square, x, mode=mode)
        return value(3.0), pullback(cotangent)

    assert fun(inside)(2.0) == (value(3.0), pullback(cotangent))


def test_a_cotangent_inside_a_call_is_taken_inside_a_trace():
    def curried(a):
        return fun(lambda x: fun(lambda y: a * x * y * a, Real), Real)

    def inside(x):
        value, pullback = dc.vjp(curried, x)
        return value(3.0)(5.0), pullback([(3.0, [(5.0, 1.0)])])

    value, pullback = dc.vjp(curried, 2.0)
    assert fun(inside)(2.0) == (value(3.0)(5.0), pullback([(3.0, [(5.0, 1.0)])]))
    assert dc.grad(lambda x: inside(x)[1][0])(2.0) == 30.0


def test_auxiliary_results_are_functions_inside_a_trace_too():
    aux = fun(lambda x: dc.grad(lambda a: (a * a, square(a)), has_aux=True)(x)[1](3.0))
    assert aux(2.0) == 12.0

    def inside(x):
        value, pullback, aux = dc.vjp(lambda a: (square(a), square(2 * a)), x, has_aux=True)
        return value(1.0), pullback([(1.0, 1.0)]), aux(1.0)

    assert fun(inside)(2.0) == (4.0, (4.0,), 16.0)


def test_what_a_chosen_function_captured_is_asked_for_as_calls():
    def choose(a):
        return cond(a > 0, lambda: square(a), lambda: fun(lambda z: z + a, Real))

    assert fun(lambda x: dc.vjp(choose, x)[1]([(3.0, 1.0)]))(2.0) == (12.0,)
    with pytest.raises(dc.TypeMismatch, match="give its cotangent as a list of calls"):
        fun(lambda x: dc.vjp(choose, x)[1]({"a": 1.0}))(2.0)
    with pytest.raises(dc.TypeMismatch, match="captures a, and not b"):
        fun(lambda x: dc.vjp(square, x)[1]({"b": 1.0}))(2.0)


def test_what_a_function_of_unknown_code_captured_is_shown_in_order():
    """Inside the program a parameter's code is not known, and its captures have no names."""
    slope = fun(lambda g, x: dc.grad(of_a_function)(g, x), dc.Fun(Real, Real), Real)
    assert slope(partial(lambda a, z: a * z * a, 3.0), 5.0) == (5400.0,)


@pytest.mark.parametrize(
    "derivative",
    [lambda f, a: dc.grad(f)(a), lambda f, a: dc.jvp(f, (a,), (1.0,))[1]],
    ids=["grad", "jvp"],
)
def test_a_vector_of_functions_is_captured_inside_a_trace(derivative):
    def slope(a, xs):
        functions = dc.map(lambda x: dc.fun(lambda z: z * z * x * a, Real), xs)
        return derivative(lambda t: dc.fold(lambda c, f: c + f(t), 0.0, functions), a)

    xs = np.array([1.0, 2.0, 3.0])
    assert dc.fun(slope)(2.0, xs) == 48.0  # (Σ xs a t²)' = 2 a t Σ xs, where t is a
    assert dc.grad(slope)(2.0, xs) == 48.0


@pytest.mark.parametrize(
    ("made", "first"),
    [
        (lambda f: dc.cons(f, dc.nil), lambda fs: fs[0]),
        (lambda f: dc.inject(EITHER, 0, f), lambda s: s.value),
    ],
    ids=["list", "sum"],
)
def test_functions_in_a_list_or_a_sum_have_tangents_at_numbers(made, first):
    def scaled(x):
        return made(dc.fun(lambda z: x * x * z, Real))

    for value, tangent in (
        dc.jvp(scaled, (2.0,), (1.0,)),
        (dc.vjp(scaled, 2.0)[0], dc.linearize(scaled, 2.0)[1](1.0)),
    ):
        assert first(value)(3.0) == 12.0
        assert first(tangent)(3.0) == 12.0  # (x² z)' = 2 x z
    with pytest.raises(dc.NotDifferentiable, match=r"a program for jvp of what gives .*Real ⇒"):
        dc.jvp(dc.fun(scaled, Real)).program()
