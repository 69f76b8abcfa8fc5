"""Walks over the blocks of a program in let-normal form, the inner ones first.

``everywhere`` writes other lines in the place of those of a block; ``nested_blocks`` puts what is
used once where it is used. Nothing moves into a λ or a branch.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from combinators.block import (
    Lines,
    Uses,
    count,
    count_inside,
    nested,
    opened,
    operands,
    rebuilt,
    remade,
)
from combinators.free import Captured, captured
from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Tensor, Unit
from combinators.simplify.holes import filled, is_typed_zero
from combinators.simplify.patterns import is_atom
from combinators.simplify.rule import Switches
from combinators.terms import Cond, Lam, Let, Term, Tuple, Var


class Inside:
    """What the λs and the choices of a program capture, also those that were rewritten."""

    def __init__(self, root: Lam) -> None:
        self._root = root
        self._like: dict[int, int] = {}
        self._held: list[Term] = []

    @cached_property
    def _captured(self) -> Captured:
        return captured(self._root)[1]

    def __call__(self, term: Term) -> tuple[Var, ...]:
        """The variables that a λ or a choice captures."""
        return self._captured.get(self._like.get(id(term), id(term)), ())

    def same(self, new: Term, old: Term) -> None:
        """Note that ``new`` captures what ``old`` did."""
        self._like[id(new)] = self._like.get(id(old), id(old))
        self._held.append(new)


Rewrite = Callable[[Lines, Inside], Lines]
"""The lines of a block instead of others; the same list where nothing changes."""


def everywhere(units: list[Lam], rewrite: Rewrite) -> list[Lam]:
    """The closed λs with every block rewritten; the same list where none changes.

    The last of them mentions the others.
    """
    rewriting = _Everywhere(Inside(units[-1]), rewrite)
    if recurse(rewriting.function(units[-1])) is units[-1]:
        return units
    return [recurse(rewriting.function(unit)) for unit in units]


class _Everywhere:
    def __init__(self, inside: Inside, rewrite: Rewrite) -> None:
        self._inside, self._rewrite = inside, rewrite
        self._done: dict[int, Lam] = {}

    def function(self, lam: Lam) -> Recursive[Lam]:
        """A λ, once."""
        if id(lam) not in self._done:
            body: Term = yield self._block(lam.body)
            made = lam if body is lam.body else Lam(lam.params, body, lam.name)
            self._inside.same(made, lam)
            self._done[id(lam)] = made
        return self._done[id(lam)]

    def _block(self, body: Term) -> Recursive[Term]:
        if isinstance(body, Lam):
            made: Lam = yield self.function(body)
            return made
        if not isinstance(body, Let):
            return body
        lines: Lines = []
        for var, term in body.bindings:
            lines.append((var, (yield self._line(term))))
        result: Term = yield self._block(body.body)
        after = self._rewrite(lines, self._inside)
        same = after is lines and result is body.body
        if same and all(
            new is old for (_, new), (_, old) in zip(lines, body.bindings, strict=True)
        ):
            return body
        return Let(tuple(after), result)

    def _line(self, term: Term) -> Recursive[Term]:
        if isinstance(term, Lam):
            function: Lam = yield self.function(term)
            return function
        before = operands(term)
        if not isinstance(term, Cond) and not any(isinstance(part, Lam) for part in before):
            return term
        parts = list[Term]()
        for part in before:
            parts.append((yield self._block(part)))
        made = rebuilt(term, before, tuple(parts))
        if isinstance(term, Cond):
            self._inside.same(made, term)
        return made


def nested_blocks(
    lam: Lam, closed: set[int], switches: Switches, keep: frozenset[str] = frozenset()
) -> Lam:
    """The program of closed λs ``closed`` as people read it; ``keep`` are names that stay."""
    return recurse(_Nesting(closed, switches, keep).unit(lam))


class _Nesting:
    def __init__(self, closed: set[int], switches: Switches, keep: frozenset[str]) -> None:
        self._closed = closed
        self._keep = keep
        self._switches = switches
        self._done: dict[int, Lam] = {}

    def unit(self, lam: Lam) -> Recursive[Lam]:
        """A closed λ, once."""
        if id(lam) not in self._done:
            body: tuple[Term, Uses] = yield self._block(lam.body)
            self._done[id(lam)] = Lam(lam.params, body[0], lam.name)
        return self._done[id(lam)]

    def _block(self, body: Term) -> Recursive[tuple[Term, Uses]]:
        """The block written, and how often it uses each name of outside."""
        lines, result = opened(body)
        uses: Uses = {}
        written: dict[str, Term] = {}
        count(result, uses)
        end: tuple[Term, ...] = yield self._scopes((result,), uses)
        for var, term in reversed(lines):
            if var.name in uses and not count(term, uses):
                parts: tuple[Term, ...] = yield self._scopes(operands(term), uses)
                written[var.name] = remade(term, parts)
        if written:
            lines = tuple([(var, written.get(var.name, term)) for var, term in lines])
        made = nested(lines, end[0], uses, self._keep)
        for var, _ in lines:
            uses.pop(var.name, None)
        return made, uses

    def _scopes(self, parts: tuple[Term, ...], uses: Uses) -> Recursive[tuple[Term, ...]]:
        """The parts of a line with their own scopes written; names used there are used twice."""
        found: list[Term] = []
        for part in parts:
            match part:
                case Var():
                    found.append(part)
                case Lam() if id(part) in self._closed:
                    found.append((yield self.unit(part)))
                case Lam(params, body):
                    made, names = yield self._block(body)
                    count_inside(names.keys() - {param.name for param in params}, uses)
                    found.append(Lam(params, made, part.name))
                case _ if is_atom(part):
                    found.append(self._number(part))
                case _:
                    made, names = yield self._block(part)
                    count_inside(names, uses)
                    found.append(made)
        return tuple(found)

    def _number(self, atom: Term) -> Term:
        """A zero of numbers as a number, which reads better."""
        if not is_typed_zero(atom) or not self._switches.has("zeros-number"):
            return atom
        if isinstance(atom.type, Tensor):
            return filled(0, atom.type)
        return Tuple(()) if atom.type is Unit else atom
