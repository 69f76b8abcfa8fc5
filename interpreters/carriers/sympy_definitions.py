"""Which definitions of a formula to keep, and what to call them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import sympy

from combinators.errors import DomainError
from combinators.kit.text import Names
from interpreters.carriers.sympy_shared import Size, Sizes
from interpreters.carriers.sympy_values import chosen

Definitions = Sequence[tuple[Any, Any]]
"""``(symbol, what it stands for)``, each mentioning only those before it, as from ``sympy.cse``."""

READABLE = Size(256, 48)
"""A formula no larger than this is written without definitions."""

WRITABLE = Size(20_000, 96)
"""A formula larger than this cannot be written without definitions."""

_LINE = Size(64, 24)
"""A definition that is used once stands where it is used, as long as the line stays so short."""


def mentioned(expression: Any, among: Any) -> Counter[Any]:
    """How often each symbol of ``among`` stands in ``expression``."""
    found: Counter[Any] = Counter()
    stack = [expression]
    while stack:
        node = stack.pop()
        if node in among:
            found[node] += 1
        stack.extend(node.args)
    return found


def total_size(definitions: Definitions, results: Iterable[Any]) -> Size:
    """The size of the results with every definition written out."""
    sizes = Sizes()
    for symbol, expression in definitions:
        sizes.define(symbol, sizes(expression))
    found = [sizes(result) for result in results]
    nodes = sum(size.nodes for size in found)
    return Size(nodes, max((size.depth for size in found), default=0))


def needed(definitions: Definitions, results: Sequence[Any]) -> list[tuple[Any, Any]]:
    """The definitions that the results mention, those that they mention, and so on."""
    among = {symbol for symbol, _ in definitions}
    used = {symbol for result in results for symbol in mentioned(result, among)}
    kept = []
    for symbol, expression in reversed(definitions):
        if symbol in used:
            used.update(mentioned(expression, among))
            kept.append((symbol, expression))
    return kept[::-1]


def written_out(definitions: Definitions, results: Sequence[Any]) -> list[Any]:
    """The results with every definition in its place; it raises where they would be too large."""
    size = total_size(definitions, results)
    if size.nodes > WRITABLE.nodes or size.depth > WRITABLE.depth:
        raise DomainError(
            f"written out, the formula has {size.nodes:.3g} nodes and is {size.depth} deep; let it "
            "have definitions: definitions=True"
        )
    known: dict[Any, Any] = {}
    for symbol, expression in definitions:
        known[symbol] = expression.xreplace(known)
    return [_settled(result.xreplace(known)) for result in results]


def _settled(expression: Any) -> Any:
    """A choice inside of a choice by the same test is made."""
    if not expression.has(sympy.Piecewise):
        return expression
    return expression.replace(_is_choice, _chosen)


def _is_choice(node: Any) -> bool:
    return (
        isinstance(node, sympy.Piecewise) and len(node.args) == 2 and node.args[1][1] == sympy.true
    )


def _chosen(choice: Any) -> Any:
    (x, test), (y, _) = choice.args
    return chosen(test, x, y)


def condensed(definitions: Definitions, results: Sequence[Any]) -> tuple[Definitions, list[Any]]:
    """Fewer definitions: one that is used once stands in its place, where the line stays short."""
    among = {symbol for symbol, _ in definitions}
    uses: Counter[Any] = Counter()
    for expression in (*(body for _, body in definitions), *results):
        uses.update(mentioned(expression, among))
    lines = _Lines()
    for symbol, body in definitions:
        line = lines.completed(body)
        if uses[symbol] == 1:
            lines.waiting[symbol] = line
        else:
            lines.kept.append((symbol, line))
    completed = [lines.completed(result) for result in results]
    return lines.kept, completed


class _Lines:
    """Definitions that are kept, and those that wait for the one place where they are used."""

    def __init__(self) -> None:
        self.kept: list[tuple[Any, Any]] = []
        self.waiting: dict[Any, Any] = {}
        self._sizes = Sizes()

    def completed(self, body: Any) -> Any:
        """``body`` with what waits for it; what does not fit is kept before it."""
        nodes, depth = self._sizes(body)
        placed = {}
        for symbol in mentioned(body, self.waiting):
            line = self.waiting.pop(symbol)
            more = self._sizes(line)
            if nodes + more.nodes <= _LINE.nodes and depth + more.depth <= _LINE.depth:
                nodes += more.nodes
                placed[symbol] = line
            else:
                self.kept.append((symbol, line))
        return body.xreplace(placed)


def named(
    definitions: Definitions, results: Sequence[Any], taken: Iterable[str]
) -> tuple[Definitions, list[Any]]:
    """The same with names that are shown: ``v1``, ``v2``, …, in order."""
    names = Names((*taken, "v"))
    renamed: dict[Any, Any] = {}
    for symbol, _ in definitions:
        renamed[symbol] = sympy.Symbol(names.fresh("v"), **symbol.assumptions0)
    lines = [(renamed[symbol], body.xreplace(renamed)) for symbol, body in definitions]
    return lines, [result.xreplace(renamed) for result in results]
