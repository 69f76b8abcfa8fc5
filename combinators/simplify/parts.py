"""What is needed of a value, how variables are used, and values of which only parts are there."""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Iterable, MutableMapping
from dataclasses import dataclass
from typing import Any

from combinators.objects import Object, component, components
from combinators.terms import Term, Var

Need = dict[int, Any] | None
"""Components, each with what is needed of it; None is the whole. It is two levels deep."""

Path = tuple[int, ...]


def merged(x: Need, y: Need) -> Need:
    """What both need."""
    if x is None or y is None:
        return None
    both = dict(x)
    for index, need in y.items():
        both[index] = merged(both[index], need) if index in both else need
    return both


def shallow(need: Need) -> Need:
    """One level of it."""
    return None if need is None else dict.fromkeys(need)


def is_partial(need: Need, obj: Object) -> bool:
    """Whether a component of ``obj`` is not needed."""
    product = components(obj)
    if need is None or product is None:
        return False
    return len(need) < product.width or any(
        is_partial(below, product.parts[index]) for index, below in need.items()
    )


def paths(need: Need, obj: Object) -> list[Path]:
    """Where what is needed lies."""
    product = components(obj)
    if need is None or product is None:
        return [()]
    return [
        (index, *path)
        for index in sorted(need)
        for path in paths(need[index], product.parts[index])
    ]


class Uses:
    """How one closed λ uses its variables, by name."""

    def __init__(self) -> None:
        self.count: Counter[str] = Counter()
        self.needs: dict[str, Need] = {}
        self.fused: set[str] = set()
        """Maps, and tuples of them, that one loop of the same block reads."""
        self.carries: dict[int, frozenset[int] | None] = {}
        """The live components of a loop's carry, by the id of the loop; None is all."""
        self.bodies: dict[int, Need] = {}
        """What is needed of what a loop's body gives."""

    def need(self, var: Var) -> Need:
        """What is needed of a variable that is used."""
        return self.needs.get(var.name, {})


@dataclass(eq=False)
class Frame:
    """What the names of one λ stand for, and how that λ uses them, where that is known."""

    env: MutableMapping[str, Value]
    uses: Uses | None

    def called(self) -> Frame:
        """A frame for one call of a λ that stands here: what it names is its own."""
        return Frame(ChainMap({}, self.env), self.uses)


@dataclass(frozen=True, eq=False)
class Later:
    """A term that is written where it is used, which is in one place: a λ, or a map."""

    term: Term
    frame: Frame


@dataclass(frozen=True, eq=False)
class Split:
    """A product by those of its components that are needed."""

    obj: Object
    parts: dict[int, Value]

    def part(self, index: int) -> Value:
        """A component; one that is used, and of which nothing is needed, has no parts."""
        known = self.parts.get(index)
        return known if known is not None else Split(component(self.obj, index), {})


Value = Term | Later | Split


def assembled(obj: Object, entries: Iterable[tuple[Path, Value]]) -> Value:
    """The value of type ``obj`` that has these parts."""
    grouped: dict[int, list[tuple[Path, Value]]] = {}
    for path, value in entries:
        if not path:
            return value
        grouped.setdefault(path[0], []).append((path[1:], value))
    product = components(obj)
    if product is None:
        return Split(obj, {})
    return Split(obj, {i: assembled(product.parts[i], below) for i, below in grouped.items()})
