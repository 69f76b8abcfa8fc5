"""Layout that terms and arrows share: on one line while it is short, else a line a part.

A printer says of a node which pieces of text and which parts it is made of on one line
(``spelling``), and how it is set on several (``set_tall``). Widths are counted once a node.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar

from combinators.kit.text import Pieces
from combinators.kit.tree import Syntax, distinct_nodes
from combinators.objects import Object

LINE = 96
"""What is longer than this is set on several lines, where it can be."""

_DEEPEST = 24

Node = TypeVar("Node", bound=Syntax)


class Part(NamedTuple):
    """A part of a node, and how tightly what stands around it binds."""

    node: Any
    tight: int = 0


Spelling = Iterator["str | Part"]


def new_line(depth: int) -> str:
    """A line break; the indentation stops growing somewhere, so that text stays linear."""
    return "\n" + "  " * min(depth, _DEEPEST)


class Printer(ABC, Generic[Node]):
    """Sets the nodes of one kind of syntax."""

    def __init__(self) -> None:
        """Nothing is named, nothing is tall."""
        self.names: dict[int, str] = {}
        self.tall: set[int] = set()

    @abstractmethod
    def spelling(self, node: Node) -> Spelling:
        """The node on one line: text, and its parts."""

    def set_tall(self, node: Node, depth: int) -> Pieces:
        """The node on several lines, of which the first has begun; by default on one."""
        return self.spell(node)

    def binds(self, node: Node) -> int:
        """How tightly the node holds together; parentheses stand round what binds less."""
        return 0

    def name(self, node: Node) -> str | None:
        """What the node is called, where it has been given a name."""
        return self.names.get(id(node))

    def inline(self, node: Node, tight: int = 0) -> Pieces:
        """The node on one line, by its name where it has one."""
        name = self.name(node)
        return iter((name,)) if name is not None else self.spell(node, tight)

    def spell(self, node: Node, tight: int = 0) -> Pieces:
        """The node on one line, in parentheses where it needs them."""
        loose = self.binds(node) < tight
        if loose:
            yield "("
        for piece in self.spelling(node):
            yield piece if isinstance(piece, str) else self.inline(*piece)
        if loose:
            yield ")"

    def set(self, node: Node, depth: int, tight: int = 0) -> Pieces:
        """The node on one line where that is short, else on several."""
        if self.stands_tall(node):
            return self.set_tall(node, depth)
        return self.inline(node, tight)

    def define(self, node: Node) -> Pieces:
        """What a node is that has a name."""
        return self.set_tall(node, 0) if id(node) in self.tall else self.spell(node)

    def stands_tall(self, node: Node) -> bool:
        """Whether the node takes several lines where it stands."""
        return id(node) in self.tall and id(node) not in self.names

    def measure(self, nodes: Iterable[Node]) -> None:
        """Find which of ``nodes``, given with their parts first, are set on several lines."""
        width: dict[int, int] = {}
        for node in nodes:
            total, tall = 0, self.is_tall(node)
            for piece in self.spelling(node):
                if isinstance(piece, str):
                    total += len(piece)
                else:
                    part = id(piece.node)
                    name = self.names.get(part)
                    total += width[part] if name is None else len(name)
                    tall = tall or self.stands_tall(piece.node)
            width[id(node)] = total
            if tall or (total > LINE and self.may_break(node)):
                self.tall.add(id(node))

    def is_tall(self, node: Node) -> bool:
        """Whether the node takes several lines however short it is."""
        return False

    def may_break(self, node: Node) -> bool:
        """Whether the node is set on several lines where it is long."""
        return True


def nodes_of(root: Syntax) -> list[Any]:
    """The distinct nodes of a program, parts first, without their types."""
    return list(distinct_nodes(root, lambda node: isinstance(node, Object)))


def occurrences(printer: Printer[Node], nodes: Iterable[Node]) -> Counter[int]:
    """How often each node is a part of another, by its ``id``."""
    found: Counter[int] = Counter()
    for node in nodes:
        found.update(id(piece.node) for piece in printer.spelling(node) if isinstance(piece, Part))
    return found
