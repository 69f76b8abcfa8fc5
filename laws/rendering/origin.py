"""Where a model comes from: the Python that makes it again.

A class is imported; so is what a module holds by name. Anything else is built as its class is, of
what it keeps under the names of its parameters: ``Pullback(Fractions())`` keeps ``over``.
"""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any

from combinators.objects import Object
from combinators.operation import Operation
from laws.model import Alone
from laws.rendering.source import Source

_REMEMBERED: list[tuple[Any, str, str]] = []


def remember(thing: Any, module: str, expression: str) -> None:
    """``thing`` was made by ``expression``, which begins with a name of ``module``."""
    _REMEMBERED.append((thing, module, expression))


def origin(thing: Any, source: Source) -> str | None:
    """An expression that makes ``thing``, with its imports noted; None where none is known."""
    for known, module, expression in _REMEMBERED:
        if known is thing:
            source.name(module, re.split(r"\W", expression)[0])
            return expression
    if isinstance(thing, Alone):
        return origin(thing.category, source)
    if isinstance(thing, (bool, int, float, str, type(None))):
        return repr(thing)
    if isinstance(thing, (Object, Operation, tuple)):
        return source.value(thing)
    if getattr(thing, "made_of", None) is not None:
        return origin(thing.made_of, source)
    if inspect.isclass(thing) or inspect.isroutine(thing):
        return _imported(thing.__module__, thing.__qualname__, source)
    return _global(thing, source) or _built(thing, source)


def _imported(module: str, name: str, source: Source) -> str | None:
    """``Thing`` of ``module:Thing``, where that leads somewhere."""
    found: Any = sys.modules.get(module)
    head, *rest = name.split(".")
    for part in (head, *rest):
        found = getattr(found, part, None)
    if found is None:
        return None
    source.name(module, head)
    return name


def _global(thing: Any, source: Source) -> str | None:
    """The name of what a module keeps: its own, or its class's."""
    for place in dict.fromkeys((getattr(thing, "__module__", ""), type(thing).__module__)):
        for name, value in vars(sys.modules.get(place, object)).items():
            if value is thing and name.isidentifier():
                return source.name(place, name)
    return None


def _built(thing: Any, source: Source) -> str | None:
    """``Thing(part, …)`` of the parts that it keeps."""
    made = origin(type(thing), source)
    try:
        parameters = inspect.signature(type(thing)).parameters.values()
    except (TypeError, ValueError):
        return None
    parts = []
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        missing = object()
        kept = getattr(thing, f"_{parameter.name}", getattr(thing, parameter.name, missing))
        if kept is missing or _same(kept, parameter.default):
            if parameter.default is parameter.empty:
                return None
            continue
        part = origin(kept, source)
        if part is None:
            return None
        parts.append(f"{parameter.name}={part}")
    return None if made is None else f"{made}({', '.join(parts)})"


def _same(value: Any, default: Any) -> bool:
    return value is default or (isinstance(value, (bool, int, float, str)) and value == default)
