"""What was found, as a document: a table, its failures section by section, and a summary.

It is written as plain text, the same on every machine; in a terminal by ``rich``, which minds
NO_COLOR; and as HTML for notebooks, where nothing that a user names becomes markup.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from typing import Any

from laws.failure import FailureSection
from laws.law import Law

RIGHT = frozenset({"examples", "seconds"})
"""The columns of numbers."""
STYLES = {"passed": "green", "failed": "bold red", "vacuous": "yellow", "unasked": "dim"}
STYLE = """
.laws { font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace; text-align: left; }
.laws table { border-collapse: collapse; } .laws td, .laws th { padding: .1em .8em .1em 0;
  text-align: left; } .laws .right { text-align: right; } .laws pre { margin: 0 0 .4em 1em; }
.laws h4 { font: inherit; font-weight: 600; margin: .5em 0 0; }
.laws .passed { color: #1a7f37; } .laws .failed { color: #cf222e; font-weight: 600; }
.laws .vacuous { color: #9a6700; } .laws .unasked { opacity: .6; }
""".strip()


class Shown:
    """What is read as its ``document``."""

    @property
    def document(self) -> Finding | Document:
        """What there is to read."""
        raise NotImplementedError

    def __str__(self) -> str:
        """Plain, and the same on every machine."""
        return str(self.document)

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        """In a terminal."""
        return self.document.console()

    def _repr_html_(self) -> str:
        """In a notebook."""
        return f'<style>{STYLE}</style><div class="laws">{self.document.html()}</div>'


@dataclass(frozen=True)
class Finding:
    """What was found of one law: a line, and, where it does not hold, all there is to say."""

    line: str
    outcome: str
    sections: tuple[FailureSection, ...] = ()

    def __str__(self) -> str:
        """Plain text."""
        lines = [self.line]
        for section in self.sections:
            lines += [f"  {section.title}:", *(f"    {line}".rstrip() for line in section.lines)]
        return "\n".join(lines)

    def console(self) -> Iterator[Any]:
        """What a console prints."""
        from rich import padding, rule, syntax, text

        if not self.sections:
            yield text.Text(self.line)
            return
        yield rule.Rule(self.line, align="left", style=STYLES[self.outcome])
        for section in self.sections:
            yield text.Text(section.title, style="bold magenta")
            lines = "\n".join(section.lines)
            if section.kind == "python":
                body: Any = syntax.Syntax(
                    lines, "python", background_color="default", word_wrap=True
                )
            else:
                body = text.Text(lines, style="red" if section.kind == "difference" else "")
            yield padding.Padding(body, (0, 0, 0, 2))

    def html(self) -> str:
        """A paragraph, or what is opened by a click."""
        if not self.sections:
            return f'<p class="{self.outcome}">{escape(self.line)}</p>'
        parts = (
            f"<h4>{escape(section.title)}</h4><pre>{escape(chr(10).join(section.lines))}</pre>"
            for section in self.sections
        )
        title = f'<summary class="{self.outcome}">{escape(self.line)}</summary>'
        return f"<details open>{title}{''.join(parts)}</details>"


@dataclass(frozen=True)
class Document:
    """Rows under a header, each with its outcome, which stands in the third column."""

    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    outcomes: Sequence[str]
    failures: Sequence[Finding]
    summary: str
    passed: bool

    def __str__(self) -> str:
        """Plain text."""
        table = "\n".join(_aligned([self.header, *self.rows]))
        return "\n\n".join([table, *map(str, self.failures), self.summary])

    def console(self) -> Iterator[Any]:
        """What a console prints."""
        from rich import box, table, text

        shown = table.Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for title in self.header:
            side: Any = "right" if title in RIGHT else "left"
            shown.add_column(title, justify=side, no_wrap=title != "equation")
        for row, outcome in zip(self.rows, self.outcomes, strict=True):
            cells = [text.Text(cell) for cell in row]
            cells[2].stylize(STYLES[outcome])
            shown.add_row(*cells)
        yield shown
        for failure in self.failures:
            yield from failure.console()
        yield text.Text(self.summary, style="bold green" if self.passed else "bold red")

    def html(self) -> str:
        """The table, the failures, and the summary."""
        head = "".join(f"<th{_classes(title)}>{escape(title)}</th>" for title in self.header)
        rows = ""
        for row, outcome in zip(self.rows, self.outcomes, strict=True):
            cells = zip(self.header, row, strict=True)
            rows += "<tr>"
            for title, cell in cells:
                rows += f"<td{_classes(title, outcome)}>{escape(cell)}</td>"
            rows += "</tr>"
        failures = "".join(failure.html() for failure in self.failures)
        summary = Finding(self.summary, "passed" if self.passed else "failed").html()
        return (
            f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{failures}{summary}"
        )


def _classes(title: str, outcome: str = "") -> str:
    kind = "right" if title in RIGHT else outcome if title == "found" else ""
    return kind and f' class="{kind}"'


def _aligned(table: Sequence[tuple[str, ...]]) -> Iterable[str]:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        cells = zip(row, table[0], widths, strict=True)
        padded = (f"{c:>{w}}" if title in RIGHT else f"{c:<{w}}" for c, title, w in cells)
        yield "  ".join(padded).rstrip()


def watched(asked: Sequence[Law], title: str) -> Iterator[Law]:
    """The laws, one after the other, with a bar that says where it is, where a person reads it."""
    if find_spec("rich") is None or not sys.stderr.isatty():
        yield from asked
        return
    from rich import console, progress

    bar = progress.Progress(
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        console=console.Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(title, total=len(asked))
        for law in asked:
            bar.update(task, description=f"{title}  {law.name}")
            yield law
            bar.advance(task)
