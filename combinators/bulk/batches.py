"""Values of any type inside of builds: tensors are arrays with labels, products go by components.

A function is known, with what it captures; a build behind a name waits for what is asked of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from operator import is_

from combinators.bulk.block import Axis, Tensors, batch
from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Object
from combinators.spaces import Space
from combinators.terms import Lam, Term
from combinators.type_folds import is_first_order, types_within


@dataclass(frozen=True, eq=False, slots=True)
class Whole:
    """What no tensor holds, such as a function; vectors of vectors of it, along any axes."""

    term: Term
    type: Object
    labels: tuple[Axis, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class Group:
    """A tuple or a record, by components."""

    parts: tuple[Rep, ...]
    type: Object


@dataclass(frozen=True, eq=False, slots=True)
class Closure:
    """A known function, and what it captures."""

    lam: Lam
    captured: Mapping[str, Rep]
    type: Object


@dataclass(frozen=True, eq=False, slots=True)
class Deferred:
    """A build behind a name that one place uses: it waits, since that may ask for a part of it."""

    term: Term
    captured: Mapping[str, Rep]
    type: Object


Leaf = Tensors | Whole
Rep = Leaf | Group | Closure | Deferred


def leaves_of(rep: Rep) -> Iterator[Leaf]:
    """What a value is made of, through products and functions, each once."""
    todo, seen = [rep], set[int]()
    while todo:
        here = todo.pop()
        if id(here) in seen:
            continue
        seen.add(id(here))
        match here:
            case Group(parts):
                todo += parts
            case Closure() | Deferred():
                todo += here.captured.values()
            case _:
                yield here


def map_leaves(rep: Rep, each: Callable[[Leaf], Rep]) -> Rep:
    """The value with ``each`` of its leaves; what does not change, and what is shared, stays so."""
    known: dict[int, Rep] = {}

    def mapped(here: Rep) -> Recursive[Rep]:
        if id(here) in known:
            return known[id(here)]
        if not isinstance(here, Group | Closure | Deferred):
            known[id(here)] = each(here)
        else:
            parts = here.parts if isinstance(here, Group) else tuple(here.captured.values())
            made: list[Rep] = []
            for part in parts:
                made.append((yield mapped(part)))
            if all(map(is_, made, parts)):
                known[id(here)] = here
            elif isinstance(here, Group):
                known[id(here)] = replace(here, parts=tuple(made))
            else:
                captured = dict(zip(here.captured, made, strict=True))
                known[id(here)] = replace(here, captured=captured)
        return known[id(here)]

    return recurse(mapped(rep))


def axes_of(rep: Rep) -> frozenset[Axis]:
    """The batch axes that a value depends on."""
    if not isinstance(rep, Group | Closure | Deferred):
        return frozenset(batch(rep.labels))
    return frozenset(axis for leaf in leaves_of(rep) for axis in batch(leaf.labels))


def is_of_tensors(obj: Object) -> bool:
    """Whether a type is of tensors, products and records only, and of none of the user's."""
    return is_first_order(obj) and not any(isinstance(part, Space) for part in types_within(obj))
