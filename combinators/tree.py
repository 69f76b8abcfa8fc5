"""Immutable syntax of any depth: equality, hash, pickle and copy that do not recurse.

Frozen dataclasses that are nested 50,000 deep raise RecursionError in the methods that Python
generates for them, and take exponential time where a node is shared. Here every pass walks a table
of the distinct nodes instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any


class Syntax:
    """A node. A subclass is a frozen dataclass declared with ``eq=False, repr=False``.

    Its arguments (the fields that are compared) are nodes, tuples of arguments, or hashable atoms.
    """

    def arguments(self) -> tuple[Any, ...]:
        """What the node was built from."""
        return tuple(getattr(self, name) for name in _argument_names(type(self)))

    @classmethod
    def builder(cls) -> Callable[..., Any]:
        """What builds the node from its arguments again."""
        return cls

    def __eq__(self, other: object) -> bool:
        """Equal in structure; shared and repeated nodes are equal."""
        if self is other:
            return True
        if type(self) is not type(other):
            return NotImplemented
        numbers: dict[Any, int] = {}
        return _number(self, numbers) == _number(other, numbers)

    def __hash__(self) -> int:
        """Of the structure, computed once a node."""
        for node in distinct_nodes(self, seen=lambda node: "_hash" in vars(node)):
            skeleton = _replace(node.arguments(), lambda child: vars(child)["_hash"])
            object.__setattr__(node, "_hash", hash((type(node), skeleton)))
        return vars(self)["_hash"]  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """A flat table, in which a shared node stands once."""
        rows: list[tuple[Callable[..., Any], Any]] = []
        row_of: dict[int, _Row] = {}
        for node in distinct_nodes(self):
            arguments = _replace(node.arguments(), lambda child: row_of[id(child)])
            row_of[id(node)] = _Row(len(rows))
            rows.append((node.builder(), arguments))
        return _from_table, (rows,)

    def __copy__(self) -> Syntax:
        """Itself: it cannot change."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Syntax:
        """Itself: it cannot change."""
        return self


class _Row(int):
    """A reference to a row of the table."""


_NAMES: dict[type, tuple[str, ...]] = {}


def _argument_names(cls: type) -> tuple[str, ...]:
    if cls not in _NAMES:
        _NAMES[cls] = tuple(f.name for f in fields(cls) if f.init and f.compare)
    return _NAMES[cls]


def _children(value: Any) -> Iterator[Syntax]:
    if isinstance(value, Syntax):
        yield value
    elif type(value) is tuple:
        for item in value:
            yield from _children(item)


def _replace(value: Any, by: Callable[[Any], Any]) -> Any:
    if isinstance(value, Syntax):
        return by(value)
    if type(value) is tuple:
        return tuple(_replace(item, by) for item in value)
    return value


def distinct_nodes(
    root: Syntax, seen: Callable[[Syntax], bool] = lambda _: False
) -> Iterator[Syntax]:
    """Every node below ``root`` once, children first; nodes already ``seen`` are passed over."""
    if seen(root):
        return
    met = {id(root)}
    stack = [(root, _children(root.arguments()))]
    while stack:
        node, children = stack[-1]
        for child in children:
            if id(child) not in met and not seen(child):
                met.add(id(child))
                stack.append((child, _children(child.arguments())))
                break
        else:
            stack.pop()
            yield node


def _number(root: Syntax, numbers: dict[Any, int]) -> int:
    """The number of ``root``'s structure: equal structures get one number."""
    number_of: dict[int, int] = {}
    for node in distinct_nodes(root):
        skeleton = _replace(node.arguments(), lambda child: _Row(number_of[id(child)]))
        number_of[id(node)] = numbers.setdefault((type(node), skeleton), len(numbers))
    return number_of[id(root)]


def _from_table(rows: list[tuple[Callable[..., Any], Any]]) -> Any:
    built: list[Any] = []
    for build, arguments in rows:
        built.append(build(*_fill(arguments, built)))
    return built[-1]


def _fill(value: Any, built: list[Any]) -> Any:
    if type(value) is _Row:
        return built[value]
    if type(value) is tuple:
        return tuple(_fill(item, built) for item in value)
    return value
