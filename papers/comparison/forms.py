"""The syntax of the calculi of 002 as one table: how each form is written.

>>> print(form("let", "x", form("x", "y"), form("⟨⟩", (form("x", "x"), form("0")))))
let x = y in
⟨x, 0⟩
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from combinators.kit.recursion import Recursive, recurse
from combinators.literal import Literal
from combinators.operation import Operation

GRAMMAR = {
    "x": "{0}",
    "r": "{0}",
    "op": "{0}({2})",
    "opᵗ": "D{0}ᵗ({2}; {3})",
    "let": "let {0} = {1} in\n{2}",
    "let⟨⟩": "let ⟨{0}, {1}⟩ = {2} in\n{3}",
    "⟨⟩": "⟨{0}⟩",
    "π": "π{0} {1}",
    "λ": "λ{0}. {2}",
    "@": "({0}) ({1})",
    "λ⊸": "λ{0}. {2}",
    "l": "l{0}. {2}",
    "•": "{0} • {1}",
    "x*": "{0} {1}",
    "0": "0",
    "coproj": "coproj[{0}]({2})",
    "fst": "fst {1}",
    "snd": "snd {1}",
    "+": "{0} + {1}",
    "⊕": "{0} ⊕ {1}",
    "!⊗": "(!{0} ⊗ {1})",
    "case": "case {0} of !{1} ⊗ {2} → {3}",
    "→": "({0} → {1})",
    "⊸": "({0} ⊸ {1})",
    "Zero": "Zero",
    "Scale": "Scale {0} ({1})",
    "Add": "Add ({0}) ({1})",
    "Var": "Var {0}",
    "Let": "let u{0} = {1} in\n{2}",
}
"""A form's kind, and its text of its arguments: names, types, operations and terms."""


@dataclass(frozen=True)
class Form:
    """A term or a type: one form of the grammar, and its arguments."""

    kind: str
    args: tuple[Any, ...]

    @property
    def name(self) -> str:
        """That of a variable."""
        return str(self.args[0])

    def __add__(self, other: Form) -> Form:
        return Form("+", (self, other))

    def __matmul__(self, other: Form) -> Form:
        """``t • s``."""
        return Form("•", (self, other))

    def __str__(self) -> str:
        """As the paper writes it."""
        return recurse(written(self))


def form(kind: str, *args: Any) -> Form:
    """The term of these arguments."""
    return Form(kind, args)


def written(part: Any) -> Recursive[str]:
    """The text of a form, or of an argument."""
    match part:
        case Form(kind, args):
            made = []
            for arg in args:
                made.append((yield written(arg)))
            return GRAMMAR[kind].format(*made)
        case tuple():
            made = []
            for arg in part:
                made.append((yield written(arg)))
            return ", ".join(made)
        case Operation():
            return part.name
        case Literal():
            return f"{part.array}"
    return "∂f" if callable(part) else str(part)


def replaced(t: Any, name: str, u: Form) -> Any:
    """``t[u/x]``; every binder has a name of its own."""
    if isinstance(t, tuple):
        return tuple(replaced(part, name, u) for part in t)
    if not isinstance(t, Form):
        return t
    if t.kind == "x":
        return u if t.name == name else t
    return Form(t.kind, replaced(t.args, name, u))
