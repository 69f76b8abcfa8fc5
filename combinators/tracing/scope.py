"""Scopes: where a trace writes down what it computes.

Every λ and every branch has a scope. A value is computed in the scope that made it: it never moves
into a loop, nor out of a branch. When a scope closes, what nothing uses is dropped, what is used
once stands where it is used, and what is used again is named by a ``let``: sharing is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from combinators.errors import EscapedVariable
from combinators.kit.names import Names
from combinators.objects import Object, Unit
from combinators.terms import Let, Term, Var

LINE = 6
"""An expression nested deeper than this is broken into named parts."""


class _Binding(NamedTuple):
    var: Var
    make: Callable[..., Term]
    operands: tuple[Term, ...]
    captured: tuple[Var, ...]


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
        var = Var(self.names.fresh(wish), obj)
        self._own.add(var.name)
        return var

    def bind(
        self,
        obj: Object,
        make: Callable[..., Term],
        operands: tuple[Term, ...],
        captured: tuple[Var, ...] = (),
        wish: str = "v",
    ) -> Var:
        """Note that a variable of type ``obj`` stands for ``make(*operands)``."""
        var = self.parameter(wish, obj)
        self._bindings.append(_Binding(var, make, operands, captured))
        return var

    def close(
        self, make: Callable[..., Term], operands: tuple[Term, ...]
    ) -> tuple[Term, tuple[Var, ...]]:
        """The scope as a term that gives ``make(*operands)``, and the variables it captures."""
        self.is_open = False
        result = _Binding(Var("", Unit), make, operands, ())
        uses, captured = self._count_uses(result)
        return self._write(result, uses), captured

    def _count_uses(self, result: _Binding) -> tuple[Counter[str], tuple[Var, ...]]:
        uses: Counter[str] = Counter({"": 1})
        captured: dict[str, Var] = {}

        def use(var: Var, times: int) -> None:
            uses[var.name] += times
            if var.name not in self._own:
                captured[var.name] = var

        for binding in (result, *reversed(self._bindings)):
            if uses[binding.var.name]:
                for operand in binding.operands:
                    if isinstance(operand, Var):
                        use(operand, 1)
                for var in binding.captured:
                    use(var, 2)
        return uses, tuple(reversed(captured.values()))

    def _write(self, result: _Binding, uses: Counter[str]) -> Term:
        inlined: dict[str, Term] = {}
        height: dict[str, int] = {}
        named: list[tuple[Var, Term]] = []

        def write(binding: _Binding) -> tuple[Term, int]:
            names = [o.name if isinstance(o, Var) else "" for o in binding.operands]
            written = (
                inlined.get(name, operand)
                for name, operand in zip(names, binding.operands, strict=True)
            )
            return binding.make(*written), 1 + max((height.get(n, 0) for n in names), default=0)

        for binding in self._bindings:
            name = binding.var.name
            if uses[name]:
                term, tall = write(binding)
                if uses[name] == 1 and tall <= LINE:
                    inlined[name], height[name] = term, tall
                else:
                    named.append((binding.var, term))
        body, _ = write(result)
        return Let(tuple(named), body) if named else body


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
