"""What is known of the λs and variables of a program before it is written: captures, places, uses.

In ``let f = λy. x * y; z = f 1 in z + f z`` the λ captures ``x`` and stands in one place; in the
block, ``z`` is used twice and ``f`` twice. Of ``x`` nobody can count the uses: its λ may be called
at any time.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import NamedTuple

from combinators.objects import Object
from combinators.operation import Operation
from combinators.terms import Captured, Cond, Const, Lam, Prim, Term, Var, captured

OFTEN = 1 << 30
"""How often a variable is used that a λ, a branch or a loop captures."""


class Occurrences(NamedTuple):
    """The λs of a program by the ids of their nodes, and what occurs in it."""

    captured: Captured
    """What each λ and branch captures."""
    times: Counter[int]
    """In how many places each λ stands."""
    operations: frozenset[Operation]
    """The primitives."""
    objects: tuple[Object, ...]
    """The types of all terms but variables, each once."""

    def is_once(self, function: Lam) -> bool:
        """Whether a λ stands in one place only, where it may be written out."""
        return self.times[id(function)] <= 1


def surveyed(root: Lam) -> Occurrences:
    """What occurs in the closed λ ``root``."""
    times: Counter[int] = Counter()
    captures = False
    operations: dict[int, Operation] = {}
    objects: dict[int, Object] = {}
    todo: list[Term] = [root]
    while todo:
        node = todo.pop()
        objects[id(node.type)] = node.type
        if type(node) is Prim:
            operations[id(node.operation)] = node.operation
            parts = node.args
        else:
            parts = node.below()
        for part in parts:
            kind = type(part)
            if kind is Prim:
                todo.append(part)
            elif kind is Const:
                objects[id(part.type)] = part.type
            elif kind is not Var:
                captures = captures or kind is Lam or kind is Cond
                if kind is Lam:
                    times[id(part)] += 1
                    if times[id(part)] > 1:
                        continue
                todo.append(part)
    # Only λs and branches capture.
    found: Captured = captured(root)[1] if captures else {id(root): ()}
    return Occurrences(found, times, frozenset(operations.values()), tuple(objects.values()))


class VariableUses:
    """How often each variable is used in a block, not counting what λs and branches capture."""

    def __init__(self, term: Term, captures: Captured) -> None:
        """In ``term``; counted when it is first asked."""
        self._term, self._captured = term, captures

    def __getitem__(self, name: str) -> int:
        """How often a variable is used."""
        return self._counted[name]

    @cached_property
    def _counted(self) -> Counter[str]:
        uses: Counter[str] = Counter()
        todo = [self._term]
        while todo:
            node = todo.pop()
            if isinstance(node, Var):
                uses[node.name] += 1
            elif isinstance(node, Lam | Cond):
                uses.update({var.name: OFTEN for var in self._captured[id(node)]})
                todo += (node.test,) if isinstance(node, Cond) else ()
            else:
                todo += node.below()
        return uses
