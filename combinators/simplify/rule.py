"""Rules, what is wrong with one as it is written, what is said when one fires, and which are on."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NoReturn

import numpy as np

from combinators.errors import DiffcurryError, Place, TypeMismatch
from combinators.literal import Literal
from combinators.objects import Tensor
from combinators.operation import PRIMITIVES, Typing
from combinators.simplify.patterns import (
    FORMS,
    Facts,
    Found,
    Hole,
    Node,
    Pattern,
    Rest,
    matched,
    may_match,
)
from combinators.terms import Const, Prim, Term

Right = Pattern | Callable[..., Any]
"""What is written instead: a pattern, or a function of what the holes stand for that makes one.

The parameters of the function are named after holes; ``out`` is the type of the left side. It
gives None where the rule does not apply.
"""

Fold = Callable[[Prim], Literal | None]
"""Computes a primitive of numbers over a carrier; None where that carrier has no value for it."""

FOLDED = 1024
"""A computed literal has at most so many elements, or as many as what it is computed from."""
MOST_FIRINGS = 5_000
"""So many rules of a user may fire on what stands in one line, one after the other."""


@dataclass(frozen=True, eq=False)
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
    right: Right

    def __post_init__(self) -> None:
        """Check what can be checked before there is a term."""
        check_rule(self.name, self.left, self.right)

    @cached_property
    def _wanted(self) -> tuple[str, ...]:
        return tuple(inspect.signature(self.right).parameters) if callable(self.right) else ()

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


def rules_of(group: str, *rules: tuple[str, str, Node, Right]) -> tuple[Rule, ...]:
    """The rules of a group: their names, their sources and their two sides."""
    return tuple(Rule(name, group, source, left, right) for name, source, left, right in rules)


@dataclass(frozen=True, eq=False)
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


# ---- which are on --------------------------------------------------------------------------------


class RuleIndex(dict[tuple[str, tuple[str, ...]], list[Rule]]):
    """The rules that may apply to a line of a head, with operands of these kinds."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        """Of these rules, which are tried in this order."""
        super().__init__()
        self._by_head: dict[str, list[Rule]] = {}
        self.numbers: set[float] = set()
        """The numbers that rules ask for."""
        for rule in rules:
            self._by_head.setdefault(rule.left.head, []).append(rule)
            asked = [part for part in rule.left.operands if isinstance(part, Hole) and part.only]
            self.numbers.update(part.like + 0.0 for part in asked if part.like is not None)

    def __missing__(self, key: tuple[str, tuple[str, ...]]) -> list[Rule]:
        """Found once, unless there are many operands, and few lines that are alike."""
        head, kinds = key
        found = [rule for rule in self._by_head.get(head, ()) if may_match(rule.left, kinds)]
        if len(kinds) <= WIDEST:
            self[key] = found
        return found

    def kind(self, atom: Term) -> str:
        """The kind of an atom that is no variable."""
        if isinstance(atom, Const):
            array = atom.literal.array
            first = float(array.flat[0]) + 0.0 if array.size else None
            return f"#{first!r}" if first in self.numbers else "#"
        return "#0.0" if isinstance(atom, Prim) else ""


WIDEST = 4
"""What is found for lines of more operands is not kept."""


@lru_cache(maxsize=8)
def _switched(
    everything: tuple[Rule | Step, ...], off: frozenset[str]
) -> tuple[frozenset[str], RuleIndex]:
    """The steps that are on, and the rules."""
    unknown = off.difference(*[(rule.name, rule.group) for rule in everything])
    if unknown:
        raise TypeMismatch(
            f"there is no rule or group {', '.join(sorted(unknown))}; the groups are "
            f"{', '.join(sorted({rule.group for rule in everything}))}"
        )
    on = [rule for rule in everything if rule.name not in off and rule.group not in off]
    steps = frozenset(step.name for step in on if isinstance(step, Step))
    return steps, RuleIndex(rule for rule in on if isinstance(rule, Rule))


class Switches:
    """The rules and the steps that are on."""

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
        self.steps, self.index = _switched((*rules, *steps), frozenset(without))
        self.trace, self.fold = trace, fold
        self.watched = frozenset(rule.name for rule in watched)
        self.fired = 0
        self._firings: list[str] = []
        self.asked: set[str] = set()
        """Lines of which a rule waits to know whether they are used once."""

    def has(self, step: str) -> bool:
        """Whether a step is on."""
        return step in self.steps

    def watch(self, rule: Rule, right: Pattern, found: Found, nesting: int) -> None:
        """Check what a user's rule writes, and that rules end that fire on what others write."""
        if not nesting:
            self._firings.clear()
        if rule.name not in self.watched:
            return
        for _ in _checked(rule.name, right, "right"):
            pass
        _check_known(rule.name, _holes(right), frozenset(found))
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
            self.trace(Fired(rule, before, after, variable, getattr(before, "place", None)))

    def folded(self, term: Term) -> Term | None:
        """A primitive of numbers as a number."""
        fold = self.fold
        if type(term) is not Prim or fold is None or not self.has("fold-constants"):
            return None
        sizes = [arg.literal.array.size for arg in term.args if type(arg) is Const]
        if len(sizes) < len(term.args) or not isinstance(term.type, Tensor):
            return None
        if term.type.size > max(FOLDED, *sizes):
            return None
        try:
            with np.errstate(all="ignore"):
                literal = fold(term)
        except DiffcurryError:
            return None
        if literal is None or literal.type is not term.type:
            return None
        self.say("fold-constants", term, Const(literal))
        return Const(literal)


# ---- what is wrong with one ----------------------------------------------------------------------

GIVEN = frozenset(("out", "facts"))
"""What a right side that is a function may ask for besides holes."""


def check_rule(name: str, left: Any, right: Any) -> None:
    """Raise ``TypeMismatch`` for a rule that cannot fire, or that fires on what it writes."""
    if not isinstance(left, Node):
        _refuse(name, f'its left side is {left!r}; write an operation, as head("sin")(x)')
    for node in _checked(name, left, "left"):
        _check_operation(name, node, "left")
    holes = frozenset(_holes(left))
    if not callable(right):
        for node in _checked(name, right, "right"):
            _check_operation(name, node, "right")
            if matched(left, node, Facts()) is not None:
                _refuse(
                    name,
                    f"it would fire again on the {node!r} that it writes, and so without end; "
                    "write a right side that the left side does not match",
                )
        _check_known(name, _holes(right), holes)
        return
    try:
        wanted = inspect.signature(right).parameters
    except ValueError:
        _refuse(name, f"{right!r} does not say its parameters; write a lambda of the holes")
    _check_known(name, wanted, holes | GIVEN)


def _refuse(name: str, why: str) -> NoReturn:
    raise TypeMismatch(f"the rule {name!r} is none: {why}")


def _check_known(name: str, wanted: Iterable[str], known: frozenset[str]) -> None:
    unknown = [word for word in wanted if word not in known]
    if unknown:
        _refuse(
            name,
            f"its right side asks for {', '.join(unknown)}, which its left side does not have; it "
            f"may ask for {', '.join(sorted(known)) or 'nothing'}",
        )


def _checked(name: str, pattern: Any, side: str) -> Iterator[Node]:
    """The nodes of a side; it raises for what is no part of one."""
    match pattern:
        case Node(_, operands):
            yield pattern
            for operand in operands:
                if not (side == "left" and isinstance(operand, Rest) and len(operands) == 1):
                    yield from _checked(name, operand, side)
        case Hole():
            return
        case Term() if side == "right":
            return
        case _:
            is_hole = 'a number is a hole with a test, as Hole("c", where)'
            how = is_hole if side == "left" else "a number is a term, as const(1.5)"
            _refuse(name, f"{pattern!r} is no pattern on its {side} side; there {how}")


def _check_operation(name: str, node: Node, side: str) -> None:
    if node.head in FORMS:
        return
    if node.head not in PRIMITIVES:
        _refuse(name, f"there is no primitive named {node.head!r}; import what declares it")
    signature = _signature(PRIMITIVES[node.head].typing)
    operands = () if any(isinstance(part, Rest) for part in node.operands) else node.operands
    try:
        bind = signature.bind if side == "right" else signature.bind_partial
        bind(*operands, **dict(node.parameters))
    except TypeError as error:
        _refuse(name, f"{node!r} is no {node.head}: {error}")


@lru_cache(maxsize=1 << 10)
def _signature(typing: Typing) -> inspect.Signature:
    return inspect.signature(typing)


def _holes(pattern: Any) -> Iterator[str]:
    match pattern:
        case Hole(name) | Rest(name):
            yield name
        case Node(_, operands, parameters):
            for part in (*operands, *(value for _, value in parameters)):
                yield from _holes(part)
        case _:
            return
