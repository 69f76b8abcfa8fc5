"""Sums of one layout and calls that end a function run on XLA; the others say why they do not."""

from typing import Any

import numpy as np
import pytest

from combinators.errors import MissingRule
from combinators.objects import Bool, Real, Sum, Unit
from combinators.simplify import simplify
from combinators.terms import Cond, Lam, Let, Tuple, Var, const
from combinators.type_folds import tangent_of
from interpreters.backends.xla import compile_program
from interpreters.staging.programs import pushforward
from tests.interpreters.backends.terms_of_recursion import (
    applied,
    climbing,
    halvings,
    powers,
    squares,
)
from tests.interpreters.backends.xla.comparing import on_xla
from tests.interpreters.staging.closed_forms import RECURSIONS, A, B

EITHER = Sum(Real, Real)


def given(lam: Lam, *args: Any) -> Any:
    """What a program gives on XLA, as NumPy's numbers."""

    def numbers(value: Any) -> Any:
        return tuple(map(numbers, value)) if isinstance(value, tuple) else np.asarray(value)

    return numbers(on_xla(lam, *args))


def test_a_call_that_ends_a_function_is_a_while_loop() -> None:
    assert given(halvings(), 1000.0) == 10
    source = compile_program(halvings()).source
    assert "lax.while_loop(test, round1, (jnp.int64(0), x))" in source


@pytest.mark.parametrize(("x", "found"), [(1.0, 16.0), (-1.0, 0.0), (10.0, 10.0)])
def test_a_loop_may_end_in_several_places(x: float, found: float) -> None:
    assert given(climbing(), x) == found


@pytest.mark.parametrize("at", [(-1.5, 0.7), (1.25, -0.5)])
def test_a_while_loop_moves_with_what_it_captures(at: tuple[float, float]) -> None:
    body, f = RECURSIONS["loop"]
    lam = Lam((A, B), body)
    steps = [1e-6 * np.array(step) for step in ((2.0, -3.0), (-2.0, 3.0))]
    after, before = (f(*(at + step)) for step in steps)
    y, moved = given(simplify(pushforward(lam)), *at, 2.0, -3.0)
    assert (y, moved) == (pytest.approx(f(*at)), pytest.approx((after - before) / 2e-6, rel=1e-6))


def test_a_sum_of_one_layout_is_a_tag_and_a_value():
    b, x, s = Var("b", Bool), Var("x", Real), Var("s", EITHER)
    either = [applied("inject", x, of=EITHER, index=index) for index in (0, 1)]
    first = applied("is_alternative", s, index=0)
    sine, cosine = (
        applied(name, applied("payload", s, index=index))
        for index, name in enumerate(("sin", "cos"))
    )
    lam = Lam((b, x), Let(((s, Cond(b, *either)),), Tuple((s, Cond(first, sine, cosine)))))
    assert given(lam, True, 1.0) == ((0, 1.0), pytest.approx(np.sin(1.0)))
    assert given(lam, False, 1.0) == ((1, 1.0), pytest.approx(np.cos(1.0)))


def test_tangents_of_a_sum_add_and_open():
    tangent = tangent_of(EITHER)
    x, zero = Var("x", Real), applied("zeros", of=tangent)
    one = applied("tag", x, of=tangent, index=1)
    total = applied("plus", applied("plus", zero, one), one)
    assert given(Lam((x,), Tuple((total, applied("untag", total, index=1)))), 2.0) == (
        (1, 4.0),
        4.0,
    )
    assert given(Lam((x,), applied("untag", zero, index=0)), 2.0) == 0.0


@pytest.mark.parametrize(
    ("lam", "said"),
    [
        (powers(), "XLA has loops, not recursion, and powers goes on after it has called itself"),
        (squares(), "holds recursive data, Numbers; run this program on the Python backend"),
        (Lam((Var("s", Sum(Real, Unit)),), const(1.0)), "alternatives of a sum are of one type"),
    ],
)
def test_what_xla_does_not_have_says_so(lam, said):
    with pytest.raises(MissingRule, match=said):
        compile_program(lam)
