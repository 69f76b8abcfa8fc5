"""Rules, what is said when one fires, and which of them are on."""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from combinators.errors import TypeMismatch
from combinators.kit.locate import Place
from combinators.literal import Literal
from combinators.simplify.patterns import (
    NUMBER,
    Facts,
    Found,
    Hole,
    Node,
    Pattern,
    matched,
    number_mark,
)
from combinators.terms import Prim, Term

Right = Pattern | Callable[..., Any]
"""What is written instead: a pattern, or a function of what the holes stand for that makes one.

The parameters of the function are named after holes; ``out`` is the type of the left side. It
gives None where the rule does not apply.
"""

Fold = Callable[[Prim], Literal | None]
"""Computes a primitive of numbers over a carrier; None where that carrier has no value for it."""


@dataclass(frozen=True)
class Rule:
    """``left ⇝ right``: an equation, read from left to right.

    The right side may cost no more than the outermost operation of the left side, since what
    stands below it may be used elsewhere.
    """

    name: str
    group: str
    source: str
    left: Node
    right: Right = field(compare=False)

    @cached_property
    def _wanted(self) -> tuple[str, ...]:
        return tuple(inspect.signature(self.right).parameters) if callable(self.right) else ()

    @cached_property
    def marks(self) -> frozenset[str]:
        """What the operands of a term have to be for the rule to apply: heads, numbers."""
        found = set()
        for operand in self.left.operands:
            match operand:
                case Node(head):
                    found.add(head)
                case Hole(_, _, float() as like, only):
                    found.add(number_mark(like) if only else NUMBER)
                case _:
                    pass
        return frozenset(found)

    def apply(self, term: Term, facts: Facts) -> tuple[Pattern, Found] | None:
        """The right side and what its holes stand for, where the rule applies to ``term``."""
        found = matched(self.left, term, facts)
        if found is None:
            return None
        if not callable(self.right):
            return self.right, found
        known = found | {"out": term.type, "facts": facts}
        made = self.right(*[known[name] for name in self._wanted])
        return None if made is None else (made, found)


@dataclass(frozen=True)
class Step:
    """A simplification that looks at more than one line, by name; the passes carry it out."""

    name: str
    group: str
    source: str
    says: str


@dataclass(frozen=True)
class Fired:
    """A rule has fired: its name, the term before and after, the variable, the user's line."""

    rule: str
    before: Term
    after: Term
    variable: str
    place: Place | None

    def __repr__(self) -> str:
        """On one line."""
        where = f"{self.place}: " if self.place else ""
        return f"{where}{self.rule}: {self.before!r} ⇝ {self.after!r}"


Trace = Callable[[Fired], None]


def _is_counted(pattern: Pattern) -> bool:
    return isinstance(pattern, Node) and (pattern.once or any(map(_is_counted, pattern.operands)))


class Switches:
    """The rules and the steps that are on, the rules by the head of their left side."""

    def __init__(
        self,
        rules: Iterable[Rule],
        steps: Iterable[Step],
        *,
        without: Iterable[str] = (),
        trace: Trace | None = None,
        fold: Fold | None = None,
    ) -> None:
        """Everything but what ``without`` names, by rule or by group."""
        rules, steps, off = list(rules), list(steps), set(without)
        everything: list[Rule | Step] = [*rules, *steps]
        known = {word for rule in everything for word in (rule.name, rule.group)}
        if off - known:
            raise TypeMismatch(
                f"there is no rule or group {', '.join(sorted(off - known))}; the groups are "
                f"{', '.join(sorted({rule.group for rule in everything}))}"
            )
        self.trace = trace
        self.fold = fold
        self.fired = 0
        self.steps = {s.name for s in steps if s.name not in off and s.group not in off}
        self.rules: dict[str, list[Rule]] = defaultdict(list)
        for rule in rules:
            if rule.name not in off and rule.group not in off:
                self.rules[rule.left.head].append(rule)
        heads = self.rules.items()
        self.marks = {
            name: frozenset[str]().union(*[r.marks for r in all_]) for name, all_ in heads
        }
        """What the rules for a head ask of operands."""
        self._tried: dict[tuple[str, frozenset[str]], list[Rule]] = {}
        self.count_uses = any(
            _is_counted(rule.left) for found in self.rules.values() for rule in found
        )
        """Whether a rule asks that something is used once."""

    def has(self, step: str) -> bool:
        """Whether a step is on."""
        return step in self.steps

    def tried(self, head: str, marks: set[str]) -> list[Rule]:
        """The rules for a head that may apply where the operands bear these of its marks."""
        key = head, frozenset(marks)
        found = self._tried.get(key)
        if found is None:
            found = self._tried[key] = [r for r in self.rules[head] if r.marks <= key[1]]
        return found

    def say(self, rule: str, before: Term, after: Term, variable: str = "") -> None:
        """Note that a rule has fired."""
        self.fired += 1
        if self.trace is not None:
            place = getattr(before, "place", None)
            self.trace(Fired(rule, before, after, variable, place))
