"""Walks over the blocks of a program in let-normal form, the inner ones first.

``rewritten_blocks`` writes other lines in the place of those of a block; ``nested_blocks`` gives
the program as people read it. With sin x used twice, and the rest once, a block as the passes leave
it becomes

    v7 = sin x
    v8 = v7 * 2                 let v = sin x in v * 2 + (if p then v else 0)
    c4 = if p then v7 else 0
    v9 = v8 + c4  → v9

Nothing moves into a λ or a branch: what these use counts as used twice.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import is_not
from typing import Any

from combinators.block import (
    Lines,
    Standing,
    Uses,
    count,
    count_inside,
    nested,
    opened,
    operands,
    remade,
)
from combinators.kit.recursion import Recursive, recurse
from combinators.kit.text import Names
from combinators.kit.tree import distinct_nodes
from combinators.objects import Tensor, Unit
from combinators.simplify.patterns import filled, is_atom, is_typed_zero
from combinators.simplify.rule import Switches
from combinators.terms import Captured, Lam, Let, Term, Tuple, Var, captured


class Inside:
    """What λs and choices capture, each looked into once."""

    def __init__(self) -> None:
        self._captured: Captured = {}
        self._held: list[Term] = []

    def __call__(self, term: Term) -> tuple[Var, ...]:
        """The variables that a λ or a choice captures."""
        if id(term) not in self._captured:
            captured(term, self._captured)
            self._held.append(term)
        return self._captured[id(term)]


Rewrite = Callable[[Lines, Inside], Lines]
"""The lines of a block instead of others; the same list where nothing changes."""


def rewritten_blocks(lam: Lam, rewrite: Rewrite) -> Lam:
    """A closed λ with every block rewritten, the inner ones first; itself where none changes."""
    inside, made = Inside(), dict[int, Any]()
    for node in distinct_nodes(lam, kind=Term):
        before = node.below()
        if not any(id(part) in made for part in before) and type(node) is not Let:
            continue
        parts = [made.get(id(part), part) for part in before]
        match node:
            case Let(bindings):
                lines = [(var, term) for (var, _), term in zip(bindings, parts, strict=False)]
                after = rewrite(lines, inside)
                if after is not lines or any(map(is_not, parts, before)):
                    made[id(node)] = Let(tuple(after), parts[-1])
            case Lam(params):
                made[id(node)] = Lam(params, parts[0], node.name)
            case _:
                made[id(node)] = remade(node, tuple(parts))
    found: Lam = made.get(id(lam), lam)
    return found


def closed_in(lam: Lam) -> list[Lam]:
    """The closed λs of a program in let-normal form, each after those that it mentions."""
    inside = captured(lam)[1]
    every = distinct_nodes(lam, kind=Term)
    return [node for node in every if isinstance(node, Lam) and not inside[id(node)]]


def nested_blocks(
    lam: Lam, closed: set[int], switches: Switches, keep: frozenset[str] = frozenset()
) -> Lam:
    """The program of closed λs ``closed`` as people read it; ``keep`` are names that stay.

    Lines that the program itself has named, ``v`` or ``v7``, are numbered as they are read, and a
    zero of numbers is written as a number.
    """
    has_numbers, done = switches.has("zeros-number"), dict[int, Lam]()

    def unit(lam: Lam) -> Recursive[Lam]:
        if id(lam) not in done:
            done[id(lam)] = yield _Unit(closed, keep, part).nested(lam)
        return done[id(lam)]

    def part(atom: Term) -> Recursive[Term | None]:
        if isinstance(atom, Lam) and id(atom) in closed:
            found: Lam = yield unit(atom)
            return found
        if has_numbers and is_typed_zero(atom):
            if isinstance(atom.type, Tensor):
                return filled(0, atom.type)
            return Tuple(()) if atom.type is Unit else atom
        return atom if is_atom(atom) else None

    return recurse(unit(lam))


class _Unit:
    """One closed λ: how its names are used, what stands for them, and how lines are called."""

    def __init__(
        self, closed: set[int], keep: frozenset[str], part: Callable[[Term], Recursive[Term | None]]
    ) -> None:
        """``part`` is how an atom is read, and None of what is a block."""
        self._closed, self._keep, self._part_of = closed, keep, part
        self._taken: set[str] = set()
        """Names that stay."""
        self._uses: Uses = {}
        self._inside: Standing = {}
        self._scoped: set[str] = set()
        """Lines that hold a λ, a branch, or a zero that is written as a number."""

    def nested(self, lam: Lam) -> Recursive[Lam]:
        """The λ as people read it."""
        self._taken.update(param.name for param in lam.params)
        yield self._count(lam.body)
        self._names = Names(self._taken)
        body: Term = yield self._block(lam.body)
        return Lam(lam.params, body, lam.name)

    def _count(self, body: Term) -> Recursive[Uses]:
        """Count how its names are used in a block; how those of outside are, is given."""
        lines, result = opened(body)
        uses: Uses = {}
        count(result, uses)
        for var, term in reversed(lines):
            if var.name in uses and not count(term, uses):
                self._scoped.add(var.name)
                for part in operands(term):
                    if is_atom(part) or id(part) in self._closed:
                        continue
                    params = {p.name for p in part.params} if isinstance(part, Lam) else set()
                    self._taken |= params
                    inner = part.body if isinstance(part, Lam) else part
                    inside: Uses = yield self._count(inner)
                    count_inside(inside.keys() - params, uses)
        for var, _ in lines:
            name = var.name
            times = uses.pop(name, None)
            if times is not None:
                self._uses[name] = 2 if name in self._keep else times
                is_numbered = name[0] == "v" and (name == "v" or name[1:].isdigit())
                if name in self._keep or not is_numbered:
                    self._taken.add(name)
        return uses

    def _block(self, body: Term) -> Recursive[Term]:
        """A block as people read it."""
        lines, result = opened(body)
        end: Term = yield self._part(result)
        made: Term = yield nested(
            lines, end, self._uses, self._inside, self._opened_up, self._scoped, self._named
        )
        return made

    def _opened_up(self, term: Term) -> Recursive[Term]:
        """A line with its λs and branches as people read them."""
        parts: list[Term] = []
        for part in operands(term):
            parts.append((yield self._part(part)))
        return remade(term, tuple(parts))

    def _part(self, part: Term) -> Recursive[Term]:
        known: Term | None = yield self._part_of(part)
        if known is not None:
            return known
        made: Term = yield self._block(part.body if isinstance(part, Lam) else part)
        return Lam(part.params, made, part.name) if isinstance(part, Lam) else made

    def _named(self, var: Var) -> Var:
        """What a line is called."""
        if var.name in self._taken:
            return var
        name = self._names.fresh("v")
        return var if name == var.name else Var(name, var.type)
