"""Syntax of any depth: equality, hash, pickle and copy, with sharing."""

import copy
import pickle
from dataclasses import dataclass, field
from typing import Any

import pytest

from combinators.kit.tree import Syntax, distinct_nodes


@dataclass(frozen=True, eq=False)
class Leaf(Syntax):
    value: Any
    remark: str = field(default="", compare=False)


@dataclass(frozen=True, eq=False)
class Branch(Syntax):
    children: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Twig(Syntax):
    children: tuple[Any, ...]


def doubled(depth: int) -> Syntax:
    node: Syntax = Leaf(0)
    for _ in range(depth):
        node = Branch((node, node))
    return node


def test_equality_is_of_structure() -> None:
    assert Leaf(1) == Leaf(1)
    assert Leaf(1) != Leaf(2)
    assert Branch((Leaf(1), Leaf(2))) == Branch((Leaf(1), Leaf(2)))
    assert Branch((Leaf(1), Leaf(2))) != Branch((Leaf(2), Leaf(1)))
    assert Branch((Leaf(1),)) != Twig((Leaf(1),))
    assert Branch((Leaf(1), (Leaf(2), 3))) == Branch((Leaf(1), (Leaf(2), 3)))
    assert Branch(((Leaf(1),), Leaf(2))) != Branch((Leaf(1), Leaf(2)))
    assert Leaf(1) != 1


def test_equal_nodes_have_equal_hashes_and_remarks_do_not_count() -> None:
    assert Leaf(1, "a") == Leaf(1, "b")
    assert hash(Leaf(1, "a")) == hash(Leaf(1, "b"))
    assert hash(doubled(64)) == hash(doubled(64))
    assert {doubled(3): "found"}[doubled(3)] == "found"


def test_sharing_does_not_count_but_is_kept() -> None:
    repeated = Branch((Branch((Leaf(0), Leaf(0))), Branch((Leaf(0), Leaf(0)))))
    assert repeated == doubled(2)
    assert len(list(distinct_nodes(doubled(64)))) == 65
    read = pickle.loads(pickle.dumps(doubled(64)))
    assert read == doubled(64)
    assert len(list(distinct_nodes(read))) == 65


def test_children_come_first_and_once() -> None:
    a, b = Leaf(1), Leaf(2)
    root = Branch((Branch((a, b)), a))
    assert list(distinct_nodes(root)) == [a, b, root.children[0], root]
    assert list(distinct_nodes(root, lambda node: node is a)) == [b, root.children[0], root]
    assert list(distinct_nodes(root, lambda _: True)) == []


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_keep_remarks(protocol: int) -> None:
    node = Branch((Leaf(1, "a"), (Leaf("text", "b"), None, 2.5)))
    read = pickle.loads(pickle.dumps(node, protocol))
    assert read == node
    assert [leaf.remark for leaf in distinct_nodes(read) if isinstance(leaf, Leaf)] == ["a", "b"]


def test_a_copy_is_the_node_itself() -> None:
    node = doubled(3)
    assert copy.copy(node) is node
    assert copy.deepcopy([node])[0] is node
