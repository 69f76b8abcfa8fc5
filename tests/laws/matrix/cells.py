"""One cell of the matrix: a law, asked of a subject."""

from __future__ import annotations

import os
import sys
import time
import traceback
from dataclasses import dataclass

from laws.checking import check_law
from laws.equality import Level
from laws.law import Law
from laws.structures import LAWS, STRUCTURES
from tests.laws.matrix.subjects import SUBJECTS, Subject

EXAMPLES = {"dev": 10, "ci": 25, "deep": 25, "search": 500}
EACH = {"dev": 1, "ci": 2, "deep": 2, "search": 40}
"""How many examples a law is asked at of each primitive."""
SLOW = {"reverse twice": 3, "nesting": 2}
"""Of programs' second derivatives so many times fewer."""


PROFILE = os.environ.get("DIFFCURRY_PROFILE", "dev")


def examples(subject: Subject) -> int:
    """By the profile in DIFFCURRY_PROFILE."""
    return (EACH if len(subject.models) > 1 else EXAMPLES)[PROFILE]


@dataclass(frozen=True)
class Cell:
    """What was found."""

    subject: str
    law: str
    outcome: str
    examples: int
    level: Level
    seconds: float
    told: str = ""
    """What there is to say of a law that fails."""


def asked(subject: Subject, law: Law, most: int) -> Cell:
    """Ask it; of the primitives, each of those that owe it."""
    began = time.perf_counter()
    count = min(most, subject.most, -(-examples(subject) // SLOW.get(law.structure.name, 1)))
    outcome, level, seen, told = "unasked", Level.NORMAL, 0, ""
    for model in subject.models_of(law):
        try:
            verdict = check_law(law, model, examples=count)
        except Exception:  # noqa: BLE001 (a matrix with a hole is told from none)
            outcome, told = "failed", f"{law.name}: {traceback.format_exc()}"
            break
        level, seen = max(level, verdict.level), seen + verdict.examples
        if not verdict:
            outcome, told = verdict.outcome, str(verdict)
            break
        outcome = "passed" if verdict.outcome == "passed" else outcome
        told = told if outcome == "passed" else verdict.reason
    seconds = time.perf_counter() - began
    return Cell(subject.short, law.name, outcome, seen, level, seconds, told)


def block(short: str, structure: str, most: int = sys.maxsize) -> list[Cell]:
    """The cells of a subject and a structure, asked ``most`` examples at most."""
    subject = next(subject for subject in SUBJECTS if subject.short == short)
    return [
        asked(subject, law, most)
        for law in LAWS
        if law.structure.name == structure and subject.owes(law)
    ]


def blocks() -> list[tuple[str, str]]:
    """Every subject with every structure of which it owes a law."""
    return [
        (subject.short, structure.name)
        for subject in SUBJECTS
        for structure in STRUCTURES.values()
        if not subject.lacks(structure)
    ]
