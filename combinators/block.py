"""Blocks: a λ body, a branch or a loop body is a list of lines, each of atoms or tuples of them.

Traces, derivatives, the bulk transform and the simplifier write blocks. ``nested`` makes of one the
term that people read: what nothing uses is dropped, what is used once stands where it is used, and
what is used again is named. Of the lines on the left comes the term on the right:

    v  = sin x
    v1 = cos x              let v = sin x in (v * 2) + v
    v2 = v * 2
    v3 = v2 + v   → v3

Nothing moves into a λ or a branch, so that no line is computed more often than it was written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from operator import is_
from typing import Protocol

from combinators.kit.recursion import Recursive
from combinators.kit.text import Names
from combinators.terms import App, Cond, Const, Let, Prim, Proj, Term, Tuple, Var, let, prim

TALLEST = 6
"""An expression nested deeper than this is broken into named parts."""

Lines = list[tuple[Var, Term]]
Uses = dict[str, int]
"""How often names are used; a use in a λ or a branch counts as two."""


class Block:
    """The lines of one λ, branch or loop body, in the order in which they are computed."""

    __slots__ = ("depth", "is_ruled", "keys", "lines", "loop", "names", "parent")

    def __init__(
        self, parent: Block | None = None, names: Names | None = None, *, loop: bool = False
    ) -> None:
        """Inside ``parent``, whose names it has unless it is given others.

        Of a ``loop``, lines that do not depend on it may move out.
        """
        self.parent, self.loop = parent, loop
        self.depth: int = parent.depth + 1 if parent is not None else 0
        self.names: Names = names or (parent.names if parent is not None else Names())
        self.lines: Lines = []
        self.is_ruled = True
        """Whether rules were tried on every line."""
        self.keys: list[object] = []
        """What its lines are found by where equal lines are one."""

    def bind(self, term: Term, wish: str = "v") -> Var:
        """A variable that stands for ``term`` from here on."""
        var = Var(self.names.fresh(wish), term.type)
        self.lines.append((var, term))
        self.is_ruled = False
        return var

    def term(self, result: Term) -> Term:
        """The lines, every one of them named, and what they give."""
        return let(tuple(self.lines), result)


class Rules(Protocol):
    """What is tried on a line as it is written."""

    def emit(self, term: Term, block: Block, wish: str = "v") -> Term:
        """An atom for ``term``: a line of ``block``, or what is there already."""
        ...


def opened(body: Term) -> tuple[tuple[tuple[Var, Term], ...], Term]:
    """The lines of a block, and what they give."""
    return (body.bindings, body.body) if isinstance(body, Let) else ((), body)


_COMPOUND = (Tuple, Proj, App, Cond)


def operands(term: Term) -> tuple[Term, ...]:
    """What a line is made of; an atom, or a λ, of itself."""
    if type(term) is Prim:
        return term.args or (term,)
    return term.below() if isinstance(term, _COMPOUND) else (term,)


def rebuilt(term: Term, before: tuple[Term, ...], parts: tuple[Term, ...]) -> Term:
    """``term`` of other operands than ``before``, each of the same type; itself if they are not."""
    return term if all(map(is_, parts, before)) else remade(term, parts)


def remade(term: Term, parts: tuple[Term, ...]) -> Term:
    """``term`` of other operands, each of the same type, which is not typed again."""
    if isinstance(term, Prim) and term.args:
        return prim(term.type, term.operation, term.place, *parts)
    return term.with_parts(parts) if isinstance(term, _COMPOUND) else parts[0]


def count(term: Term, uses: Uses, seen: dict[str, Var] | None = None) -> bool:
    """Count the variables that a line uses; whether it is made of variables and numbers alone.

    Those that are used for the first time go to ``seen``, too. What a branch uses is no operand.
    """
    is_plain = True
    for part in term.args if type(term) is Prim else operands(term):
        kind = type(part)
        if kind is Var:
            name = part.name  # type: ignore[attr-defined]  # a variable
            times = uses.get(name)
            if times is not None:
                uses[name] = times + 1
                continue
            uses[name] = 1
            if seen is not None:
                seen[name] = part  # type: ignore[assignment]  # a variable
        elif kind is Tuple and part is not term and type(term) is not Cond:
            is_plain = count(part, uses, seen) and is_plain
        elif kind is not Const:
            is_plain = False
    return is_plain


def count_inside(names: Iterable[str], uses: Uses) -> None:
    """Count names that a λ or a branch uses."""
    for name in names:
        uses[name] = uses.get(name, 0) + 2


Standing = dict[str, tuple[Term, int]]
"""What stands where a name is used: a term, and its height; that of a variable is 0."""


def nested(
    lines: Iterable[tuple[Var, Term]],
    result: Term,
    uses: Uses,
    inside: Standing,
    inner: Callable[[Term], Recursive[Term]] | None = None,
    scoped: Collection[str] = (),
    named: Callable[[Var], Var] | None = None,
) -> Recursive[Term]:
    """The block as people read it; ``inside`` knows what stands for names of outside.

    ``inner`` writes the λs and branches of a line that is ``scoped``; ``named`` gives the variable
    of a line that is left.
    """
    left: Lines = []
    for var, term in lines:
        name = var.name
        times = uses.get(name)
        if times is None:
            continue
        if inner is not None and name in scoped:
            made, height = _placed((yield inner(term)), inside)
        else:
            made, height = _placed(term, inside)
        if times == 1 and height < TALLEST:
            inside[name] = made, height + 1
            continue
        new = named(var) if named is not None else var
        if new is not var:
            inside[name] = new, 0
        left.append((new, made))
    body = _placed(result, inside)[0]
    return let(tuple(left), body)


def _placed(term: Term, inside: Standing) -> tuple[Term, int]:
    """The line with what is used once put into it, and the height of the tallest of that."""
    height, parts = 0, term.args if type(term) is Prim else operands(term)
    made: list[Term] | None = None
    for index, part in enumerate(parts):
        if type(part) is Var:
            found = inside.get(part.name)
            if found is None:
                continue
        elif type(part) is Tuple and part is not term and type(term) is not Cond:
            found = _placed(part, inside)
            if found[0] is part:
                continue
        else:
            continue
        if made is None:
            made = list(parts)
        made[index], tall = found
        height = max(height, tall)
    if made is None:
        return term, 0
    if type(term) is Prim:
        return prim(term.type, term.operation, term.place, *made), height
    return remade(term, tuple(made)), height
