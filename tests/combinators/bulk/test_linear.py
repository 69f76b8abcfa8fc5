"""The walk looks at each term once, however many builds are around it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import diffcurry as dc
from combinators.bulk import bulk, has_map
from combinators.bulk.evaluation import Evaluation, rewritten
from combinators.kit.tree import size
from combinators.objects import Real
from combinators.operation import Operation, named
from combinators.primitives.loops import MAP
from combinators.terms import App, Lam, Let, Prim, Term, Var, const
from diffcurry.decorator import fun
from tests.combinators.bulk.measure import measure
from tests.combinators.bulk.running import assert_close, in_bulk, value

X = np.ones(5)
SUMMED = (("axis", (0,)), ("keepdims", False))


def walked(lam: Lam) -> Evaluation:
    """The walk over a program, when it is done."""
    walk = Evaluation(lam, None)
    rewritten(lam, walk)
    return walk


def chain(count: int) -> Lam:
    """A build whose body has so many lines."""

    def body(x: Any, i: Any) -> Any:
        y = x[i]
        for step in range(count):
            y = np.sin(y) * y if step % 3 else y + x[i + 1] + y
        return y

    return fun(lambda x: dc.build(4, lambda i: body(x, i))).program(X).lam


def builds(count: int) -> Lam:
    """So many builds, each of what the one before gave."""

    def f(x: Any) -> Any:
        for _ in range(count):
            x = dc.build(5, lambda i, y=x: y[i] * y[4 - i] + y[i + 1])
        return x

    return fun(f).program(X).lam


@pytest.mark.parametrize("program", [chain, builds])
def test_steps_grow_as_programs_do(program: Any) -> None:
    small, large = program(20), program(200)
    per_node = [walked(lam).steps / size(lam) for lam in (small, large)]
    assert per_node[1] < 1.2 * per_node[0]
    assert size(bulk(large)) < 12 * size(bulk(small))


@pytest.mark.slow
def test_ten_thousand_lines() -> None:
    lam = chain(10_000)
    made = bulk(lam)
    assert not has_map(made)
    assert size(made) < 2 * size(lam)


@pytest.mark.parametrize("depth", range(1, 7))
def test_nested_builds(depth: int) -> None:
    def nested(x: Any, at: tuple[Any, ...]) -> Any:
        if len(at) == depth:
            y = 1.0
            for i in at:
                y = np.sin(y * x[i])
            return y
        return dc.build(2, lambda i: nested(x, (*at, i)))

    made, _ = in_bulk(lambda x: nested(x, ()), X)
    assert size(made) < 15 * depth
    lam = fun(lambda x: nested(x, ())).program(X).lam
    assert walked(lam).steps <= 3 * size(lam)
    assert measure(made) == 0


def test_functions_that_map_functions_are_walked_over_once_each() -> None:
    def layer(inner: Any) -> Any:
        return fun(lambda t: np.sum(dc.build(2, lambda i: inner(t) * 0.5)) + inner(t))

    steps = []
    for depth in (4, 8):
        f = fun(lambda t: np.sin(t))
        for _ in range(depth):
            f = layer(f)
        lam = fun(lambda x, f=f: dc.map(f, x)).program(X).lam
        steps.append(walked(lam).steps)
    assert steps[1] < 3 * steps[0]


def test_named_functions_that_are_mapped_twice() -> None:
    """``f₂ = λt. Σ map f₁ … + Σ map f₁ …``, and so on."""
    t, xs = Var("t", Real), const([1.0, 2.0])
    add, total = Operation(named("add")), Operation(named("sum"), SUMMED)

    def program(depth: int) -> Lam:
        f: Term = Lam((t,), Prim(Operation(named("sin")), (t,)))
        bindings = []
        for level in range(depth):
            name = Var(f"f{level}", f.type)
            bindings.append((name, f))
            once = Prim(total, (Prim(MAP, (name, xs)),))
            scaled = Prim(Operation(named("multiply")), (t, once))
            f = Lam((t,), Prim(add, (scaled, Prim(total, (Prim(MAP, (name, xs)),)))))
        return Lam((t,), Let(tuple(bindings), App(f, t)))

    steps = [walked(program(depth)).steps for depth in (5, 10)]
    assert steps[1] < 3 * steps[0]
    assert_close(value(bulk(program(3)), 0.5), value(program(3), 0.5))


def test_without_a_map_it_is_the_same_program() -> None:
    lam = fun(lambda x: np.sum(np.sin(x) * x)).program(X).lam
    assert bulk(lam) is lam
