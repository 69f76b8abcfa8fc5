"""Python statements as data, and their text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from interpreters.backends.text.layout import INDENT, Split, Text, flat, laid

_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(slots=True)
class Assign:
    """``a, b = text``."""

    targets: tuple[str, ...]
    text: Text


@dataclass(slots=True)
class Do:
    """What is done for its effect, or returned."""

    text: Text
    before: str = ""


@dataclass(slots=True)
class Block:
    """Statements below a header: ``if``, ``for``, ``with``, ``try``, ``def``."""

    before: str
    header: Text
    after: str
    body: list[Statement] = field(default_factory=list)
    next: Block | None = None


Statement: TypeAlias = Assign | Do | Block


def words(text: Text) -> list[str]:
    """The names that stand in a text."""
    return _WORD.findall(flat(text))


def text_of(body: list[Statement], depth: int) -> Iterator[str]:
    """The lines; a function among statements stands between empty ones."""
    space = INDENT * depth
    after_function = False
    for statement in body:
        is_function = _is_function(statement)
        if after_function or (is_function and statement is not body[0]):
            yield ""
        after_function = is_function
        match statement:
            case Assign((target,), str() as text):
                yield f"{space}{target} = {text}"
            case Assign(targets, text):
                yield from laid(f"{', '.join(targets)} = ", text, "", depth)
            case Do(text, before):
                yield from laid(before, text, "", depth)
            case Block():
                yield from _block(statement, depth)


def _is_function(statement: Statement) -> bool:
    return type(statement) is Block and statement.before == "def "


def _block(block: Block, depth: int) -> Iterator[str]:
    here: Block | None = block
    while here is not None:
        yield from laid(here.before, here.header, f"{here.after}:", depth)
        yield from text_of(here.body, depth + 1) if here.body else [INDENT * (depth + 1) + "pass"]
        here = here.next


def definition(
    name: str, params: tuple[str, ...], body: list[Statement], doc: str = "", decorator: str = ""
) -> str:
    """A function at the top of the module; nothing in ``doc`` can become code."""
    lines = [decorator] if decorator else []
    lines += laid("def ", Split(f"{name}(", params, ")"), ":", 0)
    line = _one_line(doc)
    if line:
        lines.append(f'{INDENT}"""{line}"""')
        if body and _is_function(body[0]):
            lines.append("")
    return "\n".join([*lines, *text_of(body, 1)])


def _one_line(doc: str) -> str:
    line = " ".join(doc.split()).replace("\\", "\\\\").replace('"', "'")
    return "".join(c for c in line if c.isprintable())
