"""Random well-typed terms: closed λs, for laws about terms.

They are the terms of random arrows, and so shrink as these do.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from combinators.errors import TypeMismatch
from combinators.morphisms import (
    Choice,
    Compose,
    Constant,
    Curry,
    Eval,
    Extend,
    Id,
    Morphism,
    Primitive,
    Prod,
    Projection,
    Relabel,
)
from combinators.objects import Object, Product, Record, component, components
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var, pack, packed
from laws.model import Signature
from laws.strategies.arrows import FUEL, arrows


def terms(
    signature: Signature,
    params: Sequence[Object],
    cod: Object,
    *,
    fuel: int = FUEL,
    special: bool = False,
) -> st.SearchStrategy[Lam]:
    """Closed λs of parameters of these types, which give a ``cod``.

    >>> from combinators.objects import Real
    >>> from hypothesis import find
    >>> find(terms(Signature(), (Real, Real), Real), lambda e: True)
    λ(x, y). x
    """
    dom = packed(tuple(params))
    drawn = arrows(signature, dom, cod, fuel=fuel, special=special)
    return drawn.map(lambda arrow: term_of(arrow, params))


def term_of(arrow: Morphism, params: Sequence[Object]) -> Lam:
    """The λ of parameters of these types that means ``arrow``: ``translate`` gives it back.

    Names are given by how many are in scope, so that different scopes use the same ones.
    """
    own = tuple(Var(_name(at), obj) for at, obj in enumerate(params))
    return Lam(own, _block(arrow, pack(own), len(own)))


def _name(index: int) -> str:
    return "xyzuvw"[index % 6] + (str(index // 6) if index >= 6 else "")


def _block(arrow: Morphism, argument: Term, width: int) -> Term:
    """The body of a λ or a branch, in which ``width`` names are in scope."""
    block = _Block(width)
    body = block.term(arrow, argument)
    return Let(tuple(block.bindings), body) if block.bindings else body


class _Block:
    """What a block has bound so far."""

    def __init__(self, width: int) -> None:
        self.bindings: list[tuple[Var, Term]] = []
        self._outside = width

    def term(self, arrow: Morphism, x: Term) -> Term:
        """``arrow`` of ``x``."""
        if isinstance(arrow, Compose):
            for step in arrow.arrows:
                x = self.term(step, x)
            return x
        match arrow:
            case Id():
                return x
            case Projection(_, index):
                return _proj(index, x)
            case Constant(_, literal):
                return Const(literal)
            case Primitive(operation, (_,)) if not isinstance(x.type, Product):
                return Prim(operation, (x,))
        x = self._atom(x)
        match arrow:
            case Prod(_, arrows):
                return Tuple(tuple(self.term(below, x) for below in arrows))
            case Relabel(_, target):
                names = target.names if isinstance(target, Record) else None
                return Tuple(_parts(x), names)
            case Extend(below):
                return Tuple((*_parts(x), self._named(self.term(below, x))))
            case Curry(body):
                param = Var(_name(self._width), component(body.dom, len(_parts(x))))
                return Lam((param,), _block(body, Tuple((*_parts(x), param)), self._width + 1))
            case Eval():
                return App(_proj(0, x), _proj(1, x))
            case Primitive(operation, _):
                return Prim(operation, _parts(x))
            case Choice(then, other):
                test, rest = _parts(x)
                width = self._width
                return Cond(test, _block(then, rest, width), _block(other, rest, width))
            case _:
                raise TypeMismatch(f"{type(arrow).__name__} is no combinator")

    @property
    def _width(self) -> int:
        return self._outside + len(self.bindings)

    def _named(self, term: Term) -> Var:
        var = Var(_name(self._width), term.type)
        self.bindings.append((var, term))
        return var

    def _atom(self, term: Term) -> Term:
        """What may be written twice: variables, constants, and tuples and parts of such."""
        match term:
            case Var() | Const():
                return term
            case Tuple(items, names):
                return Tuple(tuple(map(self._atom, items)), names)
            case Proj(index, product):
                return _proj(index, self._atom(product))
            case _:
                return self._named(term)


def _proj(index: int, x: Term) -> Term:
    return x.items[index] if isinstance(x, Tuple) else Proj(index, x)


def _parts(x: Term) -> tuple[Term, ...]:
    product = components(x.type)
    assert product is not None
    return tuple(_proj(index, x) for index in range(product.width))
