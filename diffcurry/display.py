"""Programs as HTML, for notebooks, and what they cost."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from combinators.errors import MissingRule, NotDifferentiable
from diffcurry.derived import Derived, derived
from diffcurry.modes import CARRIER
from diffcurry.program import Program
from interpreters.cost import Certificate, Cost, OutsideSource, certificate, counted, nesting
from interpreters.cost.counted import Moving
from interpreters.cost.theorem import priced
from interpreters.modes.primal import Primal

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
    r"(?P<k>λ|\blet\b|\bin\b|\bif\b|\bthen\b|\belse\b|\bfix\b)"
    r"|(?P<t>\b(?:Real|Int|Bool|Unit|Tangent)\b|\b(?:Tensor|Vector)\[[^\]]*\]|[⇒×⇝])"
    r"|(?P<n>(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?\b)"
)
"""The words of a program's text: keywords, types and numbers."""


def html(programs: list[Program], otherwise: str = "") -> str:
    """Programs as HTML that needs nothing else; where there are none, what is said ``otherwise``.

    Nothing that a user names can become markup, and a long program ends after a number of lines.
    """
    blocks = []
    for program in programs:
        name, type_ = escape(program.lam.name or "λ"), _line(repr(program.lam.type))
        blocks += [f'<div class="head"><b>{name}</b> : {type_}</div>', coloured(str(program))]
    return framed(blocks or [f'<div class="head">{escape(otherwise)}</div>'])


def framed(blocks: list[str]) -> str:
    """Blocks of HTML with the style that they share."""
    return f'<style>{STYLE}</style><div class="diffcurry">{"".join(blocks)}</div>'


def shortened(text: str) -> str:
    """So many lines of a text, and how many more there are."""
    lines = text.splitlines()
    if len(lines) > LINES:
        lines[LINES:] = [f"… {len(lines) - LINES:,} more lines"]
    return "\n".join(lines)


def coloured(text: str) -> str:
    """A program's text as a ``pre``, its words in classes; after so many lines it says how many."""
    return f"<pre>{chr(10).join(map(_line, shortened(text).splitlines()))}</pre>"


def _line(line: str) -> str:
    line = line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"
    pieces: list[str] = []
    at = 0
    for match in WORDS.finditer(line):
        pieces.append(escape(line[at : match.start()]))
        pieces.append(f'<span class="{match.lastgroup}">{escape(match[0])}</span>')
        at = match.end()
    return "".join([*pieces, escape(line[at:])])


@dataclass(frozen=True)
class Report:
    """The cost of a program, that of its gradient, and the certificate that compares them.

    ``derived`` is the gradient itself; where there is none, ``remark`` says why.
    """

    name: str
    program: Cost
    gradient: Cost | None = None
    certificate: Certificate | None = None
    remark: str = ""
    derived: Derived | None = None
    ran: str = ""
    """The backend that the program ran on, where it did."""

    def __str__(self) -> str:
        parts = [f"{self.name}: {self.program}"]
        if self.ran:
            parts.append(f"ran on the backend {self.ran}")
        if self.gradient is not None:
            parts.append(f"with its gradient: {self.gradient}")
        if self.certificate is not None:
            parts.append(str(self.certificate))
        return "\n\n".join([*parts, self.remark] if self.remark else parts)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The text."""
        return framed([f"<pre>{escape(str(self))}</pre>"])


def cost(program: Program, args: tuple[Any, ...] = (), name: str = "the program") -> Report:
    """The operations of ``program`` and of its gradient, counted in a run at ``args``, if any."""
    own = _counted(program, args)
    try:
        made = derived(program.scanning)
        theirs = _counted(made.both, args)
    except (NotDifferentiable, MissingRule) as error:
        return Report(name, own, remark=f"no gradient: {error.args[0]}", ran=program.ran)
    source = None
    with suppress(OutsideSource):  # of a program of Source the paper speaks, too: Theorem 5.4
        nesting(program.lam)
        source = derived(priced(program.lam)).alone.lam
    bounds = certificate(program.lam, made.both.lam, source, (own, theirs))
    return Report(name, own, theirs, bounds, derived=made, ran=program.ran)


def _counted(program: Program, args: tuple[Any, ...]) -> Cost:
    """The cost of ``program``; counted in a run where ``args`` are values and choose the path."""
    static = counted(program.scanning)
    if static.exact or not args:
        return static
    carrier = Moving(CARRIER)
    mode = Primal(carrier)
    arrow, values = program.arrow(mode), program.lifted(args, mode)
    carrier.reset()
    carrier.moved = 0
    with np.errstate(all="ignore"):
        mode.value(arrow, values)
    return static.run(dict(sorted(carrier.counts.items())), carrier.moved)
