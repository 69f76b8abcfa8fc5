"""Reports and verdicts as HTML, for notebooks; nothing that a user names can become markup."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from laws.asking.verdict import Verdict
from laws.rendering.failure import headline, sections
from laws.rendering.text import RIGHT, features, header, row, summary

if TYPE_CHECKING:
    from laws.asking.report import Report

STYLE = """
.laws { font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace; text-align: left; }
.laws table { border-collapse: collapse; } .laws td, .laws th { padding: .1em .8em .1em 0;
  text-align: left; } .laws .right { text-align: right; } .laws pre { margin: 0 0 .4em 1em; }
.laws h4 { font: inherit; font-weight: 600; margin: .5em 0 0; }
.laws .passed { color: #1a7f37; } .laws .failed { color: #cf222e; font-weight: 600; }
.laws .vacuous { color: #9a6700; } .laws .unasked { opacity: .6; }
""".strip()


def report_html(report: Report) -> str:
    """The table, every failure opened by a click, and the summary."""
    titles, names = header(report), features(report)
    head = "".join(f"<th{_side(title)}>{escape(title)}</th>" for title in titles)
    rows = "".join(_row(verdict, titles, names) for verdict in report)
    failures = "".join(map(_failure, report.failures))
    verdict = "passed" if report else "failed"
    return _framed(
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{failures}"
        f'<p class="{verdict}">{escape(summary(report))}</p>'
    )


def verdict_html(verdict: Verdict) -> str:
    """One verdict."""
    if verdict:
        return _framed(f'<p class="passed">{escape(headline(verdict))}</p>')
    return _framed(_failure(verdict))


def _row(verdict: Verdict, titles: tuple[str, ...], names: tuple[str, ...]) -> str:
    cells = zip(titles, row(verdict, names), strict=True)
    return (
        "<tr>"
        + "".join(
            f"<td{_side(title, verdict.outcome if title == 'found' else '')}>{escape(cell)}</td>"
            for title, cell in cells
        )
        + "</tr>"
    )


def _failure(verdict: Verdict) -> str:
    parts = (
        f"<h4>{escape(section.title)}</h4><pre>{escape(chr(10).join(section.lines))}</pre>"
        for section in sections(verdict)
    )
    title = f'<summary class="{verdict.outcome}">{escape(headline(verdict))}</summary>'
    return f"<details open>{title}{''.join(parts)}</details>"


def _side(title: str, more: str = "") -> str:
    classes = " ".join(filter(None, ("right" if title in RIGHT else "", more)))
    return f' class="{classes}"' if classes else ""


def _framed(body: str) -> str:
    return f'<style>{STYLE}</style><div class="laws">{body}</div>'
