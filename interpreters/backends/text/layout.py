r"""Lines of Python as ``ruff format`` lays them out: 88 wide, brackets split where they must be.

>>> print("\n".join(laid("x = ", Split("f(", ("a" * 40, "b" * 40), ")"), "", 0)))
x = f(
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

WIDTH = 88
INDENT = "    "


@dataclass(frozen=True, slots=True)
class Split:
    """Items between brackets, where a line may break; ``display`` for tuples and lists."""

    open: str
    items: tuple[Text, ...]
    close: str
    display: bool = False


Text: TypeAlias = str | Split
"""An expression: a piece that stays on its line, or one that may break."""


def flat(text: Text) -> str:
    """On one line."""
    if isinstance(text, str):
        return text
    return f"{text.open}{_joined(text)}{text.close}"


def _joined(text: Split) -> str:
    inside = ", ".join(flat(item) for item in text.items)
    return f"{inside}," if text.display and text.open != "[" and len(text.items) == 1 else inside


def several(items: tuple[Text, ...]) -> Split:
    """A tuple without its parentheses, which it gets where it breaks."""
    return Split("", items, "", display=True)


def tuple_of(items: tuple[Text, ...]) -> Text:
    """A tuple with its parentheses."""
    return Split("(", items, ")", display=True) if items else "()"


def call(function: str, *items: Text) -> Split:
    """A call."""
    return Split(f"{function}(", items, ")")


def laid(before: str, text: Text, after: str, depth: int) -> list[str]:
    """The lines of ``before text after`` at a depth of indentation."""
    space = INDENT * depth
    line = f"{space}{before}{flat(text)}{after}"
    if isinstance(text, str) or len(line) <= WIDTH or not text.items:
        return [line]
    inside = INDENT * (depth + 1) + _joined(text)
    first = f"{space}{before}{text.open or '('}"
    last = f"{space}{text.close or ')'}{after}"
    if not text.display and len(inside) <= WIDTH:
        return [first, inside, last]
    comma = "," if len(text.items) > 1 or text.display or before.startswith("def ") else ""
    lines = [line for item in text.items for line in laid("", item, comma, depth + 1)]
    return [first, *lines, last]
