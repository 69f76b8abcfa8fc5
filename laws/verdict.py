"""What was found: a verdict on one law, a report on all that a model owes, one instance again."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from combinators.errors import TypeMismatch
from combinators.morphisms import Id, Morphism
from combinators.objects import Object, Unit
from laws.claims import model_of
from laws.document import Document, Finding, Shown
from laws.equality import Level
from laws.failure import example_record, sections, visible
from laws.law import Law, equation, law_record
from laws.model import name_of
from laws.scene import Counterexample, Instance, Recorded, Scene, found_at
from laws.structures import LAWS

Outcome = Literal["passed", "failed", "vacuous", "unasked"]
_SAID = {
    "passed": ("holds", "law holds", "laws hold"),
    "failed": ("fails", "fails", "fail"),
    "vacuous": ("was asked in vain", "was asked in vain", "were asked in vain"),
    "unasked": ("was not asked", "was not asked", "were not asked"),
}
"""Of one law; of one, and of several, with their number before it."""
_HEADER = ("law", "equation", "found", "examples", "seconds", "compared")
_WIDE = 64
Named = TypeVar("Named")
_SCHEMA = 1


@dataclass(frozen=True, repr=False)
class Verdict(Shown):
    """What was found of one law in one model."""

    law: Law
    model: str
    outcome: Outcome
    examples: int
    """How many instances were looked at."""
    seconds: float
    level: Level = Level.NORMAL
    """The weakest comparison that was needed."""
    levels: Mapping[Level, int] = field(default_factory=dict)
    """How many examples needed each."""
    extensional: bool = False
    """Whether functions were compared by applying them."""
    shares: Mapping[str, float] = field(default_factory=Counter)
    """The share of examples that hold each feature."""
    counterexample: Counterexample | None = None
    """Of a law that fails; None where a model is so fickle that none can be kept."""
    reason: str = ""
    """Why it is vacuous, or was not asked, or fails only at times."""
    rejected: int = 0
    """How many examples the model refused."""
    rejections: Mapping[str, int] = field(default_factory=dict)
    """What it said when it refused, and how often."""

    def __bool__(self) -> bool:
        """False where the law fails, or was asked in vain."""
        return self.outcome in ("passed", "unasked")

    def __repr__(self) -> str:
        """One line."""
        return f"<{self.law.name} {self.outcome} in {self.model} at {self.examples} examples>"

    @property
    def finding(self) -> Finding:
        """A line where it holds, else the smallest example, step by step."""
        line = f"{self.law.name} {_SAID[self.outcome][0]} in {visible(self.model)}"
        if self:
            line += f": {equation(self.law)} ({self.examples} examples)"
            return Finding(line, self.outcome)
        found = sections(self.law, self.reason, self.rejections, self.counterexample)
        return Finding(line, self.outcome, tuple(found))

    document = finding

    def record(self) -> dict[str, Any]:
        """Itself as dicts and lists."""
        found = self.counterexample
        return {
            **law_record(self.law),
            "model": self.model,
            "outcome": self.outcome,
            "examples": self.examples,
            "seconds": self.seconds,
            "level": str(self.level),
            "levels": {str(level): count for level, count in self.levels.items()},
            "extensional": self.extensional,
            "rejected": self.rejected,
            "rejections": dict(self.rejections),
            "shares": dict(self.shares),
            "reason": self.reason,
            "counterexample": None if found is None else example_record(found),
        }


@dataclass(frozen=True, repr=False)
class Report(Shown):
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

    @property
    def document(self) -> Document:
        """What there is to read of it: of the shares, those that some law has."""
        names = dict.fromkeys(name for verdict in self for name in verdict.shares)
        features = tuple(name for name in names if any(v.shares.get(name) for v in self))
        return Document(
            header=(*_HEADER, *features),
            rows=[_row(verdict, features) for verdict in self],
            outcomes=[verdict.outcome for verdict in self],
            failures=[verdict.finding for verdict in self.failures],
            summary=self.summary,
            passed=bool(self),
        )

    @property
    def summary(self) -> str:
        """One line: what was found, from how many examples, and how long it took."""
        found: Counter[str] = Counter(verdict.outcome for verdict in self)
        parts = [
            f"{found[outcome]} {said[1 + (found[outcome] > 1)]}"
            for outcome, said in _SAID.items()
            if found[outcome]
        ]
        examples = sum(verdict.examples for verdict in self)
        took = f"{examples:,} examples, {self.seconds:.1f} s"
        return f"{visible(self.model)}: {', '.join(parts) or 'no law was asked'} ({took})"

    def __repr__(self) -> str:
        """Its summary."""
        return f"<{self.summary}>"

    def record(self) -> dict[str, Any]:
        """What ``to_json`` writes, as dicts and lists."""
        return {
            "schema": _SCHEMA,
            "model": self.model,
            "passed": bool(self),
            "seconds": self.seconds,
            "verdicts": [verdict.record() for verdict in self.verdicts],
        }

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


def _row(verdict: Verdict, features: tuple[str, ...]) -> tuple[str, ...]:
    """One law in the table of a report."""
    text, level = equation(verdict.law), str(verdict.level)
    return (
        verdict.law.name,
        text if len(text) <= _WIDE else text[: _WIDE - 1] + "…",
        verdict.outcome,
        f"{verdict.examples}",
        f"{verdict.seconds:.2f}",
        (f"{level}, extensional" if verdict.extensional else level) if verdict.examples else "",
        *(f"{verdict.shares.get(name, 0.0):.0%}" for name in features),
    )


def replay(
    model: Any,
    law: str | Law,
    *,
    objects: Mapping[str, Object] | None = None,
    arrows: Mapping[str, Morphism] | None = None,
    point: Morphism | None = None,
    arguments: Mapping[str, Morphism] | None = None,
    cotangents: Mapping[str, Any] | None = None,
) -> Verdict:
    """Ask whether a law holds at one instance: objects and arrows by name, at a point.

    ``arguments`` and ``cotangents`` are those with which outcomes are told apart, by place, as a
    failure prints them. What the law quantifies over and is not given raises ``TypeMismatch``.
    """
    asked = law_named(law) if isinstance(law, str) else law
    instance = Instance(
        _all({v: v.name for v in asked.variables}, objects or {}, asked),
        _all({g: g.name for g in asked.generators}, arrows or {}, asked),
    )
    probes = Recorded(arguments or {}, cotangents or {})
    scene = Scene(asked, model_of(model), instance, point or Id(Unit), probes)
    began = time.perf_counter()
    found, level = found_at(scene)
    return Verdict(
        scene.law,
        name_of(scene.model),
        "passed" if found is None else "failed",
        1,
        time.perf_counter() - began,
        level,
        counterexample=found,
    )


def law_named(name: str) -> Law:
    """The law of that name."""
    for law in LAWS:
        if law.name == name:
            return law
    raise TypeMismatch(f"there is no law {name!r}; `diffcurry laws --list` lists them")


def _all(wanted: Mapping[Named, str], given: Mapping[str, Any], law: Law) -> dict[Named, Any]:
    """What is wanted, found among what is given by name."""
    missing = [name for name in wanted.values() if name not in given]
    if missing:
        raise TypeMismatch(f"law {law.name} is about {', '.join(missing)}, which is not given")
    return {thing: given[name] for thing, name in wanted.items()}
