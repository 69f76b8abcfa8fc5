"""The front door of XLA: types, containers, caches, errors; and what it says without JAX."""

import dataclasses
import gc
import importlib
from typing import NamedTuple

import numpy as np
import pytest

import diffcurry as dc
from combinators.errors import MissingRule, ShapeMismatch, TypeMismatch, WrongMode

module = importlib.import_module("diffcurry.xla")  # beside the function of that name
WHY = "JAX is not installed: pip install 'diffcurry[xla]'"


@pytest.fixture
def jax():
    return pytest.importorskip("jax", reason=WHY)


@pytest.fixture
def xla(jax):
    return module.xla


class Pair(NamedTuple):
    a: object
    b: object


@dataclasses.dataclass
class Layer:
    weights: object
    bias: object


def test_without_jax_it_says_how_to_get_it(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(module, "import_module", missing)
    module.asked.cache_clear()
    with pytest.raises(MissingRule, match=r"pip install 'diffcurry\[xla\]'"):
        module.xla(lambda x: x)
    module.asked.cache_clear()
    assert "import jax" in dc.fun(np.sin, dc.Real).source("jax")


def test_sources_are_of_a_language_that_is_known():
    f = dc.fun(lambda x: x * x, dc.Real)
    assert f.source("python") == f.source("numpy") == f.source()
    assert "return x * x" in f.source("jax")
    assert "jnp.sin" in dc.fun(np.sin).source("jax", 1.0)
    with pytest.raises(WrongMode, match="'fortran'"):
        f.source("fortran")


def test_every_transform_has_a_source():
    def f(x):
        return np.sum(np.sin(x) ** 2)

    x = np.ones(3)
    for g in (dc.grad(f), dc.value_and_grad(f), dc.jacfwd(f), dc.jacrev(f), dc.hessian(f)):
        assert g.source("jax", x).startswith("import jax\n")


def test_values_are_arrays_of_jax_that_stay_on_their_device(xla, jax):
    f = xla(lambda x: np.sin(x) * 2.0)
    for x in (0.5, np.float64(0.5), np.ones(3), np.ones((2, 2), np.float32)):
        found = f(x)
        assert isinstance(found, jax.Array)
        assert found.dtype == np.asarray(x).dtype
        np.testing.assert_allclose(np.asarray(found), np.sin(x) * 2.0, rtol=1e-6)
        assert np.array_equal(f(found), f(np.asarray(found)))


def test_numbers_are_as_wide_as_here_whatever_jax_is_set_to(xla, jax):
    f = xla(lambda x, n: (x / 3.0, n * 2, x > 0))
    found = f(1.0, 2**40)
    assert [y.dtype.name for y in found] == ["float64", "int64", "bool"]
    assert int(found[1]) == 2**41
    with jax.enable_x64(True):
        assert [y.dtype.name for y in f(1.0, 2)] == ["float64", "int64", "bool"]
    assert not jax.config.jax_enable_x64


def test_containers_come_back_as_they_were(xla):
    def f(x):
        return np.sum(x["w"] * x["b"][0]) * x["b"][1].a * x["b"][1].b

    point = {"w": np.arange(3.0), "b": [2.0, Pair(3.0, 4.0)]}
    found, true = xla(dc.grad(f))(point), dc.grad(f)(point)
    assert type(found["b"]) is list
    assert type(found["b"][1]) is Pair
    np.testing.assert_allclose(np.asarray(found["w"]), true["w"])
    assert float(found["b"][1].a) == true["b"][1].a


def test_dataclasses_are_containers_too(xla):
    def f(layer, x):
        return np.sum(np.tanh(layer.weights @ x + layer.bias))

    layer = Layer(np.ones((2, 3)), np.zeros(2))
    slope = xla(dc.grad(f))
    for x in (np.ones(3), np.ones(3) * 2, np.ones((3, 2))[:, 0]):
        found, true = slope(layer, x), dc.grad(f)(layer, x)
        assert type(found) is Layer
        np.testing.assert_allclose(np.asarray(found.weights), true.weights)
    assert slope.lower(layer, np.ones(3)).as_text()
    made = xla(lambda x: Layer(x, x * 2))(1.0)
    assert (float(made.weights), float(made.bias)) == (1.0, 2.0)


def test_arguments_go_by_name_and_types_that_are_declared_hold(xla):
    f = xla(lambda x, y=2.0: x * y)
    assert float(f(3.0)) == 6.0
    assert float(f(3.0, y=4.0)) == 12.0
    assert xla(dc.fun(lambda x: x * 2, dc.Real))(3).dtype == np.float64
    with pytest.raises(TypeMismatch):
        xla(dc.fun(lambda x: x * 2, dc.Int))(3.5)


def test_it_is_traced_once_for_each_choice_of_types(xla):
    traced = []

    def f(x):
        traced.append(x.shape)
        return x * 2

    g = xla(f)
    for shape in ((2,), (2,), (3,), (2,), (3,)):
        g(np.ones(shape))
        g(np.zeros(shape))
    assert traced == [(2,), (3,)]


def test_it_is_a_function_in_other_functions(xla):
    square = xla(lambda x: x * x)
    assert dc.grad(lambda x: square(x) * x)(3.0) == 27.0
    assert dc.grad(square)(3.0) == 6.0
    assert dc.fun(lambda p: xla(lambda q: q.weights * 2)(p))(Layer(2.0, 1.0)) == 4.0


def test_what_it_does_not_take_is_named(xla):
    with pytest.raises(WrongMode, match="close over the function"):
        xla(lambda f, x: f(x))(np.sin, 1.0)
    with pytest.raises(TypeMismatch, match="arguments are numbers, arrays"):
        xla(lambda x: x)({1})
    with pytest.raises(ShapeMismatch, match="out of range"):
        xla(lambda x: x[5])(np.ones(3))
    f = dc.fun(lambda x: x, dc.Real)
    g = dc.fun(lambda x: x + 1.0, dc.Real)
    with pytest.raises(MissingRule, match="a conditional holds Real ⇒ Real"):
        xla(lambda x, a: dc.map(dc.cond(x > 0, lambda: f, lambda: g), a))(1.0, np.ones(3))


def test_words_are_static(xla):
    f = xla(lambda x, act: np.sum(getattr(np, act)(x)))
    for act in ("sin", "cos", "sin"):
        true = np.sum(getattr(np, act)(np.ones(3)))
        assert float(f(np.ones(3), act)) == pytest.approx(true)


def test_texts(xla):
    f = xla(dc.grad(lambda x: np.sum(np.sin(x))))
    assert "cosine" in f.lower(np.ones(3)).as_text()
    assert "HloModule" in f.compiled_text(np.ones(3))
    assert "jnp.cos" in f.source(np.ones(3))
    assert repr(f).startswith("<xla ")


def test_what_is_forgotten_is_let_go(xla):
    import weakref

    f = xla(lambda x: x * 2)
    f(np.ones(3))
    gone = weakref.ref(f.function)
    del f
    gc.collect()
    assert gone() is None


def test_fast_math_multiplies_as_jax_does(xla):
    slope = dc.grad(lambda x: np.sum(np.where(x > 0, np.sqrt(x), 0.0)))
    x = np.array([4.0, 0.0])
    np.testing.assert_array_equal(np.asarray(xla(slope)(x)), [0.25, 0.0])
    np.testing.assert_array_equal(np.asarray(xla(slope, fast_math=True)(x)), [0.25, np.nan])
    assert "_scale" not in xla(slope, fast_math=True).source(x)


@pytest.mark.gpu
def test_a_gpu_gives_what_numpy_gives(xla, jax):
    try:
        device = jax.devices("gpu")[0]
    except RuntimeError:
        pytest.skip("JAX sees no GPU on this machine")
    random = np.random.default_rng(0)

    def loss(w, x):
        last = dc.fold(lambda c, row: np.tanh(c @ w + row), np.zeros((8, 16)), x)
        return dc.cond(np.sum(last) > 0, lambda: np.sum(last**2), lambda: dc.logsumexp(last))

    w, x = random.standard_normal((16, 16)), random.standard_normal((10, 8, 16))
    with jax.default_device(device):
        found = xla(dc.value_and_grad(loss))(w, x)
    assert found[1].devices() == {device}
    value, slope = dc.value_and_grad(loss)(w, x)
    np.testing.assert_allclose(float(found[0]), value, rtol=1e-10)
    np.testing.assert_allclose(np.asarray(found[1]), slope, rtol=1e-8, atol=1e-10)


def test_what_xla_returns_is_taken_by_every_other_function(xla, jax):
    def f(x):
        return np.sum(np.sin(x) ** 2)

    x = np.arange(3.0)
    slopes = xla(dc.grad(f))(x)
    assert isinstance(slopes, jax.Array)
    true = np.sin(2 * np.asarray(slopes))
    np.testing.assert_allclose(dc.grad(f)(slopes), true)
    np.testing.assert_allclose(dc.vjp(f, slopes)[1](1.0)[0], true)
    np.testing.assert_allclose(
        dc.grad(lambda d: f(d["a"]) + f(d["b"]))({"a": x, "b": slopes})["b"], true
    )
    assert dc.fun(lambda x: np.sum(x * slopes))(x) == np.sum(x * np.asarray(slopes))
    with pytest.raises(TypeMismatch, match="Tracer"):
        jax.jit(dc.grad(f))(x)


def test_vmap_of_float64_without_x64_says_what_to_do(xla, jax):
    f = xla(lambda x: np.sin(x) ** 2)
    with pytest.raises(TypeMismatch, match=r"jax_enable_x64.*or map inside: xla\("):
        jax.vmap(f)(np.arange(3.0))
    assert jax.vmap(f)(np.arange(3.0, dtype="float32")).shape == (3,)
    with jax.enable_x64(True):
        np.testing.assert_allclose(jax.vmap(f)(np.arange(3.0)), np.sin(np.arange(3.0)) ** 2)
    np.testing.assert_allclose(xla(lambda xs: dc.map(f.function, xs))(np.arange(3.0))[1], f(1.0))


def test_a_value_of_a_sum_is_no_argument_and_xla_says_so(xla):
    double = dc.fun(lambda s: dc.case(s, lambda a: 2 * a, lambda b: b), dc.Sum(dc.Real, dc.Real))
    with pytest.raises(TypeMismatch, match="arguments are numbers, arrays and containers of them"):
        xla(double)(dc.inl(2.0))
