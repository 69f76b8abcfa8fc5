"""The free variables of λs and of branches: exactly what they capture."""

from __future__ import annotations

from collections import Counter

from combinators.kit.recursion import Recursive, recurse
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var

Captured = dict[int, tuple[Var, ...]]
"""What each λ and each conditional captures, by the node's ``id``."""


def captured(term: Term) -> tuple[tuple[Var, ...], Captured]:
    """The free variables of ``term``, and those of every λ and conditional in it."""
    found: Captured = {}
    scope = _Scope()
    recurse(_walk(term, scope, found))
    return tuple(scope.free.values()), found


class _Scope:
    """The names bound here, and the names that were not found."""

    def __init__(self) -> None:
        self.bound: Counter[str] = Counter()
        self.free: dict[str, Var] = {}

    def use(self, var: Var) -> None:
        if not self.bound[var.name]:
            self.free.setdefault(var.name, var)


def _walk(term: Term, scope: _Scope, found: Captured) -> Recursive[None]:
    match term:
        case Var():
            scope.use(term)
        case Const():
            pass
        case Lam(params, body):
            if id(term) not in found:
                inner = _Scope()
                inner.bound.update(param.name for param in params)
                yield _walk(body, inner, found)
                found[id(term)] = tuple(inner.free.values())
            for var in found[id(term)]:
                scope.use(var)
        case App(function, argument):
            yield _walk(function, scope, found)
            yield _walk(argument, scope, found)
        case Let(bindings, body):
            for var, bound in bindings:
                yield _walk(bound, scope, found)
                scope.bound[var.name] += 1
            yield _walk(body, scope, found)
            for var, _ in bindings:
                scope.bound[var.name] -= 1
        case Tuple(items, _) | Prim(_, items):
            for item in items:
                yield _walk(item, scope, found)
        case Proj(_, product):
            yield _walk(product, scope, found)
        case Cond(test, then, other):
            yield _walk(test, scope, found)
            if id(term) not in found:
                inner = _Scope()
                yield _walk(then, inner, found)
                yield _walk(other, inner, found)
                found[id(term)] = tuple(inner.free.values())
            for var in found[id(term)]:
                scope.use(var)
