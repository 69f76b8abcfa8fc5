"""What is known of the λs and variables of a program before it is written: captures, places, uses.

In ``let f = λy. x * y; z = f 1 in z + f z`` the λ captures ``x`` and stands in one place; in the
block, ``z`` is used twice and ``f`` twice. Of ``x`` nobody can count the uses: its λ may be called
at any time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from combinators.objects import Object
from combinators.operation import Operation
from combinators.primitives.loops import LOOP
from combinators.terms import App, Captured, Cond, Const, Lam, Let, Prim, Proj, Term, Var, captured

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
    size: int
    """How many terms there are but variables and numbers."""

    @property
    def has_loops(self) -> bool:
        """Whether there are loops among the primitives."""
        return any(operation.primitive is LOOP for operation in self.operations)

    def is_once(self, function: Lam) -> bool:
        """Whether a λ stands in one place only, where it may be written out."""
        return self.times[id(function)] <= 1


def surveyed(root: Lam) -> Occurrences:
    """What occurs in the closed λ ``root``."""
    times: Counter[int] = Counter()
    captures, seen = False, set[int]()
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
            if kind is Const:
                objects[id(part.type)] = part.type
            elif kind is not Var:
                key = id(part)
                if kind is Lam:
                    times[key] += 1
                captures = captures or kind is Lam or kind is Cond
                if key not in seen:
                    seen.add(key)
                    todo.append(part)
    # Only λs and branches capture.
    found: Captured = captured(root)[1] if captures else {id(root): ()}
    each = frozenset(operations.values()), tuple(objects.values())
    return Occurrences(found, times, *each, len(seen))


class VariableUses:
    """How often each variable is used in a block, not counting what λs and branches capture."""

    def __init__(self, term: Term, captures: Captured) -> None:
        """In ``term``; counted when it is first asked."""
        self._term, self._captured = term, captures
        self._whole: set[str] = set()

    @property
    def whole(self) -> set[str]:
        """The variables that stand where no component is taken of them."""
        return self._whole if self._counted else set()

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
                self._whole.add(node.name)
            elif isinstance(node, Proj) and isinstance(node.product, Var):
                uses[node.product.name] += 1
            elif isinstance(node, Lam | Cond):
                names = [var.name for var in self._captured[id(node)]]
                uses.update(dict.fromkeys(names, OFTEN))
                self._whole.update(names)
                todo += (node.test,) if isinstance(node, Cond) else ()
            else:
                todo += node.below()
        return uses


def ending(block: Let) -> tuple[Sequence[tuple[Var, Term]], Term]:
    """The lines of a block and what it ends with; of ``let y = f x in y`` that is ``f x``."""
    *lines, (var, bound) = block.bindings
    return (lines, bound) if block.body == var else (block.bindings, block.body)


def calls_where_it_ends(itself: str, body: Term, known: Captured) -> frozenset[int]:
    """The ids of the terms that end with a call of ``itself``; none, if it stands elsewhere too.

    In ``let y = x + 1 in if p then y else f y`` these are the ``let``, the ``if`` and ``f y``.
    """
    order: list[Term] = []
    calls, todo = set[int](), [body]
    while todo:
        term = todo.pop()
        order.append(term)
        pieces: Sequence[Term] = (term,)
        match term:
            case Let():
                lines, last = ending(term)
                if any(var.name == itself for var, _ in lines):
                    return frozenset()
                pieces = [bound for _, bound in lines]
                todo.append(last)
            case Cond(test, then, other):
                pieces = (test,)
                todo += (then, other)
            case App(Var(name), argument) if name == itself:
                pieces = (argument,)
                calls.add(id(term))
            case _:
                pass
        for piece in pieces:
            if any(var.name == itself for var in captured(piece, known)[0]):
                return frozenset()
    for term in reversed(order):
        below = (ending(term)[1],) if isinstance(term, Let) else term.below()[1:]
        if isinstance(term, Let | Cond) and any(id(part) in calls for part in below):
            calls.add(id(term))
    return frozenset(calls)


class Rounds(NamedTuple):
    """A function that calls itself as a loop: while a test ``holds``, ``again``; then ``end``."""

    lines: Sequence[tuple[Var, Term]]
    """What stands before the test."""
    test: Term
    holds: bool
    """What comes of the test as long as it goes on."""
    again: Term
    end: Term
    calls: frozenset[int]
    """The ids of the terms that end with a call."""


def rounds_of(step: Term, known: Captured) -> Rounds | None:
    """The loop that ``fix step`` is; None where a round is not first a test and then a call."""
    if not isinstance(step, Lam) or len(step.params) != 2:
        return None
    calls = calls_where_it_ends(step.params[0].name, step.body, known)
    lines: list[tuple[Var, Term]] = []
    last: Term = step.body
    while isinstance(last, Let):
        own, last = ending(last)
        lines += own
    if not isinstance(last, Cond):
        return None
    holds = id(last.then) in calls
    again, end = (last.then, last.other) if holds else (last.other, last.then)
    todo = [again]
    while todo:
        here = todo.pop()
        if id(here) not in calls or id(end) in calls:
            return None
        match here:
            case Let():
                todo.append(ending(here)[1])
            case Cond(_, then, other):
                todo += (then, other)
            case _:
                pass
    return Rounds(lines, last.test, holds, again, end, calls)
