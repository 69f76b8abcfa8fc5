"""Section 4.1 of 004: the laws of curry and eval hold of the pullbacks, in both tangent forms.

Exactly, over the rationals: arrows are J of random programs, arguments are random.
"""

from collections import defaultdict
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from combinators.morphisms import Curry, Eval, Extend, Morphism, Prod, Projection, interpret
from combinators.objects import Fun, Product, Tensor
from interpreters.carriers.fractions import Fractions
from interpreters.modes.reverse import Dependent, Pullback
from interpreters.sparse_cotangents import dense, own
from tests.strategies.language import R, V
from tests.strategies.meanings import function_of
from tests.strategies.points import numbers, quarters, values
from tests.strategies.programs import LENGTH, RATIONAL, programs

EXACT = Fractions()
REAL, VECTOR = Tensor(()), Tensor((LENGTH,))
GAMMA = Product(REAL, VECTOR)
B = REAL
FLAT = GAMMA.snoc(B)
ARROW = Fun(B, REAL)

point = st.tuples(quarters, values(V(LENGTH), quarters))
modes = pytest.mark.parametrize("form", [Pullback, Dependent])


def arrows(*params: tuple[str, Any], result: Any = R) -> st.SearchStrategy[Morphism]:
    """Arrows of the free category: J of random programs."""
    drawn = programs(RATIONAL, params, result, depth=3)
    return drawn.map(lambda program: function_of(program).program().combinators)


bodies = arrows(("x", R), ("v", V(LENGTH)), ("b", R))
"""Γ·B → R."""
scalars = arrows(("x", R), ("v", V(LENGTH)))
"""Γ → B."""


def lifted(value: Any, obj: Any) -> Any:
    if isinstance(obj, Product):
        return tuple(lifted(part, below) for part, below in zip(value, obj.parts, strict=True))
    return EXACT.lift(value, obj)


def rep(arrow: Morphism, form: Any, x: Any) -> tuple[Any, Any]:
    mode = form(EXACT)
    return mode.rep(interpret(arrow, mode), x)


def same(left: Morphism, right: Morphism, form: Any, x: Any, g: Any) -> None:
    """Both arrows have one value and one pullback at ``x``."""
    assert (left.dom, left.cod) == (right.dom, right.cod)
    (y, pull), (z, pool) = rep(left, form, x), rep(right, form, x)
    assert list(numbers(y, left.cod)) == list(numbers(z, left.cod))
    assert gradient(pull(g), left.dom) == gradient(pool(g), left.dom)


def same_function(left: Morphism, right: Morphism, form: Any, x: Any, calls: Any) -> None:
    """Both arrows give functions that are one, as far as ``calls`` can tell."""
    assert (left.dom, left.cod) == (right.dom, right.cod)
    found = []
    for arrow in (left, right):
        mode = form(EXACT)
        f, pull = mode.rep(interpret(arrow, mode), x)
        evaluate = interpret(Eval(left.cod), mode)
        found.append(
            (
                [mode.rep(evaluate, (f, b))[0] for b, _ in calls],
                gradient(pull(calls), left.dom),
            )
        )
    assert found[0] == found[1]


def gradient(cotangent: Any, dom: Any) -> list[Any]:
    return list(numbers(dense(EXACT, cotangent, dom), dom))


def projections(context: Product, count: int) -> tuple[Morphism, ...]:
    return tuple(Projection(context, i) for i in range(count))


def select(context: Product, count: int) -> Morphism:
    return Prod(context, projections(context, count))


def applied(function: Morphism, argument: Morphism) -> Morphism:
    """``⟨f, a⟩ >> ev``."""
    return Prod(function.dom, (function, argument)) >> Eval(function.cod)


call_lists = st.lists(st.tuples(quarters, quarters), max_size=4)


@modes
@given(bodies, point, quarters, quarters)
def test_e1_beta(form, f, x, b, g):
    """``(Λf × id) >> ev = f``, and so H6: ``R[(Λf × id) >> ev] = R[f]``."""
    left = applied(select(FLAT, 2) >> Curry(f), Projection(FLAT, 2))
    same(left, f, form, (*lifted(x, GAMMA), b), g)


@modes
@given(bodies, point, call_lists)
def test_e2_eta_and_e5_uncurry_then_curry(form, f, x, calls):
    """``Λ((h × id) >> ev) = h``, for ``h = Λf``."""
    h = Curry(f)
    again = Curry(applied(select(FLAT, 2) >> h, Projection(FLAT, 2)))
    same_function(again, h, form, lifted(x, GAMMA), calls)


@modes
@given(bodies, point, call_lists)
def test_e3_curried_eval_is_the_identity(form, f, x, calls):
    """``Λ(ev) = id``, after ``Λf``."""
    h = Curry(f)
    identity = Prod(GAMMA, (h,)) >> Curry(Eval(ARROW))
    same_function(identity, h, form, lifted(x, GAMMA), calls)


@modes
@given(scalars, bodies, point, call_lists)
def test_e4_naturality(form, g, f, x, calls):
    """``g >> Λf = Λ((g × id) >> f)``, for ``g = ⟨e, π₁⟩``."""
    along = Prod(GAMMA, (g, Projection(GAMMA, 1)))
    wide = Prod(FLAT, (select(FLAT, 2) >> g, Projection(FLAT, 1), Projection(FLAT, 2)))
    same_function(along >> Curry(f), Curry(wide >> f), form, lifted(x, GAMMA), calls)


@modes
@given(bodies, point, quarters, quarters)
def test_e5_curry_then_uncurry(form, f, x, b, g):
    uncurried = applied(select(FLAT, 2) >> Curry(f), Projection(FLAT, 2))
    twice = applied(select(FLAT, 2) >> Curry(uncurried), Projection(FLAT, 2))
    same(twice, f, form, (*lifted(x, GAMMA), b), g)


@modes
@given(bodies, scalars, point, quarters)
def test_e7_let_is_composition(form, f, e, x, g):
    """``⟨Λf, e⟩ >> ev = ⟨id, e⟩ >> f``."""
    same(applied(Curry(f), e), Extend(e) >> f, form, lifted(x, GAMMA), g)


def closure(form: Any, f: Morphism, x: Any) -> Any:
    """``Λf`` at ``x``."""
    return rep(Curry(f), form, lifted(x, GAMMA))


@given(bodies, point, quarters, quarters)
def test_h1_eval_records_the_call(f, x, b, g):
    """``R[ev]((h, b), g) = ([(b, g)], R_h(b, g))``."""
    h, _ = closure(Pullback, f, x)
    y, pull = rep(Eval(ARROW), Pullback, (h, b))
    z, inside = rep(f, Pullback, (*lifted(x, GAMMA), b))
    assert y == z
    pulled = pull(g)
    assert pulled[0] == [(b, g)]
    assert gradient({0: pulled.get(1)}, Product(B)) == gradient(
        {0: (inside(g) or {}).get(2)}, Product(B)
    )


@given(bodies, point)
def test_h1_a_forgotten_result_is_a_call_with_zero(f, x):
    h, _ = closure(Pullback, f, x)
    _, pull = rep(Eval(ARROW), Pullback, (h, Fraction(1)))
    assert pull(None) == {0: [(Fraction(1), None)]}


@given(bodies, point, call_lists)
def test_h1_curry_sums_over_the_calls(f, x, calls):
    """``R[Λf](x, cs) = Σ π₁ R[f]((x, b), g)``."""
    _, pull = closure(Pullback, f, x)
    total = [Fraction(0)] * (1 + LENGTH)
    for b, g in calls:
        _, inside = rep(f, Pullback, (*lifted(x, GAMMA), b))
        part = gradient(inside(g), FLAT)[: 1 + LENGTH]
        total = [s + t for s, t in zip(total, part, strict=True)]
    assert gradient(pull(calls), GAMMA) == total


@modes
@given(bodies, point, call_lists, call_lists, st.randoms())
def test_h2_curry_is_a_map_of_monoids(form, f, x, cs, ds, random):
    """``[] ↦ 0``, ``cs ++ ds ↦`` the sum, and the order does not matter."""
    _, pull = closure(form, f, x)
    first, second, both = (gradient(pull(calls), GAMMA) for calls in (cs, ds, cs + ds))
    assert gradient(pull([]), GAMMA) == [0] * (1 + LENGTH)
    assert both == [s + t for s, t in zip(first, second, strict=True)]
    shuffled = cs + ds
    random.shuffle(shuffled)
    assert gradient(pull(shuffled), GAMMA) == both


def quotient(calls: Any) -> dict[Fraction, Fraction]:
    """The calls up to ``(b, 0) ~ []`` and ``(b, g) + (b, h) ~ (b, g + h)``."""
    total: defaultdict[Fraction, Fraction] = defaultdict(Fraction)
    for b, g in calls:
        total[b] += g or 0
    return {b: g for b, g in total.items() if g}


@modes
@given(bodies, point, call_lists, quarters)
def test_h3_curry_respects_the_quotient(form, f, x, calls, b):
    _, pull = closure(form, f, x)
    merged = list(quotient(calls).items())
    once = gradient(pull(merged), GAMMA)
    assert gradient(pull(calls), GAMMA) == once
    assert gradient(pull([*merged, (b, Fraction(0)), (b, None)]), GAMMA) == once


@given(bodies, point, st.tuples(quarters, values(V(LENGTH), quarters)))
def test_h4_curry_hands_the_environments_cotangent_on(f, x, e):
    """``R'[Λf](x, ē) = ē``."""
    _, pull = closure(Dependent, f, x)
    env = dict(enumerate(lifted(e, GAMMA)))
    assert gradient(pull(own(env)), GAMMA) == gradient(env, GAMMA)


@given(bodies, point, quarters, quarters)
def test_h4_eval_gives_the_environments_cotangent(f, x, b, g):
    """``R'[ev]((h, b), g) = ((), pb_h(b, g))``, the pair of environment and argument."""
    h, _ = closure(Dependent, f, x)
    _, pull = rep(Eval(ARROW), Dependent, (h, b))
    _, inside = rep(f, Dependent, (*lifted(x, GAMMA), b))
    pulled = pull(g) or {}
    environment, argument = gradient(pulled.get(0), GAMMA), gradient({0: pulled.get(1)}, Product(B))
    assert environment + argument == gradient(inside(g), FLAT)


@given(bodies, point, quarters, quarters)
def test_h5_calls_through_the_code_are_the_environments_cotangent(f, x, b, g):
    """``Λf`` at the calls that the simple form records: what the dependent form records at once."""
    h, of_calls = closure(Pullback, f, x)
    k, of_environment = closure(Dependent, f, x)
    calls = rep(Eval(ARROW), Pullback, (h, b))[1](g)[0]
    environment = (rep(Eval(ARROW), Dependent, (k, b))[1](g) or {}).get(0)
    assert gradient(of_calls(calls), GAMMA) == gradient(of_environment(environment), GAMMA)


@given(call_lists, call_lists, st.lists(quarters, min_size=1, max_size=4))
def test_h7_equivalent_calls_pair_alike_with_every_tangent(cs, ds, coefficients):
    """``cs ~ ds`` iff ``⟨k, cs⟩ = ⟨k, ds⟩`` for all ``k``; polynomials are enough to tell."""

    def paired(k: Any, calls: Any) -> Fraction:
        return sum((k(b) * g for b, g in calls), Fraction(0))

    def polynomial(b: Fraction) -> Fraction:
        return sum((c * b**i for i, c in enumerate(coefficients)), Fraction(0))

    assert paired(polynomial, cs) == paired(polynomial, quotient(cs).items())
    left, right = quotient(cs), quotient(ds)
    points = sorted({*left, *right})
    tells = [
        paired(lambda b, at=at: Fraction(b == at), cs)
        == paired(lambda b, at=at: Fraction(b == at), ds)
        for at in points
    ]
    assert (left == right) == all(tells)
