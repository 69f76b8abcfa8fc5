"""The same form of other operands of the same types, which need not be typed again."""

from __future__ import annotations

from operator import is_
from typing import TypeVar

from combinators.terms import App, Cond, Prim, Proj, Term, Tuple, prim

T = TypeVar("T", bound=Term)


def operands(term: Term) -> tuple[Term, ...]:
    """What a line is made of; an atom, or a λ, of itself."""
    if type(term) is Prim:
        return term.args or (term,)
    return term.below() if isinstance(term, (Tuple, Proj, App, Cond)) else (term,)


def rebuilt(term: Term, before: tuple[Term, ...], parts: tuple[Term, ...]) -> Term:
    """``term`` of other operands than ``before``, each of the same type; itself if they are not."""
    return term if all(map(is_, parts, before)) else remade(term, parts)


def remade(term: Term, parts: tuple[Term, ...]) -> Term:
    """``term`` of other operands, each of the same type."""
    if isinstance(term, Prim) and term.args:
        return prim(term.type, term.operation, term.place, *parts)
    match term:
        case Tuple():
            return _like(term, items=parts)
        case Proj():
            return _like(term, product=parts[0])
        case App():
            return _like(term, function=parts[0], argument=parts[1])
        case Cond():
            return _like(term, test=parts[0], then=parts[1], other=parts[2])
        case _:
            return parts[0]


def _like(term: T, **operands: object) -> T:
    made = object.__new__(type(term))
    vars(made).update(vars(term))
    vars(made).update(operands)
    vars(made).pop("_hash", None)
    return made
