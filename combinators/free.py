"""The free variables of λs and of branches: exactly what they capture.

``fun`` names by ``let`` whatever is used twice. A term built by hand may hold one node in many
places instead; each is then computed where it stands, and sixty-four doublings would take for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from combinators.errors import TypeMismatch
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


class Scopes(NamedTuple):
    """What the scopes of a term tell."""

    free: tuple[Var, ...]
    """The free variables of the term."""
    captured: Captured
    """Those of every λ and every conditional in it."""
    are_plain: bool
    """Whether no let stands in an argument, and no block binds a name that it has."""


def captured(term: Term) -> tuple[tuple[Var, ...], Captured]:
    """The free variables of ``term``, and those of every λ and conditional in it."""
    return scopes(term)[:2]


def scopes(term: Term) -> Scopes:
    """What the scopes of ``term`` tell, in one walk over it.

    Raises TypeMismatch where a term without its sharing is too large to be walked over.
    """
    walk = _Walk()
    walk.over(term)
    return Scopes(tuple(walk.scope.free.values()), walk.found, walk.are_plain)


class _Scope:
    """The names bound in a block, how often, and the names that were not found in it."""

    __slots__ = ("bound", "free")

    def __init__(self, bound: dict[str, int], free: dict[str, Var]) -> None:
        self.bound, self.free = bound, free

    def use(self, var: Var) -> None:
        if not self.bound.get(var.name):
            self.free.setdefault(var.name, var)

    def unbind(self, names: list[str]) -> None:
        for name in names:
            self.bound[name] -= 1


class _Walk:
    """One walk, with a stack of its own: terms, names that are bound there, and what is done."""

    def __init__(self) -> None:
        self.found: Captured = {}
        self.are_plain = True
        self.scope = _Scope({}, {})
        self._todo: list[Term | str | Callable[[], None]] = []

    def over(self, term: Term) -> None:
        """Walk over a program."""
        self._block(term)
        todo, places = self._todo, 0
        while todo:
            here: Any = todo.pop()
            kind = type(here)
            if kind is Prim:
                self._parts(here.args)
            elif kind is str:
                self._bind(here)
            elif kind is Var:
                self.scope.use(here)
            elif kind is Const:
                pass
            elif kind is Lam:
                self._capture(here, partial(self._enter_function, here))
            elif kind is Cond:
                self._capture(here, partial(self._enter_branches, here))
                todo.append(here.test)
            elif kind is Let:
                self.are_plain = False
                at = len(todo)
                names = self._block(here)
                todo.insert(at, partial(self.scope.unbind, names))
            elif isinstance(here, Term):
                self._parts(here.below())
            else:
                here()
            places += 1
            if places == MANY:
                check_unfolding(term)

    def _parts(self, parts: tuple[Any, ...]) -> None:
        """Walk over the parts of a term, which are variables and numbers for the most."""
        bound = self.scope.bound
        for index, part in enumerate(parts):
            kind = type(part)
            if kind is Var:
                if not bound.get(part.name):
                    self.scope.use(part)
            elif kind is not Const:
                self._todo.extend(reversed(parts[index:]))
                return

    def _block(self, term: Term) -> list[str]:
        """Walk over a block next; the names that its lets bind."""
        later: list[Term | str | Callable[[], None]] = []
        names: list[str] = []
        while isinstance(term, Let):
            for var, bound in term.bindings:
                later += (bound, var.name)
                names.append(var.name)
            term = term.body
        later.append(term)
        self._todo.extend(reversed(later))
        return names

    def _bind(self, name: str) -> None:
        scope = self.scope
        times = scope.bound.get(name, 0)
        if times or name in scope.free:
            self.are_plain = False
        scope.bound[name] = times + 1

    def _capture(self, node: Lam | Cond, enter: Callable[[], None]) -> None:
        """Walk over what captures, once, and use what it captures."""
        self._todo.append(partial(self._use_captured, node))
        if id(node) not in self.found:
            self._todo.append(enter)

    def _use_captured(self, node: Lam | Cond) -> None:
        for var in self.found[id(node)]:
            self.scope.use(var)

    def _enter_function(self, node: Lam) -> None:
        scope = _Scope({param.name: 1 for param in node.params}, {})
        self._todo.append(partial(self._leave, node, self.scope))
        self.scope = scope
        self._block(node.body)

    def _enter_branches(self, node: Cond) -> None:
        outer, free = self.scope, dict[str, Var]()
        self._todo.append(partial(self._leave, node, outer))
        self._todo.append(partial(self._enter_branch, node.other, free))
        self._enter_branch(node.then, free)

    def _enter_branch(self, branch: Term, free: dict[str, Var]) -> None:
        self.scope = _Scope({}, free)
        self._block(branch)

    def _leave(self, node: Lam | Cond, outer: _Scope) -> None:
        self.found[id(node)] = tuple(self.scope.free.values())
        self.scope = outer
