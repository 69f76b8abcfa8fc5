"""Expressions with places for others, and how tightly each holds together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

LEVELS = range(13, 0, -1)
ATOM, POWER, UNARY, TIMES, PLUS, BIT_AND, BIT_XOR, BIT_OR, COMPARED, NOT, AND, OR, CHOICE = LEVELS
"""How tightly an expression holds together: Python's own order, from names to choices."""


class Form(NamedTuple):
    """An expression of ``{0}``, ``{1}``, …, each at least as tight as its ``needs``."""

    text: str
    level: int = ATOM
    needs: tuple[int, ...] = (CHOICE, CHOICE, CHOICE)
    raises: bool = False
    """Whether Python may raise where IEEE gives inf or nan."""


class Operand(Protocol):
    """What stands in a place of a form."""

    text: str
    level: int


def filled_in(form: Form, args: Sequence[Operand]) -> str:
    """The text of a form, with parentheses around what holds less tightly than it needs."""
    given = zip(args, form.needs, strict=False)
    return form.text.format(*[f"({x.text})" if x.level < tight else x.text for x, tight in given])


def infix(sign: str, level: int) -> Form:
    """An operator that groups from the left."""
    return Form(f"{{0}} {sign} {{1}}", level, (level, level + 1))


def compared(sign: str) -> Form:
    """A comparison, of which Python makes chains."""
    return Form(f"{{0}} {sign} {{1}}", COMPARED, (COMPARED + 1, COMPARED + 1))


COMPARISONS = {
    "less": compared("<"),
    "less_equal": compared("<="),
    "greater": compared(">"),
    "greater_equal": compared(">="),
    "equal": compared("=="),
    "not_equal": compared("!="),
}
OPERATORS = {
    **COMPARISONS,
    "add": infix("+", PLUS),
    "plus": infix("+", PLUS),
    "subtract": infix("-", PLUS),
    "multiply": infix("*", TIMES),
    "negative": Form("-{0}", UNARY, (UNARY + 1,)),
}
"""Primitives that are Python's operators, of numbers and of arrays."""
