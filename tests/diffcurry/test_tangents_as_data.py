"""Gradients of sums, lists and trees inside programs: data like their values, at every order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union

import mpmath
import numpy as np
import pytest

import diffcurry as dc
from diffcurry import Fun, List, Product, Real, Sum
from diffcurry.values import Injected

MODES = ["dependent", "simple", "delta"]


def close(found: Any, true: Any) -> None:
    np.testing.assert_allclose(np.ravel(found).astype(float), np.ravel(true).astype(float), 1e-9)


def slopes(f: Any, at: list[float]) -> list[float]:
    """The gradient of a function of numbers of mpmath's."""
    with mpmath.workdps(40):
        points = list(map(mpmath.mpf, at))
        units = [[int(i == j) for j in range(len(at))] for i in range(len(at))]
        return [float(mpmath.diff(f, tuple(points), tuple(unit))) for unit in units]


cubes = dc.fun(lambda xs: dc.fold(lambda s, x: s + x * x * x, 0.0, xs), List(Real))
"""Its gradient has no zeros."""
first = dc.fun(lambda xs: dc.case(xs, lambda: 0.0, lambda x, rest: np.sin(x)), List(Real))
"""The gradient of its tail is zero."""
USES = {
    "called": lambda g: cubes(g),
    "folded": lambda g: dc.fold(lambda s, x: s + x * x, 0.0, g),
    "mapped": lambda g: cubes(dc.map(lambda x: x * x, g)),
    "looked at": lambda g: dc.case(g, lambda: 0.0, lambda x, rest: x + 2.0 * cubes(rest)),
}


def used(word: str, xs: Any) -> Any:
    """What the use says, of a list of numbers."""
    return {
        "called": lambda: sum(x**3 for x in xs),
        "folded": lambda: sum(x**2 for x in xs),
        "mapped": lambda: sum(x**6 for x in xs),
        "looked at": lambda: xs[0] + 2 * sum(x**3 for x in xs[1:]),
    }[word]()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("use", list(USES))
def test_the_gradient_of_a_list_is_a_list_as_long_however_it_is_used(use: str, mode: Any) -> None:
    at = [0.5, -1.25, 2.0]
    for f, slope in (
        (cubes, lambda *xs: [3 * x * x for x in xs]),
        (first, lambda *xs: [mpmath.cos(xs[0]), 0, 0]),
    ):
        program = dc.fun(lambda xs, f=f: USES[use](dc.grad(f, mode=mode)(xs)), List(Real))
        plain = lambda *xs, slope=slope: used(use, slope(*xs))
        close(program(at), float(plain(*map(mpmath.mpf, at))))
        close(dc.grad(program, mode=mode)(at), slopes(plain, at))


def test_pullbacks_and_tangents_mirror_the_values_too() -> None:
    squares = dc.fun(lambda xs: dc.map(lambda x: x * x, xs), List(Real))
    at, along = [1.0, 2.0, 3.0], [1.0, 0.5, 0.25]

    def pulled(xs: Any) -> Any:
        value, pull = dc.vjp(squares, xs)
        return cubes(pull(value)[0]) + cubes(pull(None)[0])

    close(dc.fun(pulled, List(Real))(at), sum((2 * x**3) ** 3 for x in at))
    close(dc.grad(dc.fun(pulled, List(Real)))(at), [72 * x**8 for x in at])
    pushed = dc.fun(lambda xs, v: cubes(dc.jvp(squares, (xs,), (v,))[1]), List(Real), List(Real))
    close(pushed(at, along), sum((2 * x * v) ** 3 for x, v in zip(at, along, strict=True)))
    still = dc.fun(lambda xs: dc.jvp(squares, (xs,), (None,))[1], List(Real))
    assert still(at) == [0.0, 0.0, 0.0]
    linear = dc.fun(lambda xs, v: dc.linearize(squares, xs)[1](v), List(Real), List(Real))
    close(linear(at, along), [2 * x * v for x, v in zip(at, along, strict=True)])
    bent = dc.fun(lambda xs, v: dc.hvp(cubes, (xs,), (v,)), List(Real), List(Real))
    close(bent(at, along), [6 * x * v for x, v in zip(at, along, strict=True)])
    ends = dc.fun(lambda xs, v: dc.hvp(first, (xs,), (v,)), List(Real), List(Real))
    assert ends(at, along)[1:] == [0.0, 0.0]


@dataclass(frozen=True)
class Leaf:
    value: float


@dataclass(frozen=True)
class Node:
    left: Tree
    right: Tree


Tree = Union[Leaf, Node]  # noqa: UP007 (it is read while it is defined)


@dc.rec
def leftmost(tree: Tree) -> float:
    return dc.case(tree, lambda leaf: leaf.value**3, lambda node: leftmost(node.left))


@dc.rec
def product(tree: Tree) -> float:
    return dc.case(tree, lambda leaf: leaf.value, lambda n: product(n.left) * product(n.right))


TREE = Node(Leaf(2.0), Node(Leaf(3.0), Leaf(5.0)))


def test_the_gradient_of_a_tree_is_a_tree_of_the_same_form() -> None:
    def shown(tree: Tree) -> Any:
        return dc.grad(leftmost)(tree)

    def again(tree: Tree) -> Any:
        return product(dc.grad(product)(tree))

    assert dc.fun(shown)(TREE) == Node(Leaf(12.0), Node(Leaf(0.0), Leaf(0.0)))
    assert dc.fun(again)(TREE) == 900.0
    assert dc.grad(again)(TREE) == Node(Leaf(900.0), Node(Leaf(600.0), Leaf(360.0)))


@dataclass(frozen=True)
class Counted:
    times: int
    cost: float


def test_what_cannot_move_has_none_in_the_gradient() -> None:
    def spent(xs: list[Counted]) -> Any:
        return dc.fold(lambda s, one: s + one.times * one.cost**2, 0.0, xs)

    def costs(xs: list[Counted]) -> Any:
        return dc.fold(lambda s, one: s + one.cost, 0.0, dc.grad(spent)(xs))

    def shown(xs: list[Counted]) -> Any:
        return dc.grad(spent)(xs)

    at = [Counted(1, 2.0), Counted(2, 3.0)]
    assert dc.fun(shown)(at) == [Counted(None, 4.0), Counted(None, 12.0)]  # type: ignore[arg-type]
    assert dc.fun(costs)(at) == 16.0
    assert dc.grad(costs)(at) == [Counted(None, 2.0), Counted(None, 4.0)]  # type: ignore[arg-type]


def test_lists_in_lists_missing_values_and_sums_mirror_theirs() -> None:
    rows = dc.fun(lambda xss: dc.fold(lambda s, xs: s + cubes(xs), 0.0, xss), List(List(Real)))
    again = dc.fun(lambda xss: rows(dc.grad(rows)(xss)), List(List(Real)))
    assert again([[1.0], [], [0.5, 2.0]]) == 27.0 * (1 + 0.5**6 + 2.0**6)
    assert dc.grad(again)([[1.0], []]) == [[162.0], []]
    maybe = dc.Maybe(Real)
    known = dc.fun(
        lambda xs: dc.fold(lambda s, x: s + dc.case(x, lambda: 0.0, lambda v: v**3), 0.0, xs),
        List(maybe),
    )
    twice = dc.fun(lambda xs: known(dc.grad(known)(xs)), List(maybe))
    assert dc.grad(twice)([1.0, None, 2.0]) == [162.0, None, 162.0 * 2.0**5]
    either = Sum(Real, Product(Real, Real))
    size = dc.fun(lambda s: dc.case(s, lambda x: x**2, lambda a, b: a * b), either)
    both = dc.fun(lambda s: size(dc.grad(size)(s)), either)
    assert dc.grad(both)(dc.inl(2.0)) == Injected(0, 16.0)
    assert dc.grad(both)(dc.inr((2.0, 3.0))) == Injected(1, (3.0, 2.0))


def test_derivatives_of_lists_of_functions_are_taken_inside_programs() -> None:
    functions = List(Fun(Real, Real))
    chain = dc.fun(lambda fs, x: dc.fold(lambda y, f: f(y), x, fs), functions, Real)
    slope = dc.fun(lambda fs, x: dc.grad(chain, 1)(fs, x), functions, Real)
    given = [np.sin, np.cos, lambda x: x * x]
    true = lambda x: mpmath.cos(mpmath.sin(x)) ** 2
    for order, f in enumerate((slope, dc.grad(slope, 1)), 1):
        with mpmath.workdps(40):
            np.testing.assert_allclose(f(given, 0.75), float(mpmath.diff(true, 0.75, order)), 1e-12)


def test_a_list_and_a_tree_are_stopped() -> None:
    half = dc.fun(lambda xs: cubes(dc.stop_gradient(xs)) * cubes(xs), List(Real))
    assert dc.grad(half)([1.0, 2.0]) == [27.0, 108.0]

    def tree_stopped(tree: Tree) -> Any:
        return product(dc.stop_gradient(tree)) * product(tree)

    assert dc.grad(tree_stopped)(TREE).left == Leaf(450.0)
    functions = List(Fun(Real, Real))
    run = lambda fs, x: dc.fold(lambda y, f: f(y), x, dc.stop_gradient(fs)) + x
    assert dc.grad(dc.fun(run, functions, Real), 1)([np.sin], 2.0) == 1.0


def test_a_list_of_another_type_says_both_types() -> None:
    whole = dc.fun(lambda xs: cubes(dc.map(lambda x: (x, x), xs)), List(Real))
    with pytest.raises(dc.TypeMismatch, match=r"List\[Real\] was expected.*List\[Real × Real\]"):
        whole([1.0])


def test_long_lists_are_no_trouble() -> None:
    xs = [0.5] * 100_000
    slope = dc.fun(lambda xs: cubes(dc.grad(first)(xs)), List(Real))
    assert slope(xs) == pytest.approx(np.cos(0.5) ** 3)


def test_a_cotangent_of_a_gradient_of_data_is_as_its_argument():
    at = [0.5, 2.0, 3.0]
    for f, slopes_at in ((cubes, [6 * x for x in at]), (first, [-np.sin(0.5), 0.0, 0.0])):
        _, pullback = dc.vjp(dc.grad(f), at)
        close(pullback([1.0, 10.0, 100.0])[0], np.multiply([1.0, 10.0, 100.0], slopes_at))
        close(pullback([1.0, None, None])[0], np.multiply([1.0, 0.0, 0.0], slopes_at))
        for wrong in ([1.0], [1.0] * 4):
            with pytest.raises(dc.DiffcurryError, match="is a list of 3, and this is"):
                pullback(wrong)
    either = Sum(Real, Real)
    slope = dc.grad(dc.fun(lambda s: dc.case(s, lambda a: 3.0, lambda b: b * b), either))
    with pytest.raises(dc.DiffcurryError, match="of the alternative 1, and the value is of 0"):
        dc.vjp(slope, Injected(0, 1.0))[1](Injected(1, 1.0))
