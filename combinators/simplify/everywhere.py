"""Rewriting the blocks of a program in let-normal form, the inner ones first."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from combinators.block import operands, rebuilt
from combinators.free import Captured, captured
from combinators.kit.recursion import Recursive, recurse
from combinators.terms import Cond, Lam, Let, Term, Var

Lines = list[tuple[Var, Term]]


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
