"""Rules, what is said when one fires, and which of them are on."""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from combinators.errors import Place, TypeMismatch
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
from combinators.simplify.wellformed import check_right, check_rule
from combinators.terms import Prim, Term

Right = Pattern | Callable[..., Any]
"""What is written instead: a pattern, or a function of what the holes stand for that makes one.

The parameters of the function are named after holes; ``out`` is the type of the left side. It
gives None where the rule does not apply.
"""

Fold = Callable[[Prim], Literal | None]
"""Computes a primitive of numbers over a carrier; None where that carrier has no value for it."""

MOST_FIRINGS = 5_000
"""So many rules of a user may fire on what stands in one line, one after the other."""


@dataclass(frozen=True)
class Rule:
    """``left ⇝ right``: an equation, read from left to right.

    The right side may cost no more than the outermost operation of the left side, since what
    stands below it may be used elsewhere. It raises ``TypeMismatch`` where a side is no pattern,
    where the right side needs what the left side does not name, and where it would fire for ever.
    """

    name: str
    group: str
    source: str
    left: Node
    right: Right = field(compare=False)

    def __post_init__(self) -> None:
        """Check what can be checked before there is a term."""
        check_rule(self.name, self.left, self.right)

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
        watched: Iterable[Rule] = (),
    ) -> None:
        """Everything but what ``without`` names, by rule or by group.

        The rules that are ``watched`` are a user's: it raises where one of them does not end.
        """
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
        self.watched = frozenset(rule.name for rule in watched)
        self._firings: list[str] = []
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

    def watch(self, rule: Rule, right: Pattern, found: Found, nesting: int) -> None:
        """Check what a user's rule writes, and that rules end that fire on what others write."""
        if not nesting:
            self._firings.clear()
        if rule.name not in self.watched:
            return
        check_right(rule.name, right, found)
        self._firings.append(rule.name)
        if len(self._firings) > MOST_FIRINGS:
            names = ", ".join(map(repr, sorted({*self._firings})))
            raise TypeMismatch(
                f"rules fire without end on what they write: {names}, {MOST_FIRINGS:,} times in "
                "one line; a right side may cost no more than the left side's first operation"
            )

    def say(self, rule: str, before: Term, after: Term, variable: str = "") -> None:
        """Note that a rule has fired."""
        self.fired += 1
        if self.trace is not None:
            place = getattr(before, "place", None)
            self.trace(Fired(rule, before, after, variable, place))
