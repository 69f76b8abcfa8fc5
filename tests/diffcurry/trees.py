"""Data that mentions itself: trees with numbers at their leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union


@dataclass
class Leaf:
    value: float


@dataclass
class Node:
    left: Tree
    right: Tree


Tree = Union[Leaf, Node]  # noqa: UP007 (it is read while it is defined)
