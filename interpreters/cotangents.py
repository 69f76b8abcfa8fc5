"""Cotangents at run time: sparse, with a symbolic zero, owned by whoever holds them.

====================  ===========================================================================
of                    is
====================  ===========================================================================
anything              ``None`` where it is zero
a number, a tensor    a number of the carrier
a product, a context  a dict from a component's index to its cotangent; a missing one is zero
a function, Fig. 5    a dict from a captured variable's index to its cotangent: the environment's
a function, Fig. 3    a list of calls ``(argument, cotangent)``, ``Environment`` entries among them
====================  ===========================================================================

Dicts and lists are owned: ``plus`` and pullbacks consume what they are given. Numbers are shared
and never written to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

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
    if type(a) is dict:
        return _merge(a, b, add)
    return add(a, b)


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
    if type(cotangent) not in (dict, list):
        return cotangent
    copy = type(cotangent)(cotangent)
    todo = [copy]
    while todo:
        node = todo.pop()
        for index, part in node.items() if type(node) is dict else enumerate(node):
            if type(part) in (dict, list):
                node[index] = type(part)(part)
                todo.append(node[index])
            elif type(part) is Environment:
                node[index] = Environment(dict(part.captured))
                todo.append(node[index].captured)
            elif type(part) is tuple and type(part[1]) in (dict, list):
                node[index] = (part[0], type(part[1])(part[1]))
                todo.append(node[index][1])
    return copy
