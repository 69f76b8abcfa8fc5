"""Cotangents at run time: sparse, with a symbolic zero, owned by whoever holds them.

====================  ===========================================================================
of                    is
====================  ===========================================================================
anything              ``None`` where it is zero
a number, a tensor    a number of the carrier; of a tensor that was indexed, ``Scattered`` parts
a product, a context  a dict from a component's index to its cotangent; a missing one is zero
a function, Fig. 5    a dict from a captured variable's index to its cotangent: the environment's
a ``Tangent``         ``Packed``, of a sparse cotangent
a function, Fig. 3    a list of calls ``(argument, cotangent)``, ``Environment`` entries among them
====================  ===========================================================================

Dicts and lists are owned: ``plus`` and pullbacks consume what they are given. Numbers are shared
and never written to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from interpreters.tangents.packed import Packed
from interpreters.tangents.scattered import Scattered, gathered, joined

Cotangent = Any
Add = Callable[[Any, Any], Any]


class Environment(NamedTuple):
    """The cotangent of a closure's environment, among calls."""

    captured: dict[int, Cotangent]


def plus(a: Cotangent, b: Cotangent, add: Add) -> Cotangent:
    """The sum, which may reuse either; the smaller is merged into the larger."""
    if a is None:
        return b
    if b is None:
        return a
    if type(a) is list or type(b) is list:
        return [*_calls(a), *_calls(b)] if type(a) is not list else _extended(a, b)
    if type(a) is dict or type(b) is dict:
        return _merge(opened(a), opened(b), add)
    if type(a) is Scattered or type(b) is Scattered:
        return joined(a, b, add)
    if type(a) is Packed:
        return Packed(a.obj, plus(a.value, b.value, add))
    return add(a, b)


def opened(cotangent: Cotangent) -> dict[int, Cotangent]:
    """The cotangent of a product by components, which may be one term of a program."""
    return cotangent if type(cotangent) is dict else cotangent.opened()


def _calls(cotangent: Cotangent) -> list[Any]:
    """A function's cotangent as a list, whichever form it has."""
    return cotangent if type(cotangent) is list else [Environment(cotangent)]


def _extended(calls: list[Any], more: Cotangent) -> list[Any]:
    calls.extend(_calls(more))
    return calls


def _merge(a: dict[int, Cotangent], b: dict[int, Cotangent], add: Add) -> dict[int, Cotangent]:
    larger, smaller = (a, b) if len(a) >= len(b) else (b, a)
    todo = [(larger, smaller)]
    while todo:
        into, given = todo.pop()
        for index, cotangent in given.items():
            have = into.get(index)
            if have is None:
                into[index] = cotangent
            elif type(have) is not dict or type(cotangent) is not dict:
                into[index] = plus(have, cotangent, add)
            elif len(have) >= len(cotangent):
                todo.append((have, cotangent))
            else:
                into[index] = cotangent
                todo.append((cotangent, have))
    return larger


def own(cotangent: Cotangent) -> Cotangent:
    """A copy that may be consumed; numbers are shared."""
    return _copied(cotangent, Scattered.copy)


def dense_leaves(cotangent: Cotangent, over: Any) -> Cotangent:
    """A copy in which what was scattered is an array of the carrier ``over``."""
    return _copied(cotangent, lambda scattered: gathered(scattered, over))


def _copied(cotangent: Cotangent, scattered: Callable[[Scattered], Any]) -> Cotangent:
    """A copy of the structure, however deep."""
    todo: list[Any] = []

    def shallow(part: Cotangent) -> Cotangent:
        kind = type(part)
        if kind is dict or kind is list:
            todo.append(kind(part))
            return todo[-1]
        if kind is Packed:
            return Packed(part.obj, shallow(part.value))
        return scattered(part) if kind is Scattered else part

    copy = shallow(cotangent)
    while todo:
        node = todo.pop()
        if type(node) is dict:
            for index, part in node.items():
                node[index] = shallow(part)
        else:
            node[:] = [_copied_entry(entry, shallow) for entry in node]
    return copy


def _copied_entry(entry: Any, shallow: Callable[[Cotangent], Cotangent]) -> Any:
    """A call, or an environment among calls."""
    if type(entry) is Environment:
        return Environment(shallow(entry.captured))
    argument, cotangent = entry
    return argument, shallow(cotangent)
