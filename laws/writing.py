"""Arrows written as λ-terms, and so rewritten: other arrows that mean the same in every model.

>>> from combinators.morphisms import Id
>>> from combinators.objects import Real
>>> term_of(Id(Real))
λx1. x1

A model may have ways of its own besides, such as compiling (``ways``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from combinators.literal import Literal
from combinators.morphisms import Id, Label, Morphism, Prod, interpret
from combinators.objects import Fun, Object, Product, Record, components
from combinators.operation import Operation
from combinators.simplify import simplify
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var, pack
from combinators.translate import translate
from laws.free import one_combinator

Arrow = Callable[[Term], Term]
"""What an arrow does to a term."""


class _Writing:
    """The category whose arrows write terms; what is no variable is named before it is used."""

    def __init__(self) -> None:
        self.given = 0

    def name(self, index: int) -> str:
        """The name of the binder ``index``, from 1."""
        return f"x{index}"

    def bind(self, var: Var, bound: Term, body: Term) -> Term:
        return Let(((var, bound),), body)

    def apply(self, function: Term, argument: Term) -> Term:
        return App(function, argument)

    def fresh(self, obj: Object) -> Var:
        self.given += 1
        return Var(self.name(self.given), obj)

    def identity(self, dom: Object) -> Arrow:
        return lambda term: term

    def relabel(self, dom: Object, cod: Object) -> Arrow:
        product = components(dom)
        assert product is not None
        names = cod.names if isinstance(cod, Record) else None
        return self._of(lambda term: Tuple(_parts(product, term), names))

    def compose(self, arrows: Sequence[Arrow]) -> Arrow:
        return lambda term: reduce(lambda made, arrow: arrow(made), arrows, term)

    def prod(self, dom: Object, arrows: Sequence[Arrow]) -> Arrow:
        return self._of(lambda term: Tuple(tuple(arrow(term) for arrow in arrows)))

    def proj(self, dom: Object, index: int, cod: Object) -> Arrow:
        return lambda term: _part(index, term)

    def extend(self, context: Product, arrow: Arrow) -> Arrow:
        return self._of(lambda term: Tuple((*_parts(context, term), arrow(term))))

    def curry(self, captured: Product, function: Fun, body: Arrow, label: Label) -> Arrow:
        def written(term: Term) -> Term:
            var = self.fresh(function.dom)
            return Lam((var,), body(Tuple((*_parts(captured, term), var))))

        return self._of(written)

    def eval(self, function: Fun) -> Arrow:
        return self._of(lambda term: self.apply(_part(0, term), _part(1, term)))

    def const(self, dom: Object, value: Literal) -> Arrow:
        return lambda _: Const(value)

    def primitive(self, operation: Operation, dom: Object, cod: Object) -> Arrow:
        if not isinstance(dom, Product):
            return lambda term: Prim(operation, (term,))
        return self._of(lambda term: Prim(operation, _parts(dom, term)))

    def cond(self, dom: Object, then: Arrow, other: Arrow) -> Arrow:
        return self._of(lambda t: Cond(_part(0, t), then(_part(1, t)), other(_part(1, t))))

    def _of(self, use: Arrow) -> Arrow:
        """``use`` of a term that may stand in many places."""

        def written(term: Term) -> Term:
            bindings: list[tuple[Var, Term]] = []
            body = use(self._named(term, bindings))
            for var, bound in reversed(bindings):
                body = self.bind(var, bound, body)
            return body

        return written

    def _named(self, term: Term, bindings: list[tuple[Var, Term]]) -> Term:
        if isinstance(term, Tuple):
            return Tuple(tuple(self._named(item, bindings) for item in term.items), term.names)
        if isinstance(term, Var | Const) or (isinstance(term, Proj) and _is_path(term)):
            return term
        var = self.fresh(term.type)
        bindings.append((var, term))
        return var


def _is_path(term: Term) -> bool:
    while isinstance(term, Proj):
        term = term.product
    return isinstance(term, Var)


def _part(index: int, term: Term) -> Term:
    return term.items[index] if isinstance(term, Tuple) else Proj(index, term)


def _parts(product: Product, term: Term) -> tuple[Term, ...]:
    return tuple(_part(index, term) for index in range(product.width))


def term_of(arrow: Morphism, writing: _Writing | None = None) -> Lam:
    """``λx. e``, a closed term that means ``arrow``."""
    writing = writing or _Writing()
    var = writing.fresh(arrow.dom)
    return Lam((var,), interpret(arrow, writing)(var))


def term_of_several(arrow: Morphism, params: Sequence[Object]) -> Lam:
    """The λ of parameters of these types that means ``arrow``: ``translate`` gives it back.

    Names are given by how many are in scope, so that different scopes use the same ones.
    """
    scoped = _Scoped()
    own = tuple(map(scoped.fresh, params))
    return Lam(own, interpret(arrow, scoped)(pack(own)))


class _Scoped(_Writing):
    """Writing that gives the names of a λ or a branch again outside of it."""

    def name(self, index: int) -> str:
        """``x, y, z, u, v, w, x1, …``."""
        turn, letter = divmod(index - 1, 6)
        return "xyzuvw"[letter] + (str(turn) if turn else "")

    def curry(self, captured: Product, function: Fun, body: Arrow, label: Label) -> Arrow:
        return self._leaving(super().curry(captured, function, body, label))

    def cond(self, dom: Object, then: Arrow, other: Arrow) -> Arrow:
        return super().cond(dom, self._leaving(then), self._leaving(other))

    def _leaving(self, write: Arrow) -> Arrow:
        """``write``, after which the names that it gave are free."""

        def written(term: Term) -> Term:
            before = self.given
            made = write(term)
            self.given = before
            return made

        return written


class _Renamed(_Writing):
    """Other names, in another order."""

    def name(self, index: int) -> str:
        return f"y{10_000 - index}"


class _AppliedLets(_Writing):
    """``(λx. e) a`` for ``let x = a in e``."""

    def bind(self, var: Var, bound: Term, body: Term) -> Term:
        return App(Lam((var,), body), bound)


class _Expanded(_Writing):
    """``(λx. f x) a`` for ``f a``."""

    def apply(self, function: Term, argument: Term) -> Term:
        var = self.fresh(argument.type)
        return App(Lam((var,), App(function, var)), argument)


def _arrow(lam: Lam) -> Morphism:
    """J of a closed λ of one parameter."""
    return Prod(lam.dom, (Id(lam.dom),)) >> translate(lam.params, lam.body)


REWRITINGS: dict[str, Callable[[Morphism], Morphism]] = {
    "interpreted": lambda arrow: arrow,
    "written": lambda arrow: _arrow(term_of(arrow)),
    "renamed": lambda arrow: _arrow(term_of(arrow, _Renamed())),
    "applied": lambda arrow: _arrow(term_of(arrow, _AppliedLets())),
    "expanded": lambda arrow: _arrow(term_of(arrow, _Expanded())),
    "simplified": lambda arrow: _arrow(simplify(term_of(arrow))),
}
"""From a program to a program of the same meaning."""


def ways_in(category: Any) -> dict[str, Callable[[Morphism], Any]]:
    """The ways that every category has: to interpret what a rewriting gives, and ``tagless``."""

    def way(rewrite: Callable[[Morphism], Morphism]) -> Callable[[Morphism], Any]:
        return lambda arrow: interpret(rewrite(arrow), category)

    ways = {name: way(rewrite) for name, rewrite in REWRITINGS.items()}
    ways["tagless"] = lambda arrow: tagless(arrow, category)
    return ways


def tagless(program: Morphism, category: Any) -> Any:
    """``program`` as if it had been written with the methods of ``category`` in the first place.

    No arrow is looked up or remembered: what stands twice is made twice.
    """
    return one_combinator(program, category, lambda arrow: tagless(arrow, category))
