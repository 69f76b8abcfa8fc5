"""Statements without what nothing needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from interpreters.backends.text.code import Assign, Block, Statement, words
from interpreters.backends.text.layout import flat


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
    uses = Counter(words("\n".join(map(_looked_at, each))))
    makers: dict[str, list[Assign]] = {}
    for statement in each:
        if type(statement) is Assign:
            for target in statement.targets:
                makers.setdefault(target, []).append(statement)
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


def _looked_at(statement: Statement) -> str:
    """The text in which a statement names what it needs."""
    if isinstance(statement, Block):
        return f"{statement.before}{flat(statement.header)}"
    return flat(statement.text)


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
