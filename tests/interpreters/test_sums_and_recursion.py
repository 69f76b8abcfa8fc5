"""Sums, recursion and recursive data, run in every mode: primitives, and no new combinator."""

import tracemalloc

import numpy as np
import pytest

from combinators import primitives  # noqa: F401 (declares the words)
from combinators.errors import TypeMismatch, WrongAlternative
from combinators.morphisms import Morphism, interpret
from combinators.objects import Fun, Mu, MuVar, Object, Product, Real, Sum, Tagged, Unit
from combinators.primitives.structural import FIX
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Tuple, Var, const
from combinators.translate import translate
from combinators.type_folds import tangent_of, unfolded
from combinators.value_folds import Injected
from interpreters.carriers.numpy import NumPy
from interpreters.modes.delta import Deltas
from interpreters.modes.primal import Primal
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Dependent, Pullback, Reverse
from interpreters.sparse_cotangents import dense
from tests.interpreters.backends.terms_of_recursion import NUMBERS, applied, powers, squares

OVER = NumPy()


def numbers(items: list[float]) -> Injected:
    """A list as its cells."""
    cells = Injected(0, ())
    for item in reversed(items):
        cells = Injected(1, (np.float64(item), cells))
    return cells


def morphism(lam: Lam) -> Morphism:
    return translate(lam.params, lam.body)


REVERSE = [Dependent(OVER), Pullback(OVER)]
AT = np.float64(1.3), np.float64(7.0)
VALUE = 1.3**4 * 7 * 3.5 * 1.75 * 0.875
GRADIENT = 4 * VALUE / 1.3, 4 * VALUE / 7


def test_a_recursive_function_calls_itself() -> None:
    mode = Primal(OVER)
    assert mode.value(interpret(morphism(powers()), mode), AT) == pytest.approx(VALUE)


@pytest.mark.parametrize("mode", REVERSE)
def test_what_a_recursive_function_captures_has_the_cotangents_of_every_call(mode: Reverse) -> None:
    _, pullback = mode.rep(interpret(morphism(powers()), mode), AT)
    found = dense(OVER, pullback(np.float64(1.0)), Product(Real, Real))
    assert found == pytest.approx(GRADIENT)


def test_a_recursive_function_moves_with_what_it_captures() -> None:
    mode = Pushforward(OVER)
    _, moved = mode.push(
        interpret(morphism(powers()), mode), AT, (np.float64(1.0), np.float64(2.0))
    )
    assert moved == pytest.approx(GRADIENT[0] + 2 * GRADIENT[1])


@pytest.mark.parametrize("mode", REVERSE)
def test_the_cotangent_of_a_list_is_the_list_of_its_items(mode: Reverse) -> None:
    value, pullback = mode.rep(interpret(morphism(squares()), mode), (numbers([1.0, 2.0, 3.0]),))
    (cells,) = dense(OVER, pullback(np.float64(1.0)), Product(NUMBERS))
    seen = []
    while cells is not None and cells.tag == 1:
        seen.append(cells.value[0])
        cells = cells.value[1]
    assert (value, seen) == (14.0, [2.0, 4.0, 6.0])


def test_a_list_is_long_without_a_recursion_error() -> None:
    mode = Dependent(OVER)
    items = list(np.arange(5_000.0))
    value, pullback = mode.rep(interpret(morphism(squares()), mode), (numbers(items),))
    cotangent = pullback(np.float64(1.0))
    assert value == sum(item * item for item in items)
    assert dense(OVER, cotangent, Product(NUMBERS))[0].value[0] == 2 * items[0]


def test_a_list_moves_with_its_items() -> None:
    mode, at = Pushforward(OVER), (numbers([1.0, 2.0, 3.0]),)
    _, moved = mode.push(interpret(morphism(squares()), mode), at, (numbers([1.0, 0.0, 1.0]),))
    assert moved == 8.0


def test_the_tangents_of_a_sum_are_their_own_tangents() -> None:
    tangent = tangent_of(Sum(Real, Product(Real, Real)))
    assert tangent is Tagged(Real, Product(Real, Real))
    assert tangent_of(tangent) is tangent
    assert tangent_of(tangent_of(NUMBERS)) is tangent_of(NUMBERS)


def test_a_recursive_type_within_another_unfolds_alone() -> None:
    forest = Mu("Forest", Sum(nil=Unit, cons=Product(MuVar(1), MuVar())))
    rose = Mu("Rose", Product(Real, forest))
    (_, inside) = unfolded(rose).parts  # type: ignore[attr-defined]  # a product
    assert unfolded(inside).parts[1].parts[0] is rose


def test_an_alternative_that_a_value_is_not_cannot_be_opened() -> None:
    s = Var("s", Sum(Real, Real))
    mode = Primal(OVER)
    arrow = interpret(translate((s,), applied("payload", s, index=1)), mode)
    with pytest.raises(WrongAlternative, match="alternative 1 of Real \\+ Real is asked of its 0"):
        mode.value(arrow, (Injected(0, np.float64(1.0)),))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: applied("inject", const(1.0), of=Sum(Unit, Real), index=0), "is Unit, not Real"),
        (lambda: applied("payload", const(1.0), index=0), "only a value of a sum"),
        (lambda: applied("unroll", const(1.0)), "unroll opens a value of a recursive type"),
        (lambda: Prim(FIX, (Var("f", Fun(Real, Real)),)), "fix takes a function"),
        (lambda: Mu("Loop", MuVar()), "a recursive type is a sum or a product"),
    ],
)
def test_what_does_not_fit_says_so(wrong: object, said: str) -> None:
    with pytest.raises(TypeMismatch, match=said):
        wrong()  # type: ignore[operator]  # a function


def test_types_are_shown_as_on_paper() -> None:
    shown: list[Object] = [Sum(Real, Unit), tangent_of(NUMBERS), Sum(a=Real, b=Fun(Real, Real))]
    assert [*map(repr, shown)] == ["Real + Unit", "T Numbers", "[a: Real | b: Real ⇒ Real]"]


def counting_down(*, tail: bool) -> Morphism:
    """``(a, n) ↦ a + n a``, by a call a unit: a tail call, or one whose result is added to."""
    a, n = Var("a", Real), Var("n", Real)
    less, before = applied("less", n, const(1.0)), applied("subtract", n, const(1.0))
    if not tail:
        itself = Var("itself", Fun(Real, Real))
        again = applied("add", a, App(itself, before))
        step = Lam((itself, n), Cond(less, a, again))
        return translate((a, n), App(Prim(FIX, (step,)), n))
    state = Var("state", Product(Real, Real))
    loop, total = Var("loop", Fun(state.type, Real)), Var("total", Real)
    body = Cond(less, total, App(loop, Tuple((before, applied("add", total, a)))))
    opened = Let(((n, Proj(0, state)), (total, Proj(1, state))), body)
    return translate((a, n), App(Prim(FIX, (Lam((loop, state), opened),)), Tuple((n, a))))


def peak(morphism: Morphism, calls: float) -> int:
    mode = Primal(OVER)
    arrow = interpret(morphism, mode)
    mode.value(arrow, (np.float64(1.0), np.float64(2.0)))
    tracemalloc.start()
    try:
        assert mode.value(arrow, (np.float64(0.5), np.float64(calls))) == 0.5 * (calls + 1)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_tail_calls_run_in_constant_space() -> None:
    few, many = (peak(counting_down(tail=True), calls) for calls in (100, 3_000))
    assert many < few + 1_000


def test_other_calls_take_memory_that_is_linear_in_their_depth() -> None:
    few, many = (peak(counting_down(tail=False), calls) for calls in (1_000, 4_000))
    assert few < many < 8 * few  # of fewer calls a larger share is memory that was kept


@pytest.mark.parametrize("tail", [False, True])
def test_a_recursion_is_deep_in_every_mode(*, tail: bool) -> None:
    morphism, at = counting_down(tail=tail), (np.float64(0.5), np.float64(5_000.0))
    for mode in (Dependent(OVER), Deltas(OVER)):
        _, pullback = mode.rep(interpret(morphism, mode), at)
        assert pullback(np.float64(1.0)) == {0: 5_001.0}
    forward = Pushforward(OVER)
    assert forward.push(interpret(morphism, forward), at, (np.float64(1.0), None))[1] == 5_001.0


@pytest.mark.slow
@pytest.mark.parametrize("tail", [False, True])
def test_a_million_calls(*, tail: bool) -> None:
    mode = Primal(OVER)
    arrow = interpret(counting_down(tail=tail), mode)
    assert mode.value(arrow, (np.float64(1.0), np.float64(1e6))) == 1e6 + 1


def test_a_recursive_function_that_captures_nothing_is_not_run_again() -> None:
    x, itself = Var("x", Real), Var("itself", Fun(Real, Real))
    before = applied("subtract", x, const(1.0))
    again = applied("add", applied("multiply", x, x), App(itself, before))
    step = Lam((itself, x), Cond(applied("less", x, const(1.0)), x, again))
    mode = Pullback(OVER)
    arrow = interpret(translate((x,), App(Prim(FIX, (step,)), x)), mode)
    _, pullback = mode.rep(arrow, (np.float64(500.0),))
    assert pullback(np.float64(1.0)) == {0: 2 * sum(range(1, 501)) + 1}
