"""Data of the user's own, that mentions itself: a tree's likelihood, and expressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union

import mpmath
import numpy as np
import pytest

import diffcurry as dc


@dataclass(frozen=True)
class Leaf:
    seen: float


@dataclass(frozen=True)
class Node:
    left: Tree
    right: Tree
    length: float


Tree = Union[Leaf, Node]  # noqa: UP007 (it is read while it is defined)


def likelihood(tree: Any, rate: Any) -> Any:
    """Felsenstein's pruning, of two states: what is seen at the leaves goes to the root."""

    @dc.rec
    def upwards(t: Tree) -> tuple[float, float]:
        def inside(node: Any) -> Any:
            (a, b), (c, d) = upwards(node.left), upwards(node.right)
            stay = (1.0 + np.exp(-2.0 * rate * node.length)) / 2.0
            same, other = a * c, b * d
            return stay * same + (1.0 - stay) * other, (1.0 - stay) * same + stay * other

        return dc.case(t, lambda leaf: (leaf.seen, 1.0 - leaf.seen), inside)

    a, b = upwards(tree)
    return np.log((a + b) / 2.0)


def plain(tree: Any, rate: Any) -> Any:
    def upwards(t: Any) -> Any:
        if isinstance(t, Leaf):
            return t.seen, 1 - t.seen
        (a, b), (c, d) = upwards(t.left), upwards(t.right)
        stay = (1 + mpmath.exp(-2 * rate * t.length)) / 2
        return stay * a * c + (1 - stay) * b * d, (1 - stay) * a * c + stay * b * d

    a, b = upwards(tree)
    return mpmath.log((a + b) / 2)


TREE = Node(Node(Leaf(0.9), Leaf(0.2), 0.3), Node(Leaf(0.6), Leaf(0.7), 0.5), 0.8)


def changed(by: Any, place: str) -> Any:
    """The tree with one of its numbers moved."""
    moved = {"leaf": 0, "length": 0, place: by}
    left = Node(Leaf(0.9 + moved["leaf"]), Leaf(0.2), 0.3 + moved["length"])
    return Node(left, TREE.right, 0.8)


@pytest.mark.parametrize("mode", ["dependent", "simple"])
def test_the_gradient_of_a_likelihood_is_a_tree(mode: str) -> None:
    slopes, rate = dc.grad(likelihood, argnums=(0, 1), mode=mode)(TREE, 0.7)
    with mpmath.workdps(40):
        true = float(mpmath.diff(lambda r: plain(TREE, r), 0.7))
        leaf, length = (
            float(mpmath.diff(lambda h, at=at: plain(changed(h, at), mpmath.mpf(0.7)), 0))
            for at in ("leaf", "length")
        )
    np.testing.assert_allclose(rate, true, rtol=1e-10)
    np.testing.assert_allclose(slopes.left.left.seen, leaf, rtol=1e-10)
    np.testing.assert_allclose(slopes.left.length, length, rtol=1e-10)
    assert isinstance(slopes, Node)
