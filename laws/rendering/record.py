"""Reports and verdicts for JSON; ``laws.asking.report.Report.to_json`` documents the schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from laws.asking.replaying import settled
from laws.asking.verdict import Counterexample, Verdict
from laws.law import Law
from laws.rendering.failure import chosen, differs
from laws.rendering.notation import equation, latex, quantifiers
from laws.rendering.snippet import snippet
from laws.rendering.steps import Step, said, steps
from laws.rendering.values import shown

if TYPE_CHECKING:
    from laws.asking.report import Report

SCHEMA = 1


def report_record(report: Report) -> dict[str, Any]:
    """A report."""
    return {
        "schema": SCHEMA,
        "model": report.model,
        "passed": bool(report),
        "seconds": report.seconds,
        "verdicts": [verdict_record(verdict) for verdict in report],
    }


def law_record(law: Law) -> dict[str, Any]:
    """A law."""
    return {
        "law": law.name,
        "structure": law.structure.name,
        "statement": law.statement,
        "equation": equation(law),
        "latex": latex(law),
        "quantifiers": quantifiers(law),
        "source": law.source,
        "rule": law.rule,
        "implied_by": list(law.implied_by),
    }


def verdict_record(verdict: Verdict) -> dict[str, Any]:
    """A verdict."""
    found = verdict.counterexample
    return {
        **law_record(verdict.law),
        "model": verdict.model,
        "outcome": verdict.outcome,
        "examples": verdict.examples,
        "seconds": verdict.seconds,
        "level": str(verdict.level),
        "levels": {str(level): count for level, count in verdict.levels.items()},
        "extensional": verdict.extensional,
        "rejected": verdict.rejected,
        "rejections": dict(verdict.rejections),
        "shares": dict(verdict.shares),
        "reason": verdict.reason,
        "counterexample": None if found is None else _example(found, verdict),
    }


def _example(found: Counterexample, verdict: Verdict) -> dict[str, Any]:
    scene, law = settled(found.scene), verdict.law
    texts = chosen(found)
    difference = found.difference
    return {
        "objects": texts["objects"],
        "arrows": texts["arrows"],
        "point": texts["point"][""],
        "size": found.size,
        "left": list(map(_step, steps(scene, law.lhs))),
        "right": [] if law.relation == "raises" else list(map(_step, steps(scene, law.rhs))),
        "difference": difference
        and {
            "place": difference.place,
            "left": shown(difference.left),
            "right": shown(difference.right),
        },
        "error": None if found.error is None else said(found.error),
        "says": differs(found, verdict),
        "snippet": snippet(found),
    }


def _step(step: Step) -> dict[str, str]:
    return {"arrow": step.text, "gives": step.gives}
