"""Derivatives are functions of the language: with a term, inside other programs, run as Python."""

import numpy as np
import pytest

import diffcurry as dc
from combinators.kit.tree import distinct_nodes
from diffcurry import Fun, Real, Tensor, fold, fun, grad, jvp, vjp

XS = np.linspace(0.1, 1.0, 23)
FUNCTION = Fun(Real, Real)


def close(found, true):
    np.testing.assert_allclose(found, true, rtol=1e-12, atol=1e-12)


def test_a_gradient_prints_before_any_value_is_given():
    product = fun(lambda x, y: x * y + np.sin(x), Real, Real)
    assert str(grad(product, (0, 1))) == "λ(x : Real, y : Real).\n  (y + cos x, x)"
    assert "Tangent" in str(grad(fun(lambda h, x: h(x), FUNCTION, Real), argnums=0))


def test_what_a_call_gives_and_nobody_needs_is_not_compiled():
    both = fun(lambda x: (np.sin(x), np.cos(x)))
    second = fun(lambda x: both(x)[1], Real)
    assert "sin" in str(second)
    assert "sin" not in second.source()
    assert second(0.0) == 1.0


def test_a_program_without_functions_is_compiled_as_it_is_written():
    assert "x * 1.0" in fun(lambda x: x * 1.0, Real).source()


def test_a_gradient_has_the_lines_of_its_loop_whatever_its_length():
    lines = {
        len(str(grad(fun(lambda a: fold(lambda c, x: c * x, 1.0, a), Tensor((n,))))).splitlines())
        for n in (10, 10_000)
    }
    assert len(lines) == 1


def test_a_gradient_is_traced_once_for_all_function_arguments():
    traced = []

    def twice(h, x):
        traced.append(h)
        return h(h(x))

    gradient = grad(twice, argnums=1)
    close(gradient(np.sin, 1.0), np.cos(np.sin(1.0)) * np.cos(1.0))
    close(gradient(np.cos, 1.0), np.sin(np.cos(1.0)) * np.sin(1.0))
    assert len(traced) == 1


def test_gradients_of_gradients():
    cube = lambda x: x * x * x * x
    close(grad(grad(cube))(2.0), 48.0)
    close(grad(grad(grad(grad(cube))))(2.0), 24.0)
    close(fun(lambda x: grad(grad(cube))(x) * x)(2.0), 96.0)


def test_no_perturbation_is_confused():
    close(grad(lambda x: x * grad(lambda y: x + y)(1.0))(3.0), 1.0)
    close(grad(lambda x: x * jvp(lambda y: x + y, (1.0,), (1.0,))[1])(3.0), 1.0)
    close(jvp(lambda x: x * grad(lambda y: x + y)(1.0), (3.0,), (1.0,))[1], 1.0)
    close(grad(lambda x: grad(lambda y: x * y * y)(x))(3.0), 12.0)


def test_the_gradient_of_a_function_that_captures():
    def outer(x, w):
        inner = lambda y: w["a"] * y * y * x
        return grad(inner)(x) + w["b"]

    value, (dx, dw) = dc.value_and_grad(outer, (0, 1))(3.0, {"a": 2.0, "b": 1.0})
    close(value, 2 * 2.0 * 3.0 * 3.0 + 1.0)
    close(dx, 4 * 2.0 * 3.0)
    close([dw["a"], dw["b"]], [18.0, 1.0])


def test_the_gradient_of_a_function_value():
    slope = fun(lambda h, x: grad(h)(x), FUNCTION, Real)
    close(slope(np.sin, 1.0), np.cos(1.0))
    close(grad(slope, 1)(np.sin, 1.0), -np.sin(1.0))
    along = fun(lambda x: slope(fun(lambda z: np.sin(z) * x, Real), x))
    close(along(1.1), np.cos(1.1) * 1.1)
    for mode in ("dependent", "simple"):
        close(grad(along, mode=mode)(1.1), np.cos(1.1) - np.sin(1.1) * 1.1)
    close(jvp(along, (1.1,), (1.0,))[1], np.cos(1.1) - np.sin(1.1) * 1.1)
    close(grad(grad(along))(1.1), -2 * np.sin(1.1) - np.cos(1.1) * 1.1)
    weighted = fun(lambda h, x: x * grad(lambda y: h(y) * y)(x), FUNCTION, Real)
    close(weighted(np.sin, 1.3), 1.3 * (np.cos(1.3) * 1.3 + np.sin(1.3)))


def test_the_amazing_bug_is_not_there():
    """Manzyuk et al.: a derivative returns a function that is differentiated by another."""
    shift = lambda u: fun(lambda f: fun(lambda x: f(x + u), Real), FUNCTION)

    def twice(y):
        slope = jvp(shift, (0.0,), (1.0,))[1]
        return slope(slope(fun(np.exp, Real)))(y)

    close(fun(twice)(1.0), np.e)
    for mode in ("dependent", "simple"):
        close(grad(twice, mode=mode)(1.0), np.e)
    close(grad(grad(twice))(1.0), np.e)
    close(jvp(twice, (1.0,), (1.0,)), (np.e, np.e))


def test_gradients_of_gradients_of_functions_of_functions():
    twice = lambda h, x: h(h(x))
    second = grad(grad(twice, argnums=1), argnums=1)
    slope = lambda x: np.cos(np.sin(x)) * np.cos(x)
    step = 1e-6
    true = (slope(0.5 + step) - slope(0.5 - step)) / (2 * step)
    np.testing.assert_allclose(second(np.sin, 0.5), true, rtol=1e-8)


def test_the_derivative_of_an_unknown_derivative_is_a_program():
    slope = fun(lambda h, x: grad(h)(x), FUNCTION, Real)
    assert "rep" not in str(grad(slope, 1))
    close(grad(slope, 1)(np.sin, 0.5), -np.sin(0.5))


def test_vjp_and_jvp_as_functions():
    pair = fun(lambda x, y: (x * y, np.sin(x)), Real, Real)
    assert "λ(dy : Real × Real)" in str(vjp(pair))
    value, pullback = vjp(pair)(2.0, 3.0)
    close(value, (6.0, np.sin(2.0)))
    close(pullback((1.0, 1.0)), (3.0 + np.cos(2.0), 2.0))
    value, tangent = jvp(pair)(2.0, 3.0, 1.0, 0.0)
    close(tangent, (3.0, np.cos(2.0)))

    def inside(x):
        (product, _), back = vjp(pair, x, 3.0)
        return back((product, 1.0))[0]

    close(fun(inside)(2.0), 18.0 + np.cos(2.0))
    close(grad(inside)(2.0), 9.0 - np.sin(2.0))


def test_auxiliary_results_inside_a_program():
    with_aux = lambda x: (x * x, {"half": x / 2.0})
    gradient, aux = fun(lambda x: grad(with_aux, has_aux=True)(x))(3.0)
    close([gradient, aux["half"]], [6.0, 1.5])
    value, back, aux = fun(lambda x: vjp(with_aux, x, has_aux=True))(3.0)
    close([value, back(1.0)[0], aux["half"]], [9.0, 6.0, 1.5])
    value, tangent, aux = fun(lambda x: jvp(with_aux, (x,), (1.0,), has_aux=True))(3.0)
    close([value, tangent, aux["half"]], [9.0, 6.0, 1.5])


@pytest.mark.parametrize("jacobian", [dc.jacfwd, dc.jacrev])
def test_jacobians_inside_a_program(jacobian):
    a = np.array([[1.0, 2.0], [3.0, 4.0]])
    f = lambda x: {"v": a @ x * x, "s": np.sum(x)}
    x = np.array([1.0, -2.0])
    outside, inside = jacobian(f)(x), fun(lambda x: jacobian(f)(x))(x)
    for name in ("v", "s"):
        close(inside[name], outside[name])
    nested = lambda p: p["w"] * p["b"][0] * p["b"][1]
    point = {"w": 2.0, "b": (3.0, 4.0)}
    assert fun(lambda p: jacobian(nested)(p))(point) == jacobian(nested)(point)


def test_second_derivatives_inside_a_program():
    q = lambda x: x[0] * x[0] * x[1] + x[1] * x[1] * x[1]
    x, v = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    close(fun(lambda x: dc.hessian(q)(x))(x), dc.hessian(q)(x))
    close(fun(lambda x: dc.hvp(q, (x,), (v,)))(x), dc.hessian(q)(x) @ v)
    close(grad(lambda x: np.sum(dc.hessian(q)(x)))(x), [4.0, 8.0])
    line = lambda x: dc.linearize(lambda t: t * t * t, x)
    close(fun(lambda x: line(x)[0] + line(x)[1](0.5))(2.0), 8.0 + 6.0)


@pytest.mark.parametrize("every", [1, 4, 23, 100])
def test_checkpoints_change_no_derivative(every):
    step = lambda w: lambda c, x: np.tanh(c * w + x)
    plain = lambda w, xs: fold(step(w), w, xs)
    kept = lambda w, xs: fold(step(w), w, xs, checkpoint=every)
    close(fun(kept)(0.7, XS), fun(plain)(0.7, XS))
    for transform in (lambda f: grad(f, (0, 1)), lambda f: vjp(f, 0.7, XS)[1](1.0)):
        found, true = transform(kept), transform(plain)
        if callable(found):
            found, true = found(0.7, XS), true(0.7, XS)
        close(found[0], true[0])
        close(found[1], true[1])
    close(grad(kept, mode="simple")(0.7, XS), grad(plain)(0.7, XS))
    close(jvp(kept, (0.7, XS), (1.0, XS))[1], jvp(plain, (0.7, XS), (1.0, XS))[1])
    close(grad(grad(kept))(0.7, XS), grad(grad(plain))(0.7, XS))


def test_a_checkpointed_fold_keeps_a_carry_every_so_often():
    def kept(checkpoint):
        f = fun(lambda w, xs: fold(lambda c, x: np.tanh(c * w + x), w, xs, checkpoint=checkpoint))
        program = grad(f).program(0.7, np.zeros(400))
        return sorted(
            {
                node.type.parts[1].size
                for node in distinct_nodes(program.lam)
                if getattr(node, "operation", None) and node.operation.name == "scan"
                for node in [node]
                if isinstance(node.type.parts[1], Tensor)
            }
        )

    assert max(kept(20), default=0) == 20


def test_a_checkpoint_is_a_positive_number_of_steps():
    with pytest.raises(dc.TypeMismatch, match="positive number of steps"):
        fun(lambda x: fold(lambda c, t: c, x, XS, checkpoint=0))(1.0)
    steps = fun(lambda x: fold(lambda c, t: c * t, x, XS, checkpoint=np.int64(2)))
    assert steps(2.0) == fun(lambda x: fold(lambda c, t: c * t, x, XS))(2.0)


def test_recompute_runs_the_function_again():
    again = dc.recompute(lambda x, y: np.sin(x) * y)
    close(again(1.0, 2.0), np.sin(1.0) * 2.0)
    close(grad(again, (0, 1))(1.0, 2.0), (np.cos(1.0) * 2.0, np.sin(1.0)))
    close(vjp(again, 1.0, 2.0)[1](1.0), (np.cos(1.0) * 2.0, np.sin(1.0)))


def test_the_simply_typed_form_is_a_program_too():
    def f(w, x):
        scaled = fun(lambda z: np.sin(z * w), Real)
        folded = fold(lambda c, t: c + scaled(t) * scaled(c), x, XS)
        return dc.cond(folded > 0.0, lambda: scaled(folded), lambda: scaled(x) * w)

    simple, dependent = grad(f, (0, 1), mode="simple"), grad(f, (0, 1))
    close(fun(lambda w, x: simple(w, x))(0.3, 0.4), dependent(0.3, 0.4))
    close(grad(lambda w: simple(w, 0.4)[0])(0.3), grad(lambda w: dependent(w, 0.4)[0])(0.3))


def test_the_gradient_of_a_gradient_of_a_function_that_is_chosen_or_made_is_a_program():
    def chosen(x, y):
        cube, square = fun(lambda z: z**3 * x, Real), fun(lambda z: z**2 * y, Real)
        return grad(dc.cond(x > y, lambda: cube, lambda: square))(x)

    def made(x, xs):
        start = fun(lambda z: z * x, Real)
        return grad(fold(lambda h, a: fun(lambda z: h(z) * a * z, Real), start, xs))(x)

    assert grad(chosen)(2.0, 1.0) == vjp(chosen, 2.0, 1.0)[1](1.0)[0] == 36.0
    assert grad(chosen, argnums=(0, 1))(1.0, 2.0) == (4.0, 2.0)
    xs = np.array([2.0, 3.0])
    assert grad(made)(2.0, xs) == vjp(made, 2.0, xs)[1](1.0)[0]
    assert "rep" not in str(grad(chosen).program(2.0, 1.0))


def test_what_nobody_needs_of_a_call_in_a_loop_is_not_written():
    rows = np.array([0.5])

    @fun(Real, Tensor((1,)))
    def last(x, rows):
        def body(c, r):
            constant = fun(lambda z: c, Real)
            return fold(lambda h, q: fun(lambda z: c, Real), constant, rows)(r)

        return np.sum(dc.scan(lambda c, r: (x, x), fold(body, x, rows), rows)[1])

    slope = fun(lambda z: jvp(lambda w: last(w, rows), (z,), (1.0,))[1], Real)
    assert slope(2.0) == 1.0
    assert grad(slope)(2.0) == 0.0
