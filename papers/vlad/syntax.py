"""Expressions in A-normal form, their variables, and F and B, the free ones.

::

    λx0 let x1 = e1; …; xn = en in xn end      ei is  xj,  (xj xk),  (xj , xk)  or  λx e

A variable is a string, with its tags at its end: a reverse variable ``x↼``, a sensitivity ``x↽`` or
a backpropagator ``x̄``. The paper encodes pairs as functions; then ``0`` of a pair is a list, while
the transformed ``+`` gives a pair. Here they are native, as in the authors' implementation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any


def reverse(x: str) -> str:
    """``↼x``."""
    return x + "↼"


def sensitivity(x: str) -> str:
    """``↽x``."""
    return x + "↽"


def backpropagator(x: str) -> str:
    """``x̄``."""
    return x + "¯"


@dataclass(frozen=True)
class Access:
    """``xj``."""

    variable: str


@dataclass(frozen=True)
class Application:
    """``(xj xk)``."""

    function: str
    argument: str


@dataclass(frozen=True)
class Cons:
    """``(xj , xk)``."""

    left: str
    right: str


@dataclass(frozen=True, eq=False)
class Lambda:
    """``λx0 let x1 = e1; …; xn = en in xn end``; of which it is the transform, ``of``, if any."""

    parameter: str
    bindings: tuple[tuple[str, Form], ...]
    of: Any = field(default=None, repr=False)
    images: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def result(self) -> str:
        """``xn``."""
        return self.bindings[-1][0]

    @cached_property
    def free(self) -> tuple[str, ...]:
        """``F (λx e)``, in the order ≺."""
        bound, free = {self.parameter}, set[str]()
        for x, form in self.bindings:
            free |= uses(form) - bound
            bound.add(x)
        return tuple(sorted(free))

    @cached_property
    def base_free(self) -> tuple[str, ...]:
        """``B (λx e)``: those of the λ that was transformed; none of a transformed primitive."""
        if self.of is None:
            return self.free
        return tuple([reverse(x) for x in getattr(self.of, "base_free", ())])

    @property
    def tags(self) -> int:
        """How often it was transformed."""
        return 0 if self.of is None else 1 + getattr(self.of, "tags", 0)

    def __repr__(self) -> str:
        lines = [f"{x} = {shown(form)}" for x, form in self.bindings]
        return f"λ{self.parameter} let {'; '.join(lines)} in {self.result} end"


Form = Access | Application | Cons | Lambda


def uses(form: Form) -> set[str]:
    """The free variables of what is bound."""
    match form:
        case Access(x):
            return {x}
        case Application(x, y) | Cons(x, y):
            return {x, y}
        case Lambda():
            return set(form.free)


def shown(form: Form) -> str:
    """As the paper writes it."""
    match form:
        case Access(x):
            return x
        case Application(x, y):
            return f"{x} {y}"
        case Cons(x, y):
            return f"({x}, {y})"
        case Lambda():
            return repr(form)
