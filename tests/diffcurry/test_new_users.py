"""Defects that were found by using the library as a new user would, each by its sentence."""

import dataclasses
from typing import NamedTuple

import numpy as np
import pytest

import diffcurry as dc
from combinators.errors import DomainError, TypeMismatch, WrongDerivative
from diffcurry import Fun, Real, Tensor, fun


def linear(k):
    @dc.primitive(lambda v, x, y: dc.scale(v, k))
    def p(x):
        return k * x

    return p


@pytest.mark.parametrize("mode", ["dependent", "delta"])
def test_two_user_primitives_with_one_python_name_are_two(mode):
    a, b = linear(2.0), linear(3.0)
    f = lambda x: a(x) * b(x)
    assert dc.grad(dc.grad(f, mode=mode), mode=mode)(2.0) == 12.0
    assert dc.hvp(f, (2.0,), (1.0,)) == 12.0
    assert dc.grad(f, mode=mode)(2.0) == 24.0


@dataclasses.dataclass
class Dense:
    """A layer, and a container that can be called."""

    W: object
    b: object

    def __call__(self, x):
        return self.W @ x + self.b


class Scale(NamedTuple):
    """The same, as a NamedTuple."""

    k: object

    def __call__(self, x):
        return self.k * x


def test_a_dataclass_or_named_tuple_with_call_is_a_container_that_can_be_called():
    x = np.array([1.0, 2.0])
    found = dc.grad(lambda m, x: np.sum(m(x)))(Dense(np.eye(2), np.ones(2)), x)
    assert isinstance(found, Dense)
    np.testing.assert_array_equal(found.W, [[1.0, 2.0], [1.0, 2.0]])
    np.testing.assert_array_equal(found.b, [1.0, 1.0])
    assert dc.grad(lambda m, x: m(x) * m.k)(Scale(2.0), 3.0) == Scale(12.0)


@dataclasses.dataclass
class Activation:
    """A function with a setting."""

    name: str

    def __call__(self, x):
        return getattr(np, self.name)(x)


def test_a_dataclass_of_words_that_is_called_is_a_function():
    assert dc.grad(lambda act, x: act(x), 1)(Activation("sin"), 0.0) == 1.0


@pytest.mark.parametrize("jacobian", [dc.jacfwd, dc.jacrev, dc.jacobian])
def test_the_jacobian_of_several_results_has_the_arguments_inside(jacobian):
    h = lambda u, v: (u * 2, v * 3, u * v)
    assert jacobian(h, argnums=(0, 1))(1.0, 5.0) == ((2, 0), (0, 3), (5, 1))
    named = jacobian(lambda u, v: {"a": u, "b": (v, u * v)}, argnums=[1, 0])(1.0, 5.0)
    assert named == {"a": (0, 1), "b": ((1, 0), (1, 5))}


def test_the_jacobian_by_the_numbers_is_laid_out_as_the_program(monkeypatch):
    monkeypatch.setattr("diffcurry.transforms.LONG", 0)
    h = lambda u, v: (u * 2, v * 3, u * v)
    assert dc.jacrev(h, argnums=(0, 1))(1.0, 5.0) == ((2, 0), (0, 3), (5, 1))
    assert dc.jacfwd(h, argnums=(0, 1))(1.0, 5.0) == ((2, 0), (0, 3), (5, 1))


def test_defaults_are_not_traced_and_keywords_may_leave_others_out():
    def loss(w, x, act="tanh", depth=2, train=True, *, rate=1.0):
        assert act in ("tanh", "sin")
        out = getattr(np, act)(w * x) if train else w * x
        return out * depth * rate

    slope = dc.grad(loss)
    assert slope(2.0, 3.0, train=False) == 6.0
    assert slope(2.0, 3.0, train=False, depth=5) == 15.0
    assert slope(2.0, x=3.0, train=False, rate=2.0) == 12.0
    np.testing.assert_allclose(slope(2.0, 3.0), 6.0 * (1.0 - np.tanh(6.0) ** 2))
    np.testing.assert_allclose(slope(2.0, 3.0, act="sin"), 6.0 * np.cos(6.0))
    assert dc.fun(loss)(2.0, 3.0, train=False) == 12.0
    assert dc.jacobian(loss)(2.0, 3.0, train=False) == 6.0
    assert dc.vjp(loss)(2.0, 3.0, train=False)[1](1.0) == (6.0, 4.0)


def test_a_fully_annotated_function_keeps_its_defaults():
    def loss(w: float, x: float = 3.0) -> float:
        return w * x

    assert dc.grad(loss)(2.0) == 3.0
    assert dc.grad(loss)(2.0, x=4.0) == 4.0


class Foreign:
    """A function of C, which has no module."""

    __name__ = "cubed"
    __slots__ = ()

    def __call__(self, x):
        return np.asarray(x) ** 3

    @property
    def __module__(self):
        raise AttributeError("__module__")


def test_a_primitive_may_be_declared_of_a_function_without_a_module():
    cubed = dc.primitive(lambda v, x, y: dc.scale(v, 3.0 * x * x), types=(Real,))(Foreign())
    assert dc.grad(cubed)(2.0) == 12.0


def test_a_rule_may_use_its_own_primitive_and_is_checked():
    @dc.primitive(lambda v, x, y: dc.scale(v, own_exp(x)))
    def own_exp(x):
        return np.exp(x)

    assert dc.grad(dc.grad(own_exp))(0.0) == 1.0
    with pytest.raises(WrongDerivative):

        @dc.primitive(lambda v, x, y: dc.scale(v, wrong_exp(x) * 2.0))
        def wrong_exp(x):
            return np.exp(x)


def test_dir_lists_what_is_for_users():
    assert {"grad", "fun", "laws", "sin"} <= set(dir(dc))
    assert not {"known", "function", "readings", "transforms", "np"} & set(dir(dc))


def test_a_transform_shows_what_it_is():
    def loss(x):
        return x * x

    assert repr(dc.grad(loss)) == "<grad of loss>"
    assert repr(dc.grad(fun(loss, Real))).startswith("<grad of loss")
    assert repr(dc.vjp(loss)) == "<vjp of loss>"
    assert repr(dc.hessian(loss)) == "<hessian of loss>"
    f = fun(loss, Real)
    assert r"\operatorname{loss}(x) = x^{2}" in f._repr_latex_()
    assert r"\nabla \operatorname{loss}(x) = 2 x" in dc.grad(f)._repr_latex_()


def test_a_jacobian_has_the_parameter_names_of_its_function():
    found = dc.jacobian(lambda weight, rate: weight * rate)
    found(1.0, 2.0)
    assert "λ(weight : Real, rate : Real)" in str(found)


def test_arguments_are_counted_in_errors():
    with pytest.raises(TypeMismatch, match="takes 1 argument by position, and was given 2"):
        dc.grad(lambda x: x)(1.0, 2.0)
    with pytest.raises(TypeMismatch, match="missing a required argument: 'y'"):
        dc.grad(lambda x, y: x)(1.0)


@pytest.mark.parametrize("scale", [np.float32(3.0), np.float64(3.0)])
def test_check_grads_takes_a_larger_step_at_numbers_of_single_precision(scale):
    at = np.linspace(0.1, 2.0, 5, dtype=np.float32)
    dc.check_grads(lambda x: np.sin(x) * x * scale, (at,))
    dc.check_grads(lambda x: np.sum(np.sin(x) * x * scale), (at,), order=2)
    with pytest.raises(dc.WrongDerivative):
        dc.check_grads(dc.with_derivative(lambda x: x * x, lambda x, g: 2.1 * x * g), (at[2],))


def test_check_grads_moves_the_alternative_that_a_value_is():
    size = dc.Sum(side=Real, box=dc.Product(Real, Real))
    area = dc.fun(lambda s: dc.case(s, lambda a: a * a, lambda w, h: w * h), size)
    for given in (dc.inject(size, "side", 2.0), dc.inject(size, "box", 2.0, 3.0)):
        dc.check_grads(area, (given,), order=2)
    inside = dc.fun(lambda s: dc.case(s, lambda x: 2 * x, area), dc.Sum(Real, size))
    dc.check_grads(inside, (dc.inr(dc.inject(size, "side", 2.0)),))
    wrong = dc.with_derivative(lambda a: a * a, lambda a, w: w * a)
    bad = dc.fun(lambda s: dc.case(s, wrong, lambda w, h: w * h), size)
    dc.check_grads(bad, (dc.inject(size, "box", 2.0, 3.0),))
    with pytest.raises(dc.WrongDerivative):
        dc.check_grads(bad, (dc.inject(size, "side", 2.0),))


def test_check_grads_takes_a_smaller_step_where_its_own_leaves_the_domain():
    dc.check_grads(np.log, (1e-6,))
    dc.check_grads(lambda x: np.sqrt(x), (5e-6,), order=2)
    wrong = dc.with_derivative(lambda x: np.log(x), lambda x, g: g / x * 2.0)
    with pytest.raises(WrongDerivative):
        dc.check_grads(wrong, (1e-6,))
    with pytest.raises(DomainError, match="leaves the domain"):
        dc.check_grads(lambda x: np.log(x) * 0.0 + x, (0.0,))


def test_a_deep_tower_of_closures_is_run():
    def tower(x):
        step = lambda g, a: fun(lambda z: g(z) * a, Real)
        return dc.fold(step, fun(lambda z: z * x, Real), np.ones(5_000))(1.0)

    assert fun(tower)(2.0) == 2.0
    assert dc.grad(tower)(2.0) == 1.0


def test_a_transform_of_a_function_parameter_is_returned():
    cube = lambda z: z**3
    assert fun(lambda x: fun(lambda f: dc.grad(f), Fun(Real, Real))(cube)(x), Real)(2.0) == 12.0


def test_jacobians_of_function_arguments_are_programs():
    f = lambda g, x: np.stack([g(x[0]), g(x[1]) * x[0]])
    found = dc.jacobian(f, argnums=1)(lambda z: z * z, np.array([1.0, 2.0]))
    np.testing.assert_array_equal(found, [[2.0, 0.0], [4.0, 4.0]])
    assert Tensor((2,)) is Tensor((2,))


def test_a_nan_in_the_loss_is_found_where_it_arises():
    def loss(x, y):
        scaled = np.log(x) * y
        return scaled + x

    with dc.debug_nans():
        assert dc.grad(loss)(1.0, 2.0) == 3.0
        with pytest.raises(DomainError, match=r"log gives nan, and is given -1\.0") as caught:
            dc.fun(loss)(-1.0, 2.0)
        assert "test_new_users.py" in str(caught.value)
        with pytest.raises(DomainError, match="gives nan"):
            dc.grad(lambda x: np.sum(np.sqrt(x)))(np.array([1.0, -1.0]))
        assert np.isnan(dc.fun(loss)(np.nan, 2.0))
    assert np.isnan(dc.fun(loss)(-1.0, 2.0))


def test_linear_transpose_in_a_program_says_to_write_vjp():
    double = lambda y: 2.0 * y
    with pytest.raises(dc.WrongMode, match=r"write vjp\(f, x\)\[1\]"):
        dc.fun(lambda x: dc.linear_transpose(double, x)(x))(3.0)
    assert dc.fun(lambda x: dc.vjp(double, x)[1](x)[0])(3.0) == 6.0
