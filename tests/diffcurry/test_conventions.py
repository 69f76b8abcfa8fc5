"""The front door keeps the conventions: argnums, has_aux, containers, dtypes, aliases."""

import dataclasses
import functools
from typing import Any, NamedTuple

import numpy as np
import pytest

import diffcurry as dc
from combinators.errors import WrongDerivative
from diffcurry import Fun, Product, Real, Tensor

MODES = ["dependent", "simple", "forward"]
every_mode = pytest.mark.parametrize("mode", [*MODES, "delta"])
reverse_modes = pytest.mark.parametrize("mode", [*MODES[:2], "delta"])
of_functions = pytest.mark.parametrize("mode", MODES[:2])
"""Those with functions among the arguments or the results."""


@every_mode
def test_argnums(mode):
    f = lambda x, y, z: x * y * y + z
    args = (2.0, 3.0, 5.0)
    assert dc.grad(f, mode=mode)(*args) == 9.0
    assert dc.grad(f, argnums=1, mode=mode)(*args) == 12.0
    assert dc.grad(f, argnums=-1, mode=mode)(*args) == 1.0
    assert dc.grad(f, argnums=(1, 0), mode=mode)(*args) == (12.0, 9.0)
    assert dc.grad(f, argnums=np.int64(1), mode=mode)(*args) == 12.0
    assert dc.grad(f, argnums=tuple(np.arange(2)), mode=mode)(*args) == (9.0, 12.0)
    assert dc.grad(f, argnums=[1, 0], mode=mode)(*args) == (12.0, 9.0)
    assert dc.grad(f, argnums=(-2,), mode=mode)(*args) == (12.0,)
    assert dc.grad(f, argnums=(), mode=mode)(*args) == ()


def test_a_list_of_argnums_is_a_tuple():
    f = lambda x, y: x * x * y
    args = (2.0, 3.0)
    for maker in (dc.jacrev, dc.jacfwd, dc.hessian, dc.value_and_grad):
        assert maker(f, argnums=[0, 1])(*args) == maker(f, argnums=(0, 1))(*args)
    assert dc.hvp(f, args, (1.0, 0.0), argnums=[0]) == (6.0,)
    inside = dc.fun(lambda x, y: dc.grad(f, argnums=[0, 1])(x, y))
    assert inside(*args) == (12.0, 4.0)


@every_mode
def test_keywords_and_defaults(mode):
    def f(x, y=3.0):
        return x * y

    assert dc.grad(f, mode=mode)(2.0) == 3.0
    assert dc.grad(f, mode=mode)(2.0, 5.0) == 5.0
    assert dc.grad(f, mode=mode)(2.0, y=5.0) == 5.0
    assert dc.grad(f, argnums=1, mode=mode)(x=2.0, y=5.0) == 2.0


@every_mode
def test_has_aux(mode):
    f = lambda x: (x * x, {"double": 2 * x, "n": 3})
    gradient, aux = dc.grad(f, has_aux=True, mode=mode)(5.0)
    assert (gradient, aux) == (10.0, {"double": 10.0, "n": 3})
    (value, aux), gradient = dc.value_and_grad(f, has_aux=True, mode=mode)(5.0)
    assert (value, aux["n"], gradient) == (25.0, 3, 10.0)


@reverse_modes
def test_has_aux_of_vjp_and_jvp(mode):
    f = lambda x: (x * x, 2 * x)
    value, pullback, aux = dc.vjp(f, 5.0, has_aux=True, mode=mode)
    assert (value, aux, pullback(3.0)) == (25.0, 10.0, (30.0,))
    assert dc.jvp(f, (5.0,), (2.0,), has_aux=True) == (25.0, 20.0, 10.0)


class Layer(NamedTuple):
    weight: Any
    bias: Any


@dataclasses.dataclass
class Net:
    first: Layer
    scale: float


@dataclasses.dataclass(frozen=True)
class Frozen:
    w: Any


@every_mode
def test_gradients_mirror_containers(mode):
    params = {
        "net": Net(Layer(np.ones((2, 3)), [1.0, 2.0]), 2.0),
        "more": (3.0, {"z": Frozen(4.0), "a": None}),
        "n": 7,
        "flag": True,
        "empty": ((), [], {}),
    }

    def loss(p):
        layer = p["net"].first
        hidden = layer.weight @ np.ones(3) * p["net"].scale
        (first, named) = p["more"]
        return np.sum(hidden) * first + layer.bias[0] * layer.bias[1] * named["z"].w * p["n"]

    gradient = dc.grad(loss, mode=mode)(params)
    assert isinstance(gradient["net"], Net)
    assert isinstance(gradient["net"].first, Layer)
    np.testing.assert_array_equal(gradient["net"].first.weight, np.full((2, 3), 6.0))
    assert gradient["net"].first.bias == [56.0, 28.0]
    assert gradient["net"].scale == 18.0
    assert gradient["more"] == (12.0, {"z": Frozen(14.0), "a": None})
    assert gradient["n"] is None
    assert gradient["flag"] is None
    assert gradient["empty"] == ((), [], {})
    assert list(gradient) == sorted(params)


@every_mode
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_gradient_has_its_arguments_dtype(mode, dtype):
    xs, x = np.array([1, 2], dtype), dtype(3)
    gradients = dc.grad(lambda a, b: np.sum(a * 2 * b) + b, argnums=(0, 1), mode=mode)(xs, x)
    assert [g.dtype for g in gradients] == [dtype, dtype]
    mixed = dc.grad(lambda a, b: np.sum(a * b), argnums=(0, 1), mode=mode)(xs, np.float64(2))
    assert [g.dtype for g in mixed] == [dtype, np.float64]


@every_mode
def test_integers_and_booleans_have_none(mode):
    f = lambda n, p, x: dc.cond(p, lambda: n * x, lambda: x)
    assert dc.grad(f, argnums=(0, 1, 2), mode=mode)(3, True, 2.0) == (None, None, 3.0)


@reverse_modes
def test_a_pullback_is_called_again(mode):
    xs = np.array([1.0, 2.0, 3.0])

    def f(w, xs):
        g = dc.fold(
            lambda h, x: dc.fun(lambda z: h(z) * x + w, Real), dc.fun(lambda z: z * w, Real), xs
        )
        return {"y": g(w), "xs": xs * w}

    _, pullback = dc.vjp(f, 2.0, xs, mode=mode)
    cotangent = {"y": 1.0, "xs": np.ones(3)}
    first, other, again = pullback(cotangent), pullback({"y": 2.0, "xs": None}), pullback(cotangent)
    np.testing.assert_equal(first, again)
    assert other[0] != first[0]
    np.testing.assert_equal(cotangent, {"y": 1.0, "xs": np.ones(3)})


@reverse_modes
def test_nothing_aliases_an_argument(mode):
    xs, seed = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    (same, pair), pullback = dc.vjp(lambda x: (x, (x, x)), xs, mode=mode)
    (gradient,) = pullback((seed, None))
    (later,) = pullback((seed, None))
    results = [same, *pair, gradient, later]
    for i, array in enumerate(results):
        assert not any(np.shares_memory(array, other) for other in (xs, seed, *results[:i]))
    gradient[:] = 0
    xs[:] = 100
    np.testing.assert_array_equal(pullback((seed, None))[0], [3.0, 4.0])


def test_free_arrays_are_copied_when_traced():
    weights = np.array([1.0, 2.0])
    f = dc.fun(lambda x: np.sum(weights * x))
    assert dc.grad(f)(1.0) == 3.0
    weights[:] = 100
    with pytest.warns(UserWarning, match="the array weights was changed in place"):
        assert dc.grad(f)(1.0) == 3.0
    assert dc.grad(f)(1.0) == 3.0


@every_mode
def test_loops_of_length_nought(mode):
    none = np.zeros(0)
    folded = lambda w, xs: dc.fold(lambda c, x: c * x, w, xs)
    value, (w, xs) = dc.value_and_grad(folded, argnums=(0, 1), mode=mode)(2.0, none)
    assert (value, w, xs.shape) == (2.0, 1.0, (0,))
    scanned = lambda w, xs: np.sum(dc.scan(lambda c, x: (c * x, c), w, xs)[1]) + w
    assert dc.grad(scanned, mode=mode)(2.0, none) == 1.0
    mapped = lambda w, xs: np.sum(dc.map(lambda x: x * w, xs))
    assert dc.grad(mapped, mode=mode)(2.0, none) == 0.0
    assert dc.grad(lambda x: np.sum(x), mode=mode)(np.zeros((0, 3))).shape == (0, 3)


scaled = functools.partial(lambda a, b, z: a * np.sin(z) + b["k"], 3.0, {"k": 0.5})


def test_the_cotangent_of_a_partial():
    f = lambda f, x: f(x) * f(x)
    dependent, _ = dc.vjp(f, scaled, 2.0)[1](1.0)
    simple, _ = dc.vjp(f, scaled, 2.0, mode="simple")[1](1.0)
    value = 3.0 * np.sin(2.0) + 0.5
    assert dict(dependent) == {"a": 2 * value * np.sin(2.0), "b": {"k": 2 * value}}
    assert simple == [(2.0, value), (2.0, value)]
    assert simple.merged() == [(2.0, 2 * value)]
    assert str(simple).splitlines()[0].split() == ["argument", "cotangent"]
    assert "a: " in repr(dependent)


@of_functions
def test_functions_that_capture_nothing_stand_still(mode):
    g = dc.fun(lambda z: z * z)
    f_bar, x_bar = dc.vjp(lambda f, x: f(x), g, 3.0, mode=mode)[1](1.0)
    assert x_bar == 6.0
    assert list(f_bar) == ([] if mode == "dependent" else [(3.0, 1.0)])
    unused, _ = dc.vjp(lambda f, x: x, g, 3.0, mode=mode)[1](1.0)
    assert unused is None


@of_functions
def test_functions_in_containers_are_arguments(mode):
    pair = (dc.fun(functools.partial(lambda a, z: a * z, 2.0), Real), 3.0)
    ((f_bar, x_bar),) = dc.vjp(lambda p: p[0](p[1]), pair, mode=mode)[1](1.0)
    assert x_bar == 2.0
    assert f_bar == ({"a": 3.0} if mode == "dependent" else [(3.0, 1.0)])


@of_functions
def test_a_function_of_several_and_one_that_returns_a_pair(mode):
    f = functools.partial(lambda a, x, y: (a * x, x * y), 2.0)
    _, pullback = dc.vjp(lambda f, x: f(x, 5.0)[0], f, 3.0, mode=mode)
    f_bar, x_bar = pullback(1.0)
    assert x_bar == 2.0
    assert f_bar == ({"a": 3.0} if mode == "dependent" else [((3.0, 5.0), (1.0, 0.0))])


@of_functions
def test_a_curried_function(mode):
    f = dc.fun(lambda k, z: dc.fun(lambda t: t * k * z, Real))
    _, pullback = dc.vjp(lambda f, x: f(x)(x + 1.0), functools.partial(f, 3.0), 2.0, mode=mode)
    f_bar, x_bar = pullback(1.0)
    assert x_bar == 15.0
    assert f_bar == ({"k": 6.0} if mode == "dependent" else [(2.0, [(3.0, 1.0)])])


@of_functions
def test_a_function_result_takes_its_cotangent_in_either_form(mode):
    f = lambda a, b: dc.fun(lambda z: z * a + b * b, Real)
    g, pullback = dc.vjp(f, 2.0, 3.0, mode=mode)
    assert g(5.0) == 19.0
    assert dict(g.captured) == {"a": 2.0, "b": 3.0}
    assert pullback([(5.0, 1.0), (2.0, 1.0)]) == (7.0, 12.0)
    assert pullback({"a": 1.0}) == (1.0, 0.0)
    assert pullback([]) == pullback({}) == pullback(None) == (0.0, 0.0)


@of_functions
def test_a_function_that_comes_in_and_goes_out(mode):
    a = functools.partial(lambda a, z: a * z, 3.0)
    _, pullback = dc.vjp(lambda f, x: (f, f(x)), a, 2.0, mode=mode)
    f_bar, x_bar = pullback(([(1.0, 2.0)], 1.0))
    assert x_bar == 3.0
    assert f_bar == ({"a": 4.0} if mode == "dependent" else [(2.0, 1.0), (1.0, 2.0)])
    assert pullback(({"a": 2.0}, 1.0))[0] == {"a": 4.0}


@of_functions
def test_calls_of_a_curried_result(mode):
    f = lambda x: dc.fun(lambda z: dc.fun(lambda t: t * z * x, Real), Real)
    g, pullback = dc.vjp(f, 2.0, mode=mode)
    assert g(3.0)(5.0) == 30.0
    assert pullback([(3.0, [(5.0, 1.0)])]) == (15.0,)


@of_functions
def test_a_returned_function_is_an_argument(mode):
    g = dc.fun(lambda a: dc.fun(lambda z: z * z * a, Real))(2.0)
    f_bar, x_bar = dc.vjp(lambda f, x: f(x), g, 3.0, mode=mode)[1](1.0)
    assert x_bar == 12.0
    assert f_bar == ({"a": 9.0} if mode == "dependent" else [(3.0, 1.0)])


def test_jvp_moves_functions():
    f = functools.partial(lambda a, z: a * z, 3.0)
    assert dc.jvp(lambda f, x: f(x) * x, (f, 2.0), ({"a": 1.0}, None)) == (12.0, 4.0)
    assert dc.jvp(lambda f, x: f(x) * x, (f, 2.0), (lambda z: z * z, 1.0)) == (12.0, 20.0)
    g, moved = dc.jvp(lambda a: dc.fun(lambda z: z * a * a, Real), (3.0,), (1.0,))
    assert (g(2.0), moved(2.0)) == (18.0, 12.0)


def test_calls_and_tangent_functions_pair():
    """⟨k, cs⟩ = Σ ⟨k(x), g⟩: what L3 means at function types (H7)."""
    f = functools.partial(lambda a, z: a * z, 3.0)
    k = lambda z: z * z + 1.0
    program = lambda f, x: np.sin(f(f(x)))
    _, moved = dc.jvp(program, (f, 0.5), (k, None))
    calls, _ = dc.vjp(program, f, 0.5, mode="simple")[1](1.0)
    np.testing.assert_allclose(moved, sum(k(x) * g for x, g in calls), rtol=1e-15)


def test_linear_maps():
    value, derivative = dc.linearize(lambda x, y: x * x * y, 2.0, 3.0)
    assert (value, derivative(1.0, 0.0), derivative(0.0, 1.0)) == (12.0, 12.0, 4.0)
    matrix = np.arange(6.0).reshape(2, 3)
    (transposed,) = dc.linear_transpose(lambda x: matrix @ x, np.zeros(3))(np.array([1.0, 2.0]))
    np.testing.assert_array_equal(transposed, matrix.T @ [1.0, 2.0])


def test_jacobians_agree_and_are_laid_out():
    f = lambda p: (p["a"] * p["b"], np.sum(p["b"]))
    p = {"a": 2.0, "b": np.array([1.0, 2.0])}
    backward, simple, forward = (dc.jacobian(f, mode=mode)(p) for mode in MODES)
    np.testing.assert_equal(backward, forward)
    np.testing.assert_equal(backward, simple)
    np.testing.assert_array_equal(forward[0]["a"], [1.0, 2.0])
    np.testing.assert_array_equal(forward[0]["b"], [[2.0, 0.0], [0.0, 2.0]])
    np.testing.assert_array_equal(forward[1]["b"], [1.0, 1.0])


def test_check_grads_passes_and_fails():
    dc.check_grads(lambda x, y: np.sin(x) * y, (0.3, np.array([1.0, 2.0])))
    dc.check_grads(lambda p: np.exp(p["a"]) * p["b"], ({"a": 0.1, "b": 2.0},), order=2)
    wrong = dc.with_derivative(lambda x: x * x, lambda x, g: 3.0 * g)
    for modes in (("fwd",), ("rev",)):
        with pytest.raises(WrongDerivative):
            dc.check_grads(wrong, (2.0,), modes=modes)


def test_declared_types_serve_plain_functions():
    one = Fun(Real, Real)
    f = dc.fun(lambda fs, x: fs[0](fs[1](x)), Product(one, one), Real)
    assert f((np.sin, lambda z: z * 2.0), 0.5) == np.sin(1.0)
    g = dc.fun(lambda f, x: np.sum(f(x)), Fun(Tensor((2,)), Tensor((2,))), Tensor((2,)))
    np.testing.assert_array_equal(
        dc.grad(g, argnums=1)(np.square, np.array([1.0, 2.0])), [2.0, 4.0]
    )
