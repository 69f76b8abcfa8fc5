"""Programs as HTML, for notebooks: the let-normal text with its types, coloured and escaped.

Nothing that a user names can become markup, and a long program ends after a number of lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from itertools import islice
from typing import Any

from diffcurry.function import Function
from diffcurry.program import Program

LINES = 200
"""How many lines of a program are shown."""

WIDTH = 2_000
"""How much of a line is shown."""

_LIGHT = ("#1f2328", "#8250df", "#59636e", "#cf222e", "#0550ae", "#116329")
_DARK = ("#e6edf3", "#d2a8ff", "#9198a1", "#ff7b72", "#79c0ff", "#7ee787")


def _palette(colours: tuple[str, ...]) -> str:
    names = ("ink", "mark", "dim", "word", "type", "number")
    return " ".join(f"--{name}: {c};" for name, c in zip(names, colours, strict=True))


STYLE = f"""
.diffcurry {{ {_palette(_LIGHT)} color: var(--ink); border-left: 3px solid var(--mark);
  font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace; text-align: left;
  padding: .2em 0 .2em .9em; margin: .4em 0; }}
@media (prefers-color-scheme: dark) {{
  body:not([data-jp-theme-light="true"]) .diffcurry {{ {_palette(_DARK)} }} }}
body[data-jp-theme-light="false"] .diffcurry {{ {_palette(_DARK)} }}
.diffcurry pre {{ margin: 0; padding: 0; background: none; border: 0; color: inherit;
  font: inherit; white-space: pre; overflow-x: auto; }}
.diffcurry .head {{ color: var(--dim); margin-bottom: .25em; }}
.diffcurry h4 {{ font: inherit; margin: .9em 0 .2em; }}
.diffcurry b, .diffcurry h4 {{ color: var(--mark); font-weight: 600; }}
.diffcurry .k {{ color: var(--word); }} .diffcurry .t {{ color: var(--type); }}
.diffcurry .n {{ color: var(--number); }} .diffcurry .m {{ color: var(--dim); }}
""".strip()

WORDS = re.compile(
    r"(?P<k>λ|\blet\b|\bin\b|\bif\b|\bthen\b|\belse\b)"
    r"|(?P<t>\b(?:Real|Int|Bool|Unit|Tangent)\b|\b(?:Tensor|Vector)\[[^\]]*\]|[⇒×⇝])"
    r"|(?P<n>(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?\b)"
)
"""The words of a program's text: keywords, types and numbers."""


def html(shown: Program | Function[..., Any]) -> str:
    """A program, or every program of a function, as HTML that needs nothing else.

    >>> from diffcurry.function import fun
    >>> from combinators.objects import Real
    >>> "<script>" in html(fun(lambda x: x * x, Real))
    False
    """
    programs = [shown] if isinstance(shown, Program) else shown.programs()
    blocks = [block for program in programs for block in _program(program)]
    if isinstance(shown, Function) and not programs:
        blocks = [f'<div class="head">{escape(repr(shown))}</div>']
    return framed(blocks)


def framed(blocks: list[str]) -> str:
    """Blocks of HTML with the style that they share."""
    return f'<style>{STYLE}</style><div class="diffcurry">{"".join(blocks)}</div>'


def coloured(text: str) -> str:
    """A program's text as a ``pre``, its words in classes; after so many lines it says how many."""
    shown = text.splitlines()
    lines = [_line(line) for line in islice(shown, LINES)]
    if len(shown) > LINES:
        lines.append(f'<span class="m">… {len(shown) - LINES:,} more lines</span>')
    return f"<pre>{chr(10).join(lines)}</pre>"


def _program(program: Program) -> Iterator[str]:
    name = escape(program.lam.name or "λ")
    type_ = _line(repr(program.lam.type))
    yield f'<div class="head"><b>{name}</b> : {type_}</div>'
    yield coloured(str(program))


def _line(line: str) -> str:
    line = line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"
    pieces: list[str] = []
    at = 0
    for match in WORDS.finditer(line):
        pieces += [escape(line[at : match.start()]), _span(match)]
        at = match.end()
    return "".join([*pieces, escape(line[at:])])


def _span(match: re.Match[str]) -> str:
    return f'<span class="{match.lastgroup}">{escape(match[0])}</span>'
