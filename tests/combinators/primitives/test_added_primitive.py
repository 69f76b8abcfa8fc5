"""To add a primitive touches two files: its declaration and its values. Then all else follows."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sympy

import diffcurry as dc
from combinators.objects import Real, Tensor
from combinators.operation import PRIMITIVES, named
from combinators.tracing.traced import LIBRARY, WORDS
from diffcurry.models.primitives import PrimitiveModel
from interpreters.carriers.counting import Counting
from interpreters.carriers.numpy import NumPy
from interpreters.carriers.pointwise_values import ROWS
from laws.structures.primitive import LAWS
from tests.laws.asking import holds

MODES = ("dependent", "simple", "delta")
X = np.array([-0.8, 0.0, 1.3])


@pytest.fixture(scope="module")
def gudermannian() -> Iterator[Any]:
    """It is there while these tests run: others ask of every primitive."""
    here = "tests.combinators.primitives.gudermannian"
    declared, _ = (importlib.reload(importlib.import_module(n)) for n in (here, f"{here}_values"))
    yield declared.gudermannian
    for table in (PRIMITIVES, ROWS, LIBRARY, WORDS):
        del table["gudermannian"]


def of_numbers(x: float) -> float:
    return 2 * math.atan(math.tanh(x / 2))


@pytest.mark.parametrize("x", [-0.8, 0.0, 1.3])
@pytest.mark.parametrize("mode", MODES)
def test_it_has_values_and_derivatives_in_every_mode(
    gudermannian: Any, mode: str, x: float
) -> None:
    f = lambda x: gudermannian(x) * x
    slope = x / math.cosh(x) + of_numbers(x)
    second = 2 / math.cosh(x) - x * math.tanh(x) / math.cosh(x)
    assert dc.fun(f)(x) == pytest.approx(of_numbers(x) * x)
    assert dc.grad(f, mode=mode)(x) == pytest.approx(slope)
    assert dc.jvp(f, (x,), (1.0,))[1] == pytest.approx(slope)
    assert dc.grad(dc.grad(f, mode=mode))(x) == pytest.approx(second)


@pytest.mark.parametrize("at", [0.7, X], ids=["a number", "an array"])
def test_it_is_written_as_python_and_numpy(gudermannian: Any, at: Any) -> None:
    def f(x: Any) -> Any:
        return np.sum(gudermannian(2.0 * x) * x)

    slope = lambda x: 2 * x / np.cosh(2 * x) + 2 * np.arctan(np.tanh(x))
    space: dict[str, Any] = {}
    exec(dc.grad(f).source("python", at), space)
    np.testing.assert_allclose(space["grad_f"](at), slope(at))
    np.testing.assert_allclose(dc.grad(f)(at), slope(at))


def test_it_is_written_for_xla(gudermannian: Any) -> None:
    assert "jnp.arctan(jnp.tanh(" in dc.fun(gudermannian).source("jax", X)


def test_it_has_a_formula_a_cost_and_a_printed_name(gudermannian: Any) -> None:
    x = sympy.Symbol("x", real=True)
    assert dc.fun(gudermannian, Real).program().formula() == 2 * sympy.atan(sympy.tanh(x / 2))
    assert (
        str(dc.fun(lambda x: gudermannian(x) + 1.0, Real)) == "λ(x : Real).\n  gudermannian x + 1"
    )
    carrier = Counting(NumPy())
    carrier.operation(named("gudermannian").plain, (Tensor((3,)),), Tensor((3,)))(X)
    assert carrier.counts == {"gudermannian": 3}
    assert dc.fun(gudermannian, Real).cost().certificate


def test_arrays_of_it_are_one_operation_and_not_a_loop(gudermannian: Any) -> None:
    f = lambda x: np.sum(dc.build(3, lambda i: gudermannian(x[i])))
    np.testing.assert_allclose(dc.grad(f)(X), 1 / np.cosh(X))
    assert "for " not in dc.grad(f).source("python", X)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_the_laws_of_primitives_hold(gudermannian: Any, law: Any) -> None:
    model = PrimitiveModel(named("gudermannian").plain, (Tensor((3,)),), (-2.0, 2.0), {})
    if law.structure.is_claimed_by(model):
        holds(law, model, 3)
