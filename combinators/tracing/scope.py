"""Scopes: where a trace writes down what it computes.

Every λ and every branch has a scope. A value is computed in the scope that made it: it never moves
into a loop, nor out of a branch. When a scope closes, what nothing uses is dropped, what is used
once stands where it is used, and what is used again is named by a ``let``: sharing is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from combinators.errors import EscapedVariable
from combinators.kit.text import Names
from combinators.objects import Object, Unit
from combinators.terms import Let, Term, Var

LINE = 6
"""An expression nested deeper than this is broken into named parts."""


_Binding = tuple[Var, Callable[..., Term], tuple[Term, ...], tuple[Var, ...]]
"""A variable, what makes its term, the operands, and what the term captures besides."""


class Scope:
    """The bindings of one λ or one branch, in the order in which they were made."""

    def __init__(self, parent: Scope | None, owner: str, key: Any = None) -> None:
        """A scope inside ``parent``; ``owner`` names it in errors, ``key`` tells what it traces."""
        self.key = key
        self.parent = parent
        self.depth: int = parent.depth + 1 if parent else 0
        self.owner = owner
        self.names: Names = parent.names if parent else Names()
        self.parts: dict[str, tuple[Var, int]] = parent.parts if parent else {}
        self.root: Scope = parent.root if parent else self
        self.is_open = True
        self._bindings: list[_Binding] = []
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

    def parameter(self, wish: str, obj: Object) -> Var:
        """A variable that the λ binds."""
        name = self.names.fresh(wish)
        self._own.add(name)
        return Var(name, obj)

    def bind(
        self,
        obj: Object,
        make: Callable[..., Term],
        operands: tuple[Term, ...],
        captured: tuple[Var, ...] = (),
        wish: str = "v",
    ) -> Var:
        """Note that a variable of type ``obj`` stands for ``make(*operands)``."""
        name = self.names.fresh(wish)
        self._own.add(name)
        var = Var(name, obj)
        self._bindings.append((var, make, operands, captured))
        return var

    def close(
        self, make: Callable[..., Term], operands: tuple[Term, ...]
    ) -> tuple[Term, tuple[Var, ...]]:
        """The scope as a term that gives ``make(*operands)``, and the variables it captures."""
        self.is_open = False
        result = Var("", Unit), make, operands, ()
        uses, captured = self._count_uses(result)
        written = self._write(result, uses)
        self._bindings.clear()  # what was traced holds its scope, and need not hold all this
        return written, captured

    def _count_uses(self, result: _Binding) -> tuple[dict[str, int], tuple[Var, ...]]:
        uses: dict[str, int] = {"": 1}
        beyond: dict[str, Var] = {}
        own = self._own
        for var, _, operands, captured in (result, *reversed(self._bindings)):
            if var.name not in uses:
                continue
            for operand in operands:
                if type(operand) is Var:
                    name = operand.name
                    times = uses.get(name)
                    if times is not None:
                        uses[name] = times + 1
                        continue
                    uses[name] = 1
                    if name not in own:
                        beyond[name] = operand
            for used in captured:
                uses[used.name] = uses.get(used.name, 0) + 2
                if used.name not in own:
                    beyond[used.name] = used
        return uses, tuple(reversed(beyond.values()))

    def _write(self, result: _Binding, uses: dict[str, int]) -> Term:
        inlined: dict[str, tuple[Term, int]] = {}
        named: list[tuple[Var, Term]] = []
        for var, make, operands, _ in self._bindings:
            name = var.name
            times = uses.get(name)
            if times is None:
                continue
            parts, height = _placed(operands, inlined)
            if times == 1 and height <= LINE:
                inlined[name] = make(*parts), height
            else:
                named.append((var, make(*parts)))
        _, make, operands, _ = result
        body = make(*_placed(operands, inlined)[0])
        return Let(tuple(named), body) if named else body


def _placed(
    operands: tuple[Term, ...], inlined: dict[str, tuple[Term, int]]
) -> tuple[list[Term], int]:
    """The operands with what is used once in its place, and the height of what they make."""
    parts: list[Term] = []
    height = 0
    for operand in operands:
        found = inlined.get(operand.name) if type(operand) is Var else None
        if found is None:
            parts.append(operand)
        else:
            part, tall = found
            parts.append(part)
            height = max(height, tall)
    return parts, height + 1


_CURRENT: ContextVar[Scope | None] = ContextVar("scope", default=None)


def current() -> Scope | None:
    """The scope that is being traced, if any."""
    return _CURRENT.get()


@contextmanager
def entered(scope: Scope) -> Iterator[Scope]:
    """Trace inside ``scope``, which stays open."""
    token = _CURRENT.set(scope)
    try:
        yield scope
    finally:
        _CURRENT.reset(token)


@contextmanager
def apart() -> Iterator[None]:
    """Trace apart from whatever is being traced here."""
    token = _CURRENT.set(None)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def check_in_scope(var: Var, made_in: Scope) -> None:
    """Raise where a traced value is used outside the scope that made it."""
    scope = current()
    if scope is not None and made_in.encloses(scope):
        return
    raise EscapedVariable(
        f"{var.name} : {var.type!r} was made inside {made_in.owner} and is used outside it; "
        "return it from there instead"
    )
