"""Lets stand at the top of a block: the body of a λ, a branch, a program.

``f(let x = a in b)`` becomes ``let x = a in f(b)``; a name that would capture another is renamed.
A term whose lets already stand there is returned as it is.
"""

from __future__ import annotations

from combinators.recursion import Recursive, recurse
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var


def lift_lets(term: Term) -> Term:
    """An equal term in which no let stands in an argument."""
    return recurse(_block(term, {}, frozenset(), {}))


class _Block:
    """What a block has bound so far, and what its variables are called now."""

    def __init__(self, renamed: dict[str, Var], taken: frozenset[str]) -> None:
        self.bindings: list[tuple[Var, Term]] = []
        self.renamed = dict(renamed)
        self.taken = set(taken)

    def bind(self, var: Var, bound: Term) -> None:
        name, count = var.name, 0
        while name in self.taken:
            count += 1
            name = f"{var.name}_{count}"
        self.taken.add(name)
        new = var if name == var.name else Var(name, var.type)
        self.renamed[var.name] = new
        self.bindings.append((new, bound))


_Done = dict[int, Term]
"""Blocks of closed λs that were lifted already: they are shared."""


def _block(
    term: Term, renamed: dict[str, Var], taken: frozenset[str], done: _Done
) -> Recursive[Term]:
    block = _Block(renamed, taken)
    body = yield _walk(term, block, done)
    bindings = tuple(block.bindings)
    if isinstance(term, Let) and body is term.body and _same(bindings, term.bindings):
        return term
    return Let(bindings, body) if bindings else body


def _same(new: tuple[tuple[Var, Term], ...], old: tuple[tuple[Var, Term], ...]) -> bool:
    return len(new) == len(old) and all(
        var is was and bound is before
        for (var, bound), (was, before) in zip(new, old, strict=True)
    )


def _walk(term: Term, block: _Block, done: _Done) -> Recursive[Term]:
    match term:
        case Var(name):
            return block.renamed.get(name, term)
        case Const():
            return term
        case Let(bindings, body):
            before = [(var.name, block.renamed.get(var.name)) for var, _ in bindings]
            for var, bound in bindings:
                block.bind(var, (yield _walk(bound, block, done)))
            result = yield _walk(body, block, done)
            for name, was in reversed(before):
                if was is None:
                    block.renamed.pop(name, None)
                else:
                    block.renamed[name] = was
            return result
        case Lam():
            return (yield _lam(term, block, done))
        case Cond(test, then, other, place):
            test_ = yield _walk(test, block, done)
            taken = frozenset(block.taken)
            then_ = yield _block(then, block.renamed, taken, done)
            other_ = yield _block(other, block.renamed, taken, done)
            if test_ is test and then_ is then and other_ is other:
                return term
            return Cond(test_, then_, other_, place)
        case _:
            return (yield _parts(term, block, done))


def _lam(term: Lam, block: _Block, done: _Done) -> Recursive[Term]:
    names = {param.name for param in term.params}
    renamed = {n: v for n, v in block.renamed.items() if n not in names and v.name != n}
    if not renamed and id(term) in done:
        return done[id(term)]
    body = yield _block(term.body, renamed, frozenset(), done)
    new = term if body is term.body else Lam(term.params, body, term.name)
    if not renamed:
        done[id(term)] = new
    return new


def _parts(term: Term, block: _Block, done: _Done) -> Recursive[Term]:
    match term:
        case App(function, argument, place):
            old = (function, argument)
        case Tuple(items, _) | Prim(_, items):
            old = items
        case Proj(_, product):
            old = (product,)
        case _:
            return term
    new = []
    for part in old:
        new.append((yield _walk(part, block, done)))
    if all(a is b for a, b in zip(new, old, strict=True)):
        return term
    match term:
        case App():
            return App(new[0], new[1], place)
        case Tuple(_, names):
            return Tuple(tuple(new), names)
        case Prim(operation, _, place):
            return Prim(operation, tuple(new), place)
        case _:
            return Proj(term.index, new[0])
