"""``explain(f)``: one program, walked through from its term to the cost of its gradient."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from combinators.errors import DiffcurryError
from diffcurry.display import WORDS, coloured, framed
from diffcurry.function import fun
from diffcurry.stages import STAGES, Stage, Walked

LINES = 200
"""How many lines of a stage are shown."""

_STYLES = {"k": "red", "t": "cyan", "n": "green"}


@dataclass(frozen=True)
class Section:
    """A stage, written; ``kind`` is ``note`` where it says why there is nothing to write."""

    title: str
    kind: str
    text: str


@dataclass(frozen=True, repr=False)
class Explanation:
    """The sections of one program; it prints as plain text, and in colour by ``rich``."""

    title: str
    sections: tuple[Section, ...]

    def __str__(self) -> str:
        """Plain, and the same on every machine."""
        parts = [f"── {section.title} ──\n{section.text}" for section in self.sections]
        return "\n\n".join([self.title, *parts])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """In a notebook."""
        blocks = [f'<div class="head"><b>{escape(self.title)}</b></div>']
        for section in self.sections:
            text = coloured(section.text) if section.kind == "term" else _plain(section)
            blocks.append(f"<h4>{escape(section.title)}</h4>{text}")
        return framed(blocks)

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        """In a terminal."""
        from rich.rule import Rule
        from rich.text import Text

        yield Text(self.title, style="bold magenta")
        for section in self.sections:
            yield Rule(section.title, align="left", style="magenta")
            yield _rich(section)


def explain(
    function: Callable[..., Any], *args: Any, stages: tuple[Stage, ...] = STAGES
) -> Explanation:
    """Walk ``function`` through its stages, at types or at the types of arguments.

    A stage that the program cannot have, as the gradient of what is no Real, says so in a line.

    >>> from combinators.objects import Real
    >>> print(explain(lambda x: x * x, Real, stages=STAGES[:1]))
    λ : Real ⇒ Real
    <BLANKLINE>
    ── term ──
    λ(x : Real).
      x * x
    """
    walked = Walked(fun(function), args)
    title = f"{walked.name} : {walked.program.lam.type!r}"
    sections = (_section(stage, walked) for stage in stages)
    return Explanation(title, tuple(section for section in sections if section.text))


def _section(stage: Stage, walked: Walked) -> Section:
    try:
        lines = stage.write(walked).splitlines()
    except DiffcurryError as error:
        return Section(stage.title, "note", f"(none: {error.args[0]})")
    if len(lines) > LINES:
        lines = [*lines[:LINES], f"… {len(lines) - LINES:,} more lines"]
    return Section(stage.title, stage.kind, "\n".join(lines))


def _plain(section: Section) -> str:
    dim = ' class="m"' if section.kind == "note" else ""
    return f"<pre{dim}>{escape(section.text)}</pre>"


def _rich(section: Section) -> Any:
    from rich.syntax import Syntax
    from rich.text import Text

    if section.kind == "python":
        return Syntax(section.text, "python", background_color="default")
    text = Text(section.text, style="dim" if section.kind == "note" else "")
    if section.kind == "term":
        for match in WORDS.finditer(section.text):
            text.stylize(_STYLES[match.lastgroup or "k"], *match.span())
    return text
