"""The syntax of a calculus as one table: how each form is written.

>>> print(form("let", "x", form("x", "y"), form("⟨⟩", (form("x", "x"), form("0")))))
let x = y in
⟨x, 0⟩
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from combinators.literal import Literal
from combinators.operation import Operation

GRAMMAR = {
    "x": "{0}",
    "r": "{0}",
    "op": "{0}({2})",
    "let": "let {0} = {1} in\n{2}",
    "⟨⟩": "⟨{0}⟩",
    "π": "π{0} {1}",
    "l": "l{0}. {1}",
    "x*": "{0} {1}",
    "0": "0",
    "⊕": "{0} ⊕ {1}",
}
"""A form's kind, and its text of its arguments: names, types, operations and terms."""


@dataclass(frozen=True)
class Form:
    """A term: one form of the grammar, and its arguments."""

    kind: str
    args: tuple[Any, ...]

    def __str__(self) -> str:
        """As the paper writes it."""
        return GRAMMAR[self.kind].format(*map(text, self.args))


def form(kind: str, *args: Any) -> Form:
    """The term of these arguments."""
    return Form(kind, args)


def text(part: Any) -> str:
    """An argument, written."""
    match part:
        case tuple():
            return ", ".join(map(text, part))
        case Operation():
            return part.name
        case Literal():
            return f"{part.array}"
    return str(part)


def occurs(name: str, t: Any) -> int:
    """How often a variable occurs; every binder has a name of its own."""
    if isinstance(t, tuple):
        return sum(occurs(name, part) for part in t)
    if not isinstance(t, Form):
        return 0
    return int(t.args[0] == name) if t.kind == "x" else occurs(name, t.args)


def replaced(t: Any, name: str, u: Form) -> Any:
    """``t[u/x]``."""
    if isinstance(t, tuple):
        return tuple(replaced(part, name, u) for part in t)
    if not isinstance(t, Form):
        return t
    if t.kind == "x":
        return u if t.args[0] == name else t
    return Form(t.kind, replaced(t.args, name, u))
