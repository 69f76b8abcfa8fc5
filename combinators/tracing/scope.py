"""Scopes: where a trace writes down what it computes.

Every λ and every branch has a scope. A value is computed in the scope that made it: it never moves
into a loop, nor out of a branch. When a scope closes, what nothing uses is dropped, what is used
once stands where it is used, and what is used again is named by a ``let``: sharing is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any

from combinators.block import Block, Rules, Uses, count, nested
from combinators.errors import EscapedVariable
from combinators.kit.recursion import recurse
from combinators.objects import Object
from combinators.terms import Term, Var
from combinators.tracing.faces import Face


class Scope(Block):
    """The block of one λ or one branch that is being traced."""

    parent: Scope | None

    def __init__(self, parent: Scope | None, owner: str, key: Any = None) -> None:
        """A scope inside ``parent``; ``owner`` names it in errors, ``key`` tells what it traces."""
        super().__init__(parent)
        self.key, self.owner = key, owner
        self.parts: dict[str, tuple[Var, int]] = parent.parts if parent else {}
        self.functions: dict[str, Face] = parent.functions if parent else {}
        """The faces of variables that are functions, where they are not the plainest."""
        self.is_open = True
        self.is_flat: bool = parent is not None and parent.is_flat
        """Whether its lines stay lines when it closes, as the simplifier takes them."""
        self.rules: Rules | None = None
        """What is tried on its lines as they are written; of a trace, nothing."""
        self.itself: Var | None = None
        """What stands for the recursive function whose body it is."""
        self._captured: dict[str, tuple[Var, ...]] = {}
        """What the λs and the branches of a line mention, by the line's name."""
        self._own: set[str] = set()

    def encloses(self, other: Scope | None) -> bool:
        """Whether this scope is ``other``, or one around it that is still being traced."""
        while other is not None and other is not self:
            other = other.parent
        return other is self and self.is_open

    def is_inside(self, key: Any) -> bool:
        """Whether this scope, or one around it, traces what ``key`` tells."""
        scope: Scope | None = self
        while scope is not None and scope.key != key:
            scope = scope.parent
        return scope is not None

    def owns(self, var: Var) -> bool:
        """Whether a variable is made here."""
        return var.name in self._own

    def maker(self, var: Var) -> Scope | None:
        """The scope that made a variable: this, or one around it."""
        scope: Scope | None = self
        while scope is not None and not scope.owns(var):
            scope = scope.parent
        return scope

    def recurs(self, var: Var) -> bool:
        """Whether a variable stands for a recursive function whose body is being traced."""
        maker = self.maker(var)
        return maker is not None and maker.itself is var

    def parameter(self, wish: str, obj: Object) -> Var:
        """A variable that the λ binds, or a line."""
        name = self.names.fresh(wish)
        self._own.add(name)
        return Var(name, obj)

    def bind(self, term: Term, wish: str = "v", captured: tuple[Var, ...] = ()) -> Var:
        """A variable that stands for ``term``, whose λs and branches mention ``captured``."""
        var = self.parameter(wish, term.type)
        self.lines.append((var, term))
        self.is_ruled = False
        if captured:
            self._captured[var.name] = captured
        return var

    def write(self, term: Term, wish: str = "v") -> Term:
        """An atom for ``term``: what the scope's rules make of it, else a variable."""
        if self.rules is None:
            return self.bind(term, wish)
        atom = self.rules.emit(term, self, wish)
        if type(atom) is Var:
            self._own.add(atom.name)
        return atom

    def close(self, result: Term) -> tuple[Term, tuple[Var, ...]]:
        """The scope as a term that gives ``result``, and the variables it captures."""
        self.is_open = False
        rules, self.rules = self.rules, None  # which know the scope
        if rules is not None and self.is_ruled:
            body = self.term(result)
            self.lines = []
            return body, ()  # the simplifier goes on with its lines
        uses: Uses = {}
        seen: dict[str, Var] = {}
        count(result, uses, seen)
        for var, term in reversed(self.lines):
            name = var.name
            if name in uses:
                count(term, uses, seen)
                for used in self._captured.get(name, ()):
                    seen.setdefault(used.name, used)
                    uses[used.name] = uses.get(used.name, 0) + 2
        if self.is_flat:
            self.lines = [line for line in self.lines if line[0].name in uses]
            body = self.term(result)
        else:
            body = recurse(nested(self.lines, result, uses, {}))
        self.lines.clear()  # what was traced holds its scope, and need not hold all this
        own = self._own
        return body, tuple(reversed([var for name, var in seen.items() if name not in own]))


_CURRENT: ContextVar[Scope | None] = ContextVar("scope", default=None)


current: Callable[[], Scope | None] = _CURRENT.get
"""The scope that is being traced, if any; every call of a function asks, so this is no frame."""


@contextmanager
def entered(scope: Scope | None) -> Iterator[None]:
    """Trace inside ``scope``, which stays open."""
    token = _CURRENT.set(scope)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def apart() -> AbstractContextManager[None]:
    """Trace apart from whatever is being traced here."""
    return entered(None)


def check_in_scope(var: Var, made_in: Scope) -> None:
    """Raise where a traced value is used outside the scope that made it."""
    scope = current()
    if scope is None or not made_in.encloses(scope):
        raise EscapedVariable(
            f"{var.name} : {var.type!r} was made inside {made_in.owner} and is used outside it; "
            "return it from there instead"
        )
