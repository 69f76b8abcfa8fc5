"""Reports and verdicts in a terminal, by ``rich``; it minds NO_COLOR."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from laws.asking.verdict import Verdict
from laws.rendering.failure import Section, headline, sections
from laws.rendering.text import RIGHT, features, header, row, summary, verdict_text

if TYPE_CHECKING:
    from laws.asking.report import Report

_STYLES = {"passed": "green", "failed": "bold red", "vacuous": "yellow", "unasked": "dim"}


def report_parts(report: Report) -> Iterator[Any]:
    """What a console prints of a report."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in header(report):
        table.add_column(
            title,
            justify="right" if title in RIGHT else "left",
            no_wrap=title != "equation",
        )
    names = features(report)
    for verdict in report:
        cells = [Text(cell) for cell in row(verdict, names)]
        cells[2].stylize(_STYLES[verdict.outcome])
        table.add_row(*cells)
    yield table
    for verdict in report.failures:
        yield from verdict_parts(verdict)
    yield Text(summary(report), style="bold green" if report else "bold red")


def verdict_parts(verdict: Verdict) -> Iterator[Any]:
    """What a console prints of a verdict."""
    from rich.rule import Rule
    from rich.text import Text

    if verdict:
        yield Text(verdict_text(verdict))
        return
    yield Rule(headline(verdict), align="left", style=_STYLES[verdict.outcome])
    for section in sections(verdict):
        yield Text(section.title, style="bold magenta")
        yield _body(section)


def _body(section: Section) -> Any:
    from rich.padding import Padding
    from rich.syntax import Syntax
    from rich.text import Text

    text = "\n".join(section.lines)
    if section.kind == "python":
        code = Syntax(text, "python", background_color="default", word_wrap=True)
        return Padding(code, (0, 0, 0, 2))
    style = "red" if section.kind == "difference" else ""
    return Padding(Text(text, style=style), (0, 0, 0, 2))
