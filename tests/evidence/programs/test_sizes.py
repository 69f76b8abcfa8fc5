"""Derivatives are linear in the size of the program, and are produced in linear time.

Sizes count distinct terms; to produce a program of 50,000 operations that is differentiated
exponentially, or by Python's recursion, is impossible, so that it is produced is the test of time.
"""

import functools

import numpy as np
import pytest

import diffcurry as dc
from combinators.kit.tree import distinct_nodes
from combinators.objects import Tensor
from combinators.simplify import simplify
from combinators.terms import Lam, Proj, Term
from interpreters.staging.programs import gradient, pullback, pushforward
from tests.evidence.programs import building
from tests.evidence.programs.building import CHAINS
from tests.evidence.programs.ways import outcome


def terms(lam):
    return sum(isinstance(node, Term) for node in distinct_nodes(lam))


def first(lam):
    """The gradient alone."""
    both = gradient(lam, (0,))
    return Lam(both.params, Proj(0, Proj(1, both.body)))


def tangent(lam):
    """The tangent alone."""
    both = pushforward(lam)
    return Lam(both.params, Proj(1, both.body))


DERIVATIVES = {
    "gradient": lambda lam: gradient(lam, (0,)),
    "pullback": lambda lam: pullback(lam, (0,)),
    "pushforward": pushforward,
    "reverse over reverse": lambda lam: gradient(first(lam), (0,)),
    "forward over reverse": lambda lam: pushforward(first(lam)),
    "reverse over forward": lambda lam: gradient(tangent(lam), (0, 1)),
}
every = pytest.mark.parametrize("derivative", DERIVATIVES.values(), ids=DERIVATIVES)
MOST = {"gradient": 9, "pullback": 9, "pushforward": 9}
SECOND = 60
"""So many terms an operation, or a level, at most."""

PROGRAMS = {name: functools.partial(building.chain, step=step) for name, step in CHAINS.items()}
NESTED = {
    "conditionals": building.conditionals,
    "folds": building.folds,
    "closures": building.closures,
    "a tower": building.tower,
    "a tower of names": building.tower_of_names,
}
LEVEL = {"conditionals": 110, "folds": 200, "closures": 75, "a tower": 130, "a tower of names": 140}


@every
@pytest.mark.parametrize("name", PROGRAMS)
def test_chains_and_fans_are_linear(name, derivative):
    small, large = (terms(derivative(PROGRAMS[name](n))) for n in (100, 200))
    assert large <= 2.05 * small
    limit = next(
        (MOST[key] for key, d in DERIVATIVES.items() if d is derivative and key in MOST), 0
    )
    assert large <= (limit or SECOND) * 200


@every
@pytest.mark.parametrize("name", NESTED)
def test_nesting_is_linear(name, derivative):
    small, large = (terms(derivative(NESTED[name](n))) for n in (20, 40))
    assert large <= 2.1 * small
    assert large <= LEVEL[name] * 40


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(
    ("key", "n"), [("gradient", 50_000), ("pushforward", 50_000), ("reverse over reverse", 10_000)]
)
def test_fifty_thousand_operations(name, key, n):
    assert terms(DERIVATIVES[key](PROGRAMS[name](n))) <= MOST.get(key, SECOND) * n


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(
    ("key", "n"), [("gradient", 5_000), ("pushforward", 5_000), ("reverse over reverse", 2_000)]
)
def test_five_thousand_operations(name, key, n):
    assert terms(DERIVATIVES[key](PROGRAMS[name](n))) <= MOST.get(key, SECOND) * n


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_five_thousand_operations_are_simplified(name):
    made = gradient(PROGRAMS[name](5_000), (0,))
    assert terms(simplify(made)) <= terms(made)


DEPTHS = [
    ("conditionals", 100, "gradient"),
    ("folds", 100, "gradient"),
    ("folds", 100, "pushforward"),
    ("closures", 500, "gradient"),
    ("a tower", 200, "gradient"),
    ("a tower of names", 200, "pushforward"),
    *(
        pytest.param(name, n, key, marks=pytest.mark.slow)
        for name, n in (
            ("conditionals", 100),
            ("folds", 100),
            ("closures", 2_000),
            ("a tower", 200),
            ("a tower of names", 200),
        )
        for key in DERIVATIVES
    ),
]


@pytest.mark.parametrize(("name", "depth", "key"), DEPTHS)
def test_deep_nesting(name, depth, key):
    made = DERIVATIVES[key](NESTED[name](depth))
    assert terms(made) <= LEVEL[name] * depth


@pytest.mark.parametrize("name", NESTED)
def test_what_is_nested_is_differentiated_right(name):
    lam = NESTED[name](5)
    point, step = 0.75, 1e-6
    sides = [outcome(lam, (point + s,))[0] for s in (step, -step)]
    slopes = [outcome(first(lam), (point + s,))[0] for s in (step, 0.0, -step)]
    np.testing.assert_allclose(slopes[1], (sides[0] - sides[1]) / (2 * step), rtol=1e-6)
    curve = (slopes[0] - slopes[2]) / (2 * step)
    np.testing.assert_allclose(outcome(first(first(lam)), (point,)), [curve], rtol=1e-6)
    forward = outcome(pushforward(first(lam)), (point, 1.0))
    np.testing.assert_allclose(forward, [slopes[1], curve], rtol=1e-6)
    np.testing.assert_allclose(outcome(first(tangent(lam)), (point, 1.0)), [curve], rtol=1e-6)


def test_a_tower_is_written_once_a_level():
    """2²⁰⁰ calls are not run, but the program that would is there, and short."""
    both = gradient(building.tower(200), (0,))
    assert sum(isinstance(node, Lam) for node in distinct_nodes(both)) <= 2 * 200 + 3


def folded(a, w):
    return dc.fold(lambda c, x: np.tanh(c * w + x), 0.0, a)


@pytest.mark.parametrize(
    "transform", [dc.grad, dc.vjp, dc.jvp, lambda f: dc.grad(dc.grad(f, 1), 1)]
)
def test_a_long_fold_has_as_many_lines_as_a_short_one(transform):
    def lines(n):
        given = (Tensor((n,)), dc.Real)
        return str(transform(dc.fun(folded, *given)).program()).count("\n")

    assert lines(10) == lines(10_000)
