"""The free variables of λs and of branches: exactly what they capture.

``fun`` names by ``let`` whatever is used twice. A term built by hand may hold one node in many
places instead; each is then computed where it stands, and sixty-four doublings would take for ever.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from combinators.errors import TypeMismatch
from combinators.kit.recursion import Recursive, recurse
from combinators.kit.tree import distinct_nodes
from combinators.terms import Cond, Const, Lam, Let, Prim, Term, Var

MOST = 10_000_000


def check_unfolding(term: Term) -> None:
    """Raise where a term without its sharing has more than ten million nodes."""
    size: dict[int, int] = {}
    node: Term
    for node in distinct_nodes(term, kind=Term):
        total = 1 + sum([size[id(part)] for part in node.below()])
        if total > MOST:
            raise TypeMismatch(
                f"a term holds {len(size)} nodes in more than {MOST} places; "
                "name what is used again: Let(((x, shared),), body)"
            )
        # a function is translated once, wherever it stands
        size[id(node)] = 1 if isinstance(node, Lam) else total


Captured = dict[int, tuple[Var, ...]]
"""What each λ and each conditional captures, by the node's ``id``."""

MANY = 1 << 16
"""A walk over more places than these may be one over a small term that shares its nodes."""


def captured(term: Term, known: Captured | None = None) -> tuple[tuple[Var, ...], Captured]:
    """The free variables of ``term``, and those of every λ and conditional in it.

    What is ``known`` is not looked into, and what is found is put there. It raises TypeMismatch
    where a term without its sharing is too large to be walked over.
    """
    walk, scope = _Walk(term, {} if known is None else known), _Scope()
    recurse(walk.over(term, scope))
    return tuple(scope.free.values()), walk.found


@dataclass(slots=True)
class _Scope:
    """The names bound in a λ or a branch, how often, and the variables not found in it."""

    bound: dict[str, int] = field(default_factory=dict)
    free: dict[str, Var] = field(default_factory=dict)

    def use(self, term: Any) -> bool:
        """Use what an atom, or a primitive of atoms, uses; whether the term is one."""
        kind = type(term)
        if kind is Var:
            if not self.bound.get(term.name):
                self.free.setdefault(term.name, term)
            return True
        return kind is Const or (kind is Prim and all(map(self._use_atom, term.args)))

    def _use_atom(self, term: Any) -> bool:
        kind = type(term)
        return kind is Const or (kind is Var and self.use(term))


class _Walk:
    """One walk over a program, with what is found."""

    def __init__(self, root: Term, found: Captured) -> None:
        self.found = found
        self._root, self._places = root, 0

    def over(self, term: Any, scope: _Scope) -> Recursive[None]:
        """Walk over a term; what its lets bind is bound in it alone."""
        names: list[str] = []
        while isinstance(term, Let):
            for var, bound in term.bindings:
                if not scope.use(bound):
                    yield self._compound(bound, scope)
                scope.bound[var.name] = scope.bound.get(var.name, 0) + 1
                names.append(var.name)
            term = term.body
        if not scope.use(term):
            yield self._compound(term, scope)
        for name in names:
            scope.bound[name] -= 1

    def _compound(self, term: Term, scope: _Scope) -> Recursive[None]:
        self._places += 1
        if self._places == MANY:
            check_unfolding(self._root)
        match term:
            case Let():
                yield self.over(term, scope)
            case Lam(params, body):
                yield self._scoped(term, _Scope({param.name: 1 for param in params}), (body,))
            case Cond(test, then, other):
                if not scope.use(test):
                    yield self._compound(test, scope)
                yield self._scoped(term, _Scope(), (then, other))
            case _:
                for part in term.below():
                    if not scope.use(part):
                        yield self._compound(part, scope)
        for var in self.found.get(id(term), ()):
            scope.use(var)

    def _scoped(self, node: Term, scope: _Scope, blocks: tuple[Term, ...]) -> Recursive[None]:
        """Find what a λ or the branches of a choice capture, once."""
        if id(node) not in self.found:
            for block in blocks:
                yield self.over(block, scope)
            self.found[id(node)] = tuple(scope.free.values())
