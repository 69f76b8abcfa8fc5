"""The functions that emitted code may carry along: which a text needs, and one that all have."""

from __future__ import annotations

import re
from collections.abc import Mapping

PLUS = """\
def _plus(x, y, made=None):
    if x is None or y is None:
        return y if x is None else x
    if not isinstance(x, tuple):
        return x + y
    made = {} if made is None else made
    key = id(x), id(y)
    if key not in made:
        made[key] = tuple(_plus(a, b, made) for a, b in zip(x, y))
    return made[key]
"""
"""The sum of two cotangents of any type."""


def by_name(*sources: str) -> dict[str, str]:
    """The text of each function of these sources, by its name."""
    functions = "\n\n\n".join(sources).split("\n\n\n")
    texts = [function.strip() for function in functions]
    return {text.split("(")[0].removeprefix("def "): text for text in texts}


def needed(helpers: Mapping[str, str], text: str) -> list[str]:
    """The texts of the helpers that ``text`` names, and of those that they name."""
    found: set[str] = set()
    todo = [text]
    while todo:
        for name in re.findall(r"\b_[a-z0-9_]+\b", todo.pop()):
            if name in helpers and name not in found:
                found.add(name)
                todo.append(helpers[name])
    return [helpers[name] for name in helpers if name in found]
