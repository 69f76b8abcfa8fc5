"""Rules, what is wrong with one as it is written, what is said when one fires, and which are on."""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NoReturn

from combinators.errors import Place, TypeMismatch
from combinators.literal import Literal
from combinators.operation import PRIMITIVES, Typing
from combinators.simplify.patterns import (
    COMMUTATIVE,
    FORMS,
    NUMBER,
    Facts,
    Found,
    Hole,
    Node,
    Pattern,
    Rest,
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

    @cached_property
    def is_counted(self) -> bool:
        """Whether it asks that something is used once."""
        return _is_counted(self.left)

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
        self._tried: dict[tuple[str, str], list[Rule]] = {}
        self.count_uses = False
        """Whether a rule was tried that asks that something is used once."""

    def has(self, step: str) -> bool:
        """Whether a step is on."""
        return step in self.steps

    def tried(self, head: str, marks: str) -> list[Rule]:
        """The rules for a head that may apply where the operands bear these marks, in a row."""
        found = self._tried.get((head, marks))
        if found is None:
            borne = frozenset(marks.split())
            found = [rule for rule in self.rules[head] if rule.marks <= borne]
            self._tried[head, marks] = found
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


GIVEN = frozenset(("out", "facts"))
"""What a right side that is a function may ask for besides holes."""


def check_rule(name: str, left: Any, right: Any) -> None:
    """Raise ``TypeMismatch`` for a rule that cannot fire, or that fires on what it writes."""
    if not isinstance(left, Node):
        _refuse(name, f'its left side is {left!r}; write an operation, as head("sin")(x)')
    for node in _checked(name, left, "left"):
        _check_operation(name, node, "left")
    holes = frozenset(_holes(left))
    if callable(right):
        _check_function(name, right, holes)
    else:
        _check_template(name, left, right, holes)


def check_right(name: str, right: Any, found: Found) -> None:
    """Raise ``TypeMismatch`` for what a rule's function gave, if it is no pattern."""
    for _ in _checked(name, right, "right"):
        pass
    _check_known(name, _holes(right), frozenset(found))


def check_words(without: Any) -> None:
    """Raise ``TypeMismatch`` for one name where several are taken."""
    if isinstance(without, str):
        raise TypeMismatch(
            f"without={without!r} is one word, and takes several; write without=[{without!r}]"
        )


def _refuse(name: str, why: str) -> NoReturn:
    raise TypeMismatch(f"the rule {name!r} is none: {why}")


def _check_function(name: str, right: Any, holes: frozenset[str]) -> None:
    try:
        wanted = inspect.signature(right).parameters
    except ValueError:
        _refuse(name, f"{right!r} does not say its parameters; write a lambda of the holes")
    _check_known(name, wanted, holes | GIVEN)


def _check_template(name: str, left: Node, right: Any, holes: frozenset[str]) -> None:
    for node in _checked(name, right, "right"):
        _check_operation(name, node, "right")
        if _fires_on(left, node):
            _refuse(
                name,
                f"it would fire again on the {node!r} that it writes, and so without end; write a "
                "right side that the left side does not match",
            )
    _check_known(name, _holes(right), holes)


def _check_known(name: str, wanted: Any, known: frozenset[str]) -> None:
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
            how = (
                'a number is a hole with a test, as Hole("c", where)'
                if side == "left"
                else "a number is a term, as const(1.5)"
            )
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


def _fires_on(left: Node, node: Node) -> bool:
    """Whether ``left`` matches ``node`` whatever the holes of ``node`` stand for."""
    return _node(left, node, {})


def _node(pattern: Node, node: Any, found: Found) -> bool:
    if not isinstance(node, Node) or pattern.head != node.head or pattern.once:
        return False
    if len(pattern.operands) != len(node.operands):
        return False
    given = dict(node.parameters)
    if not all(_part(part, given.get(name), found) for name, part in pattern.parameters):
        return False
    orders = [node.operands, node.operands[::-1]]
    for order in orders if pattern.head in COMMUTATIVE else orders[:1]:
        tried = dict(found)
        pairs = zip(pattern.operands, order, strict=True)
        if all(_part(wanted, part, tried) for wanted, part in pairs):
            found.update(tried)
            return True
    return False


def _part(pattern: Any, part: Any, found: Found) -> bool:
    match pattern:
        case Node():
            return _node(pattern, part, found)
        case Hole(name, None):
            return bool(found.setdefault(name, part) == part)
        case Hole() | Rest():
            return False
        case _:
            return bool(pattern == part)
