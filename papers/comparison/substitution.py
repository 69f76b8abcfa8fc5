"""``t[u/x]`` on the house's terms: every binder gets a name of its own."""

from __future__ import annotations

from combinators.kit.text import Names
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var

Env = dict[str, Term]
"""``u/x``, by the name of x."""


def substituted(t: Term, env: Env, names: Names) -> Term:
    """``t`` with terms for variables; what it binds is named anew."""

    def at(part: Term) -> Term:
        return substituted(part, env, names)

    match t:
        case Var(name):
            return env.get(name, t)
        case Const():
            return t
        case Lam(params, body, name):
            new = tuple(Var(names.fresh(x.name), x.type) for x in params)
            inside = env | {x.name: y for x, y in zip(params, new, strict=True)}
            return Lam(new, substituted(body, inside, names), name)
        case Let(bindings, body):
            bound, inside = [], env
            for x, u in bindings:
                y = Var(names.fresh(x.name), x.type)
                bound.append((y, substituted(u, inside, names)))
                inside = inside | {x.name: y}
            return Let(tuple(bound), substituted(body, inside, names))
        case App(function, argument):
            return App(at(function), at(argument))
        case Tuple(items, labels):
            return Tuple(tuple(map(at, items)), labels)
        case Proj(index, product):
            return Proj(index, at(product))
        case Prim(operation, args):
            return Prim(operation, tuple(map(at, args)))
        case Cond(test, then, other):
            return Cond(at(test), at(then), at(other))
    raise TypeError(t)


def applied(rule: Lam, args: tuple[Term, ...], names: Names) -> Term:
    """The body of a closed λ at variables; of a product of one, its component."""
    env: Env = {x.name: arg for x, arg in zip(rule.params, args, strict=True)}
    body = substituted(rule.body, env, names)
    if isinstance(body, Tuple) and len(body.items) == 1:
        return body.items[0]
    if isinstance(body, Let) and isinstance(body.body, Tuple) and len(body.body.items) == 1:
        return Let(body.bindings, body.body.items[0])
    return Proj(0, body)


def renamed(lam: Lam, names: Names) -> Lam:
    """A closed λ in which every variable has a name of its own."""
    made = substituted(lam, {}, names)
    assert isinstance(made, Lam)
    return made
