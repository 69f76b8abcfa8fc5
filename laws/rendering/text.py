"""Reports and verdicts as plain text, the same on every machine."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from laws.asking.verdict import Verdict
from laws.rendering.failure import headline, sections
from laws.rendering.notation import equation
from laws.rendering.values import visible

if TYPE_CHECKING:
    from laws.asking.report import Report

HEADER = ("law", "equation", "found", "examples", "seconds", "compared")
RIGHT = frozenset({"examples", "seconds"})
_WIDE = 64


def header(report: Report) -> tuple[str, ...]:
    """The columns of a report: of the shares, those that some law has."""
    return (*HEADER, *features(report))


def features(report: Report) -> tuple[str, ...]:
    """The features that any example held."""
    names = dict.fromkeys(name for verdict in report for name in verdict.shares)
    return tuple(name for name in names if any(v.shares.get(name) for v in report))


def row(verdict: Verdict, features: tuple[str, ...]) -> tuple[str, ...]:
    """One law in the table of a report."""
    text = equation(verdict.law)
    return (
        verdict.law.name,
        text if len(text) <= _WIDE else text[: _WIDE - 1] + "…",
        verdict.outcome,
        f"{verdict.examples}",
        f"{verdict.seconds:.2f}",
        compared(verdict) if verdict.examples else "",
        *(f"{verdict.shares.get(name, 0.0):.0%}" for name in features),
    )


def compared(verdict: Verdict) -> str:
    """How outcomes were compared: ``exact, extensional``."""
    return f"{verdict.level}, extensional" if verdict.extensional else str(verdict.level)


def summary(report: Report) -> str:
    """One line: what was found, from how many examples, and how long it took."""
    found: Counter[str] = Counter(verdict.outcome for verdict in report)
    words = {
        "passed": ("law holds", "laws hold"),
        "failed": ("fails", "fail"),
        "vacuous": ("was asked in vain", "were asked in vain"),
        "unasked": ("was not asked", "were not asked"),
    }
    parts = [
        f"{found[outcome]} {several[found[outcome] > 1]}"
        for outcome, several in words.items()
        if found[outcome]
    ]
    examples = sum(verdict.examples for verdict in report)
    took = f"{examples:,} examples, {report.seconds:.1f} s"
    return f"{visible(report.model)}: {', '.join(parts) or 'no law was asked'} ({took})"


def report_text(report: Report) -> str:
    """The table, every failure, and the summary."""
    names = features(report)
    table = [header(report), *(row(verdict, names) for verdict in report)]
    parts = ["\n".join(_aligned(table))]
    parts += [verdict_text(verdict) for verdict in report.failures]
    return "\n\n".join([*parts, summary(report)])


def verdict_text(verdict: Verdict) -> str:
    """One line where the law holds, else all there is to say of it."""
    if verdict:
        return f"{headline(verdict)}: {equation(verdict.law)} ({verdict.examples} examples)"
    lines = [headline(verdict)]
    for section in sections(verdict):
        lines += [f"  {section.title}:", *(f"    {line}".rstrip() for line in section.lines)]
    return "\n".join(lines)


def _aligned(table: list[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    right = [title in RIGHT for title in table[0]]
    return [
        "  ".join(
            f"{cell:>{width}}" if number else f"{cell:<{width}}"
            for cell, width, number in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in table
    ]
