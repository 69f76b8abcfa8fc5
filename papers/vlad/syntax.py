"""Expressions in A-normal form, their variables, and F and B, the free ones.

::

    λx0 let x1 = e1; …; xn = en in xn end      ei is  xj,  (xj xk),  (xj , xk)  or  λx e

A variable is a string, with its tags at its end: a reverse variable ``x↼``, a sensitivity ``x↽`` or
a backpropagator ``x¯``. The paper encodes pairs as functions; then ``0`` of a pair is a list, while
the transformed ``+`` gives a pair. Here they are native, as in the authors' implementation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple


class Access(NamedTuple):
    """``xj``."""

    variable: str


class Application(NamedTuple):
    """``(xj xk)``."""

    function: str
    argument: str


class Cons(NamedTuple):
    """``(xj , xk)``."""

    left: str
    right: str


@dataclass(frozen=True, eq=False)
class Lambda:
    """``λx0 let x1 = e1; …; xn = en in xn end``; of what it is the transform; its own, if made."""

    parameter: str
    bindings: tuple[tuple[str, Form], ...]
    of: Any = None
    image: list[Lambda] = field(default_factory=list)

    @property
    def result(self) -> str:
        """``xn``."""
        return self.bindings[-1][0]

    @cached_property
    def free(self) -> tuple[str, ...]:
        """``F (λx e)``, in the order ≺."""
        bound, free = {self.parameter}, set[str]()
        for x, form in self.bindings:
            free |= set(form.free if isinstance(form, Lambda) else form) - bound
            bound.add(x)
        return tuple(sorted(free))

    @cached_property
    def base_free(self) -> tuple[str, ...]:
        """``B (λx e)``: those of the λ that was transformed; none of a transformed primitive."""
        if self.of is None:
            return self.free
        return tuple([f"{x}↼" for x in getattr(self.of, "base_free", ())])

    @property
    def tags(self) -> int:
        """How often it was transformed."""
        return 0 if self.of is None else 1 + getattr(self.of, "tags", 0)

    def __repr__(self) -> str:
        said = {Access: "{0}", Application: "{0} {1}", Cons: "({0}, {1})"}
        forms = [said[type(e)].format(*e) if isinstance(e, tuple) else e for _, e in self.bindings]
        lines = [f"{x} = {form}" for (x, _), form in zip(self.bindings, forms, strict=True)]
        return f"λ{self.parameter} let {'; '.join(lines)} in {self.result} end"


Form = Access | Application | Cons | Lambda
