"""Immutable syntax of any depth: equality, hash, pickle and copy that do not recurse.

Frozen dataclasses that are nested 50,000 deep raise RecursionError in the methods that Python
generates for them, and take exponential time where a node is shared. Here every pass walks a table
of the distinct nodes instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter, is_not, methodcaller
from typing import Any, ClassVar


class Syntax:
    """A node. A subclass is a frozen dataclass declared with ``eq=False, repr=False``.

    Its arguments (the fields that are compared) are nodes, tuples of arguments, or hashable atoms.
    ``of`` says which of them are the nodes of its own kind that it is made of: the names of fields,
    or the name of one that holds a tuple of such nodes.
    """

    is_interned: ClassVar[bool] = False
    """Whether equal nodes of this class are one, so that identity compares them."""

    _line: ClassVar[Callable[[Any], str]] = object.__repr__
    _text: ClassVar[Callable[[Any], str]] = repr

    made_of: ClassVar[str | tuple[str, ...]] = ()

    def __init_subclass__(cls, of: str | tuple[str, ...] | None = None, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        if of is not None:
            cls.made_of, cls.below = of, _parts_at(of)  # type: ignore[assignment]  # as declared

    @classmethod
    def print_by(cls, line: Callable[[Any], str], text: Callable[[Any], str]) -> None:
        """``repr`` of this kind of syntax is the ``line``, and ``str`` the whole ``text``."""
        cls._line, cls._text = line, text

    def __repr__(self) -> str:
        return type(self)._line(self)

    def __str__(self) -> str:
        return type(self)._text(self)

    def arguments(self) -> tuple[Any, ...]:
        """What the node was built from."""
        known = vars(self)
        names = _names(type(self))[0]  # type: ignore[arg-type]  # a class has a hash
        return tuple([known[name] for name in names])

    def below(self) -> tuple[Any, ...]:
        """The nodes of its own kind that it is made of, in order: the terms of a term."""
        return tuple(nodes_in(self.arguments()))

    def remarks(self) -> dict[str, Any]:
        """What it was built with besides, and equality ignores: a name, the user's line."""
        known = vars(self)
        names = _names(type(self))[1]  # type: ignore[arg-type]  # a class has a hash
        return {name: known[name] for name in names}

    def with_parts(self, parts: tuple[Any, ...]) -> Any:
        """The node made of other ``parts``, each of the same type, which is not typed again."""
        of = self.made_of
        made = object.__new__(type(self))
        vars(made).update(vars(self))
        vars(made).update({of: parts} if isinstance(of, str) else zip(of, parts, strict=True))
        vars(made).pop("_hash", None)
        return made

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

        def known(node: Syntax) -> Any:
            return hash(node) if node.is_interned else vars(node).get("_hash")

        for node in distinct_nodes(self, seen=lambda node: known(node) is not None):
            skeleton = _replace(node.arguments(), known)
            vars(node)["_hash"] = hash((type(node), skeleton))
        found: int = vars(self)["_hash"]
        return found

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """A flat table, in which a shared node stands once."""
        rows: list[tuple[Callable[..., Any], Any, dict[str, Any]]] = []
        row_of: dict[int, _Row] = {}
        for node in distinct_nodes(self):
            arguments = _replace(node.arguments(), lambda child: row_of[id(child)])
            row_of[id(node)] = _Row(len(rows))
            rows.append((node.builder(), arguments, node.remarks()))
        return _from_table, (rows,)

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Syntax:
        """Itself: it cannot change."""
        return self

    __copy__ = __deepcopy__


def _parts_at(of: str | tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """The method ``below`` of a class that is made of these fields."""
    if not of:
        return lambda node: ()
    get = attrgetter(of) if isinstance(of, str) else attrgetter(*of)
    if isinstance(of, str) or len(of) > 1:
        return lambda node: get(node)  # noqa: PLW0108 (an attrgetter is no method)
    return lambda node: (get(node),)


class _Row(int):
    """A reference to a row of the table."""


@cache
def _names(cls: type) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fields that are compared, and those that are not."""
    if not is_dataclass(cls):
        return cls.__match_args__, ()  # type: ignore[attr-defined]  # of an interned class
    made = [f for f in fields(cls) if f.init]
    compared, others = ([f.name for f in made if f.compare is is_so] for is_so in (True, False))
    return tuple(compared), tuple(others)


def nodes_in(values: Iterable[Any], kind: type[Any] = Syntax) -> list[Any]:
    """The nodes of a kind among ``values``, in order."""
    found: list[Any] = []
    for value in values:
        if isinstance(value, kind):
            found.append(value)
        elif type(value) is tuple:
            found += nodes_in(value, kind)
    return found


_is_interned: Callable[[Any], bool] = attrgetter("is_interned")


def _replace(value: Any, by: Callable[[Any], Any], kind: type = Syntax) -> Any:
    if isinstance(value, kind):
        return by(value)
    if type(value) is tuple:
        made = tuple([_replace(item, by, kind) for item in value])
        return made if any(map(is_not, made, value)) else value
    return value


def distinct_nodes(
    root: Syntax, seen: Callable[[Syntax], bool] | None = None, kind: type[Syntax] = Syntax
) -> Iterator[Any]:
    """Every node below ``root`` once, children first; nodes already ``seen`` are passed over.

    Of a ``kind``, those that are reached by its ``below``: terms without their types, say.
    """
    if seen is not None and seen(root):
        return
    inside: Callable[[Any], Any] = methodcaller("below")
    if kind is Syntax:
        inside = lambda node: nodes_in(node.arguments())  # noqa: E731 (one of two)
    met = {id(root)}
    stack = [(root, iter(inside(root)))]
    while stack:
        node, children = stack[-1]
        for child in children:
            if id(child) in met or (seen is not None and seen(child)):
                continue
            met.add(id(child))
            within = inside(child)
            if within:
                stack.append((child, iter(within)))
                break
            yield child
        else:
            stack.pop()
            yield node


def remade(root: Any, at: Callable[[Any], Any]) -> Any:
    """``root`` with ``at`` of each node in its place, children first; what is shared stays so."""
    made: dict[int, Any] = {}

    def by(child: Syntax) -> Any:
        return made.get(id(child), child)

    for node in distinct_nodes(root, seen=_is_interned):
        arguments = node.arguments()
        changed = _replace(arguments, by)
        is_same = changed is arguments
        made[id(node)] = at(node if is_same else node.builder()(*changed, **node.remarks()))
    return by(root)


def size(root: Syntax) -> int:
    """How many nodes of its kind are below ``root``, itself among them."""
    met = {id(root)}
    todo: list[Any] = [root.below()]
    while todo:
        for node in todo.pop():
            key = id(node)
            if key not in met:
                met.add(key)
                below = node.below()
                if below:
                    todo.append(below)
    return len(met)


def _number(root: Syntax, numbers: dict[Any, int]) -> int:
    """The number of ``root``'s structure: equal structures get one number."""
    number_of: dict[int, int] = {}

    def by(child: Syntax) -> Any:
        return child if child.is_interned else number_of[id(child)]

    for node in distinct_nodes(root, seen=_is_interned):
        key = (type(node), _replace(node.arguments(), by))
        number_of[id(node)] = numbers.setdefault(key, len(numbers))
    return number_of[id(root)]


def _from_table(rows: list[tuple[Callable[..., Any], Any, dict[str, Any]]]) -> Any:
    built: list[Any] = []
    for build, arguments, remarks in rows:
        built.append(build(*_replace(arguments, built.__getitem__, _Row), **remarks))
    return built[-1]
