"""Lets stand at the top of a block: the body of a λ, a branch, a program.

``f(let x = a in b)`` becomes ``let x = a in f(b)``; a name that would capture another is renamed.
A term whose lets already stand there is returned as it is.
"""

from __future__ import annotations

from collections.abc import Iterable

from combinators.free import captured
from combinators.kit.names import Names
from combinators.kit.recursion import Recursive, recurse
from combinators.kit.tree import distinct_nodes
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Term, Tuple, Var

_Renamed = dict[str, Var]
"""What stands for a name that would capture another."""


def lift_lets(term: Term) -> Term:
    """An equal term in which no let stands in an argument."""
    lifting = _Lifting(term)
    return recurse(lifting.block(term, {}, lifting.free))


class _Block:
    """What a block has bound so far, and the names that it must not bind again."""

    def __init__(self, renamed: _Renamed, names: Iterable[str]) -> None:
        self.bindings: list[tuple[Var, Term]] = []
        self.renamed = renamed
        self.names = set(names)

    def rename(self, name: str, var: Var | None) -> None:
        """From here on ``var`` stands for ``name``, or the name for itself."""
        if var is None or var.name == name:
            self.renamed.pop(name, None)
        else:
            self.renamed[name] = var


class _Lifting:
    """One pass over a term."""

    def __init__(self, term: Term) -> None:
        self.free, self._captured = captured(term)
        self._term = term
        self._fresh: Names | None = None
        self._done: dict[int, Term] = {}

    def block(self, term: Term, renamed: _Renamed, seen: Iterable[Var]) -> Recursive[Term]:
        """A block that sees the variables ``seen``, some of which are ``renamed``."""
        block = _Block(renamed, [renamed.get(var.name, var).name for var in seen])
        body: Term = yield self._walk(term, block)
        bindings = tuple(block.bindings)
        if isinstance(term, Let) and body is term.body and _same(bindings, term.bindings):
            return term
        return Let(bindings, body) if bindings else body

    def _walk(self, term: Term, block: _Block) -> Recursive[Term]:
        match term:
            case Var(name):
                return block.renamed.get(name, term)
            case Let():
                lifted: Term = yield self._let(term, block)
                return lifted
            case Lam():
                function: Term = yield self._lam(term, block)
                return function
            case Cond():
                choice: Term = yield self._cond(term, block)
                return choice
        old = term.below()
        new: list[Term] = []
        for part in old:
            new.append((yield self._walk(part, block)))
        same = all(a is b for a, b in zip(new, old, strict=True))
        return term if same else _rebuilt(term, new)

    def _let(self, term: Let, block: _Block) -> Recursive[Term]:
        before = [(var.name, block.renamed.get(var.name)) for var, _ in term.bindings]
        for var, bound in term.bindings:
            value: Term = yield self._walk(bound, block)
            new = self._unused(var, block)
            block.names.add(new.name)
            block.bindings.append((new, value))
            block.rename(var.name, new)
        result: Term = yield self._walk(term.body, block)
        for name, var_before in reversed(before):
            block.rename(name, var_before)
        return result

    def _unused(self, var: Var, block: _Block) -> Var:
        """``var``, under a name that is nowhere else where its own is taken in the block."""
        if var.name not in block.names:
            return var
        if self._fresh is None:
            nodes = distinct_nodes(self._term)
            self._fresh = Names(node.name for node in nodes if isinstance(node, Var))
        return Var(self._fresh.fresh(var.name), var.type)

    def _lam(self, term: Lam, block: _Block) -> Recursive[Term]:
        free = self._captured[id(term)]
        renamed = _among(free, block.renamed)
        if not renamed and id(term) in self._done:
            return self._done[id(term)]
        body: Term = yield self.block(term.body, renamed, (*free, *term.params))
        new = term if body is term.body else Lam(term.params, body, term.name)
        if not renamed:
            self._done[id(term)] = new
        return new

    def _cond(self, term: Cond, block: _Block) -> Recursive[Term]:
        free = self._captured[id(term)]
        test: Term = yield self._walk(term.test, block)
        then: Term = yield self.block(term.then, _among(free, block.renamed), free)
        other: Term = yield self.block(term.other, _among(free, block.renamed), free)
        if test is term.test and then is term.then and other is term.other:
            return term
        return Cond(test, then, other, term.place)


def _among(free: tuple[Var, ...], renamed: _Renamed) -> _Renamed:
    return {var.name: renamed[var.name] for var in free if var.name in renamed} if renamed else {}


def _same(new: tuple[tuple[Var, Term], ...], old: tuple[tuple[Var, Term], ...]) -> bool:
    return len(new) == len(old) and all(
        var is was and bound is before for (var, bound), (was, before) in zip(new, old, strict=True)
    )


def _rebuilt(term: Term, parts: list[Term]) -> Term:
    match term:
        case App(_, _, place):
            return App(parts[0], parts[1], place)
        case Tuple(_, names):
            return Tuple(tuple(parts), names)
        case Prim(operation, _, place):
            return Prim(operation, tuple(parts), place)
        case Proj(index):
            return Proj(index, parts[0])
        case _:
            return term
