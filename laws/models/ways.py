"""Ways to make another arrow of a program that has to mean the same, in every model.

A model may have ways of its own besides, such as compiling (``Model.ways``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from combinators.category import Label
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
    interpret,
)
from combinators.simplify import simplify
from combinators.terms import App, Lam, Term, Var
from combinators.translate import translate
from laws.models.written import Writing, term_of


class _Renamed(Writing):
    """Other names, in another order."""

    def name(self, index: int) -> str:
        return f"y{10_000 - index}"


class _Applied(Writing):
    """``(λx. e) a`` for ``let x = a in e``."""

    def bind(self, var: Var, bound: Term, body: Term) -> Term:
        return App(Lam((var,), body), bound)


class _Expanded(Writing):
    """``(λx. f x) a`` for ``f a``."""

    def apply(self, function: Term, argument: Term) -> Term:
        var = self.fresh(argument.type)
        return App(Lam((var,), App(function, var)), argument)


def _arrow(lam: Lam) -> Morphism:
    """J of a closed λ of one parameter."""
    body = translate(lam.params, lam.body)
    return Prod(lam.dom, (Id(lam.dom),)) >> body


def _written(writing: type[Writing]) -> Callable[[Morphism], Morphism]:
    return lambda arrow: _arrow(term_of(arrow, writing()))


def _simplified(arrow: Morphism) -> Morphism:
    return _arrow(simplify(term_of(arrow)))


REWRITINGS: dict[str, Callable[[Morphism], Morphism]] = {
    "interpreted": lambda arrow: arrow,
    "written": _written(Writing),
    "renamed": _written(_Renamed),
    "applied": _written(_Applied),
    "expanded": _written(_Expanded),
    "simplified": _simplified,
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

    def of(arrow: Morphism) -> Any:
        return tagless(arrow, category)

    match program:
        case Id(obj):
            return category.identity(obj)
        case Relabel(source, target):
            relabel = getattr(category, "relabel", None)
            return category.identity(source) if relabel is None else relabel(source, target)
        case Compose(arrows):
            return category.compose([of(arrow) for arrow in arrows])
        case Prod(source, arrows):
            return category.prod(source, [of(arrow) for arrow in arrows])
        case Projection(product, index):
            return category.proj(product, index, program.cod)
        case Extend(arrow):
            return category.extend(arrow.dom, of(arrow))
        case Curry(body, names, parameters, called):
            label = Label(names, body, parameters, called)
            return category.curry(program.dom, program.cod, of(body), label)
        case Eval(function):
            return category.eval(function)
        case Constant(source, literal):
            return category.const(source, literal)
        case Primitive(operation):
            return category.primitive(operation, program.dom, program.cod)
        case Choice(then, other):
            return category.cond(program.dom, of(then), of(other))
        case _:
            raise TypeError(f"{type(program).__name__} is no combinator")
