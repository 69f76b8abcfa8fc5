"""Python statements as data, what nothing needs left out, and their text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from interpreters.backends.python.layout import INDENT, Split, Text, flat, laid

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


def _each(body: list[Statement]) -> list[Statement]:
    """The statements of a body and of the blocks in it, in order."""
    found: list[Statement] = []
    for statement in body:
        found.append(statement)
        block = statement if type(statement) is Block else None
        while block is not None:
            found += _each(block.body)
            block = block.next
    return found


def without_unused(body: list[Statement]) -> list[Statement]:
    """The statements without the assignments, and then the blocks, that nothing needs."""
    each, before = _each(body), -1
    while before != (before := sum(type(s) is Block for s in each)):
        body = _without_unused(body, each)
        each = _each(body)
    return body


def _without_unused(body: list[Statement], each: list[Statement]) -> list[Statement]:
    uses: Counter[str] = Counter()
    makers: dict[str, list[Assign]] = {}
    for statement in each:
        if isinstance(statement, Assign):
            for word in words(statement.text):
                uses[word] = uses.get(word, 0) + 1
            for target in statement.targets:
                makers.setdefault(target, []).append(statement)
        elif isinstance(statement, Do):
            uses.update(words(statement.text))
        else:
            uses.update(words(f"{statement.before}{flat(statement.header)}"))
    dropped: set[int] = set()
    todo = [name for name in makers if not uses[name]]
    while todo:
        for assign in makers.get(todo.pop(), ()):
            if id(assign) in dropped or any(uses[target] for target in assign.targets):
                continue
            dropped.add(id(assign))
            for name in words(assign.text):
                uses[name] -= 1
                if not uses[name]:
                    todo.append(name)
    for statement in each:
        if type(statement) is Assign and len(statement.targets) > 1:
            statement.targets = tuple(t if uses[t] else "_" for t in statement.targets)
    return list(_kept(body, dropped)) if dropped else body


def _kept(body: list[Statement], dropped: set[int]) -> Iterator[Statement]:
    for statement in body:
        if id(statement) in dropped:
            continue
        if isinstance(statement, Block):
            block: Block | None = statement
            empty = True
            while block is not None:
                block.body = list(_kept(block.body, dropped))
                empty = empty and not block.body
                if block.next is not None and not block.next.body and block.before != "try":
                    block.next = None
                block = block.next
            if empty:
                continue
        yield statement


def text_of(body: list[Statement], depth: int) -> Iterator[str]:
    """The lines."""
    space = INDENT * depth
    for statement in body:
        match statement:
            case Assign((target,), str() as text):
                yield f"{space}{target} = {text}"
            case Assign(targets, text):
                yield from laid(f"{', '.join(targets)} = ", text, "", depth)
            case Do(text, before):
                yield from laid(before, text, "", depth)
            case Block():
                yield from _block(statement, depth)


def _block(block: Block, depth: int) -> Iterator[str]:
    here: Block | None = block
    while here is not None:
        yield from laid(here.before, here.header, f"{here.after}:", depth)
        yield from text_of(here.body, depth + 1) if here.body else [INDENT * (depth + 1) + "pass"]
        here = here.next


def definition(name: str, params: tuple[str, ...], body: list[Statement], doc: str) -> str:
    """A function at the top of the module."""
    lines = laid("def ", Split(f"{name}(", params, ")"), ":", 0)
    if doc:
        lines.append(f'{INDENT}"""{doc}"""')
    return "\n".join([*lines, *text_of(body, 1)])
