"""``>>`` and the words beside it: combinators that are written by hand, and obey their laws."""

from __future__ import annotations

from functools import reduce
from operator import rshift
from typing import Any, NamedTuple

import numpy as np
import pytest

import diffcurry as dc
from combinators.morphisms import interpret
from combinators.terms import Var
from combinators.translate import constant
from diffcurry import Fun, Product, Real, Record, Tensor, Vector, fun, laws, order
from interpreters.carriers.numpy import NumPy
from interpreters.execution.running import Closure
from interpreters.modes.primal import Primal

SQUARE, SINE = fun(lambda x: x * x, Real), fun(np.sin, Real)
DISTANCE = dc.fork(dc.proj(0) >> np.square, dc.proj(1) >> np.square) >> np.add >> np.sqrt


class ByHand:
    """The category whose arrows are functions of the language, by the words of the front door."""

    def run(self, arrow: Any, point: Any) -> Any:
        return arrow(point)

    def identity(self, dom: Any) -> Any:
        return fun(dc.identity, dom)

    def compose(self, arrows: Any) -> Any:
        return reduce(rshift, arrows)

    def prod(self, dom: Any, arrows: Any) -> Any:
        return fun(dc.fork(*arrows), dom)

    def proj(self, dom: Any, index: int, cod: Any) -> Any:
        return fun(dc.proj(index), dom)

    def relabel(self, source: Any, target: Any) -> Any:
        if isinstance(target, Record):
            return fun(lambda whole: dict(zip(target.names, whole, strict=True)), source)
        return fun(lambda whole: tuple(whole.values()), source)

    def const(self, dom: Any, value: Any) -> Any:
        return fun(dc.const(value.array), dom)

    def curry(self, captured: Any, function: Any, body: Any, label: Any) -> Any:
        return fun(lambda env: fun(lambda x: body((*env, x)), function.dom), captured)

    def eval(self, function: Any) -> Any:
        return fun(lambda pair: dc.eval(*pair), Product(function, function.dom))


def test_the_laws_of_a_closed_category_hold_of_what_is_written_by_hand() -> None:
    assert laws.check(ByHand, max_examples=4)


def test_a_chain_is_first_f_then_g() -> None:
    assert (SQUARE >> SINE)(2.0) == np.sin(4.0)
    assert DISTANCE(3.0, 4.0) == 5.0
    assert DISTANCE((3.0, 4.0)) == 5.0


def test_a_chain_is_associative_and_the_identity_is_its_unit() -> None:
    f, g, h = SQUARE, SINE, fun(lambda x: x + 1.0, Real)
    left, right = (f >> g) >> h, f >> (g >> h)
    assert left.types == right.types == (Real,)
    assert left(0.3) == right(0.3) == (dc.identity >> left)(0.3) == (left >> dc.identity)(0.3)
    assert dc.grad(left)(0.3) == dc.grad(right)(0.3)


def test_a_chain_has_derivatives_and_derivatives_are_chained() -> None:
    assert dc.grad(SQUARE >> SINE)(2.0) == pytest.approx(4.0 * np.cos(4.0))
    assert (dc.grad(SQUARE) >> SQUARE)(3.0) == 36.0
    np.testing.assert_allclose(dc.jacobian(DISTANCE, argnums=(0, 1))(3.0, 4.0), (0.6, 0.8))
    by_slope = dc.grad(lambda a, x: (fun(lambda z: a * z, Real) >> np.sin)(x))
    assert by_slope(2.0, 3.0) == pytest.approx(3.0 * np.cos(6.0))


def test_functions_of_python_stand_on_either_side() -> None:
    assert (np.sin >> SQUARE)(2.0) == np.sin(2.0) ** 2
    assert (SQUARE >> (lambda x: (x, 1.0)) >> (lambda x, y: x - y))(3.0) == 8.0


def test_functions_that_are_given_or_returned_are_chained() -> None:
    twice = fun(lambda f, x: (f >> SQUARE >> f)(x), Fun(Real, Real), Real)
    assert twice(lambda x: x + 1.0, 2.0) == 10.0
    assert fun(lambda f, x: (np.cos >> f)(x))(lambda x: 2.0 * x, 1.0) == 2.0 * np.cos(1.0)
    line = fun(lambda a: fun(lambda z: a * z, Real))(3.0)
    assert (line >> SQUARE)(2.0) == (SQUARE >> line >> line)(2.0) == 36.0


def test_a_long_chain_takes_time_in_proportion_to_its_length() -> None:
    chain = reduce(rshift, [fun(lambda x: x + 1.0)] * 1_000)
    assert chain(0.0) == 1_000.0


def test_what_does_not_compose_names_both_types_at_once() -> None:
    total = fun(np.sum, Tensor((3,)))
    with pytest.raises(dc.NotComposable, match=r"<lambda> gives Real, sum takes Tensor\[3\]"):
        SQUARE >> total
    untyped = fun(lambda x: (x, x)) >> total
    with pytest.raises(dc.NotComposable, match=r"gives Real × Real, sum takes Tensor\[3\]"):
        untyped(1.0)


@pytest.mark.parametrize("wrong", [3, "f", None])
def test_what_is_no_function_is_not_composed(wrong: Any) -> None:
    with pytest.raises(dc.TypeMismatch, match=r">> of .* composes functions"):
        SQUARE >> wrong
    with pytest.raises(dc.TypeMismatch, match=r">> of .* composes functions"):
        wrong >> SQUARE


def test_a_shift_of_numbers_says_what_to_write() -> None:
    with pytest.raises(dc.TypeMismatch, match=r"x : Int composes functions, .* x // 2\*\*n"):
        fun(lambda x: x >> 2)(8)


class Point(NamedTuple):
    x: float
    f: Any


def test_a_constant_is_of_any_closed_value() -> None:
    value = dc.const((1.0, [np.arange(2), Point(2.0, SQUARE)], {"a": True}, None))(5.0)
    assert value[0] == 1.0
    assert value[1][1].f(3.0) == 9.0
    np.testing.assert_array_equal(value[1][0], [0, 1])
    assert value[2:] == ({"a": True}, None)
    assert dc.grad(lambda x: dc.const((SQUARE, 2.0))(x)[0](x))(3.0) == 6.0
    assert dc.grad(dc.const(2.0))(3.0) == 0.0
    assert (dc.const(SQUARE)(1.0))(3.0) == 9.0


def test_the_combinator_const_is_of_any_closed_term() -> None:
    value = fun(lambda: (2.0, {"a": np.arange(2)}, SQUARE)).program().lam.body
    arrow = constant(Product(Real, Real), value)
    assert (arrow.dom, arrow.cod) == (Product(Real, Real), value.type)
    mode = Primal(over=NumPy())
    number, (array,), square = mode.value(interpret(arrow, mode), (1.0, 1.0))
    assert number == 2.0
    np.testing.assert_array_equal(array, [0, 1])
    assert isinstance(square, Closure)
    with pytest.raises(dc.UnboundVariable):
        constant(Real, Var("x", Real))


def test_a_component_is_chosen_by_place_or_by_name() -> None:
    record = {"a": 1.0, "b": 2.0}
    assert dc.proj("b")(record) == dc.proj(1)(record) == dc.proj(1)(1.0, 2.0) == 2.0
    for wrong, given in [(2, (1.0, 2.0)), ("c", record), (0, np.ones(3)), (-1, (1.0, 2.0))]:
        with pytest.raises(dc.TypeMismatch, match=r"proj: .* has no component"):
            dc.proj(wrong)(given)


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (Product(Real, Record(a=dc.Int)), 0),
        (Fun(Real, Real), 1),
        (Fun(Real, Fun(Real, Fun(Real, Real))), 1),
        (Fun(Fun(Real, Real), Real), 2),
        (Fun(Product(Real, Vector(Fun(Fun(Real, Real), Real), 2)), Real), 3),
        (Product(Real, Fun(Real, Real)), 1),
    ],
)
def test_the_order_of_a_type_says_how_deep_functions_take_functions(
    obj: Any, expected: int
) -> None:
    assert order(obj) == expected
