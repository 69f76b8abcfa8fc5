"""A report: the verdicts on the laws of one model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from laws.asking.verdict import Verdict


@dataclass(frozen=True, repr=False)
class Report:
    """What was found of every law that was asked of one model.

    It is true where all laws hold. It prints as text, in colour by ``rich``, as HTML in notebooks.
    """

    model: str
    verdicts: tuple[Verdict, ...]

    def __bool__(self) -> bool:
        """Whether all hold, of which at least one was asked."""
        return all(self.verdicts) and any(v.outcome == "passed" for v in self.verdicts)

    def __iter__(self) -> Iterator[Verdict]:
        """Over the verdicts."""
        return iter(self.verdicts)

    def __len__(self) -> int:
        """How many laws were asked."""
        return len(self.verdicts)

    def __getitem__(self, law: str) -> Verdict:
        """The verdict on the law of that name."""
        for verdict in self.verdicts:
            if verdict.law.name == law:
                return verdict
        raise KeyError(law)

    @property
    def failures(self) -> tuple[Verdict, ...]:
        """The verdicts on laws that fail, or were asked in vain."""
        return tuple(verdict for verdict in self.verdicts if not verdict)

    @property
    def seconds(self) -> float:
        """How long it took."""
        return sum(verdict.seconds for verdict in self.verdicts)

    def __repr__(self) -> str:
        """Its summary."""
        from laws.rendering.text import summary

        return f"<{summary(self)}>"

    def __str__(self) -> str:
        """Plain, and the same on every machine."""
        from laws.rendering.text import report_text

        return report_text(self)

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        """In a terminal."""
        from laws.rendering.console import report_parts

        return report_parts(self)

    def _repr_html_(self) -> str:
        """In a notebook."""
        from laws.rendering.page import report_html

        return report_html(self)

    def record(self) -> dict[str, Any]:
        """What ``to_json`` writes, as dicts and lists."""
        from laws.rendering.record import report_record

        return report_record(self)

    def to_json(self, indent: int | None = 2) -> str:
        """The report for machines.

        ``schema`` (1), ``model``, ``passed``, ``seconds`` and ``verdicts``: of each law its name
        (``law``), ``structure``, ``statement``, ``equation``, ``latex``, ``quantifiers``,
        ``source``, ``rule``, ``implied_by``; and what was found: ``outcome`` (passed, failed,
        vacuous, unasked), ``examples``, ``seconds``, ``level`` (normal form, exact, floating
        point), ``levels`` (how many examples needed each), ``extensional``, ``rejected`` and
        ``rejections`` (examples that the model refused, and what it said), ``shares`` (feature to
        share of the examples), ``reason``, and ``counterexample``, null or ``objects``,
        ``arrows``, ``point``, ``size``, ``left`` and ``right`` (lists of ``{arrow, gives}``),
        ``difference`` (null or ``{place, left, right}``), ``error``, ``says``, ``snippet``.
        """
        return json.dumps(self.record(), indent=indent, ensure_ascii=False, allow_nan=False)
