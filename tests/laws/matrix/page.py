"""The matrix as a page of the docs, and what of it does not depend on when it was run."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from laws.equality import Level
from laws.structures import LAWS, STRUCTURES
from tests.laws.matrix.cells import EACH, EXAMPLES, PROFILE, Cell
from tests.laws.matrix.subjects import FEW, SUBJECTS

ASIDE = [subject for subject in SUBJECTS if subject.only or len(subject.models) > 1]
"""Those that are asked for laws of their own alone."""
PAGE = Path(__file__).resolve().parents[3] / "docs" / "law-matrix.md"
MARKS = {
    Level.NORMAL: "✓",
    Level.EXACT: "✓",
    Level.QUOTIENT: "✓q",
    Level.EXPANDED: "✓x",
    Level.SAMPLED: "✓r",
    Level.FLOAT: "✓f",
}
INTRODUCTION = """# The matrix: laws × models

Every law of the kit, asked of every mode over every carrier, of programs in both forms, of literal
systems of the papers, of the carriers themselves and of the primitives. `make laws` runs it,
prints it and writes this page.

✓ means that it holds at every example, and a letter how outcomes were compared where that was not
exactly: x as expanded expressions, r as expressions at random rational numbers, q modulo the
quotient for lists of calls, f in floating point, as near as rounding and the condition of the
example let. ✗ means that it fails. – means that the model does not claim it; the second table says
why. ○ means that the model refuses every example, and says so.
"""


def markdown(cells: Iterable[Cell]) -> str:
    """The whole page."""
    found = {(cell.subject, cell.law): cell for cell in cells}
    asked = (
        f"Profile `{PROFILE}`: {len(found):,} cells of {EXAMPLES[PROFILE]} examples at most, of "
        f"{EACH[PROFILE]} at each primitive, and of {FEW} at a literal system."
    )
    parts = [INTRODUCTION, *_legend(), f"\n{asked}\n", "## Laws × models\n", *_laws(found)]
    parts += ["\n## What is not claimed, and why\n", *_reasons()]
    return "\n".join(parts) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _legend() -> Iterator[str]:
    yield _row(("column", "model"))
    yield "|---|---|"
    for subject in SUBJECTS:
        aside = f"; {subject.because}" if subject in ASIDE else ""
        yield _row((subject.short, f"{subject.name}{aside}"))


def _laws(found: dict[tuple[str, str], Cell]) -> Iterator[str]:
    shorts = [subject.short for subject in SUBJECTS]
    yield _row(("law", *shorts))
    yield f"|---|{':-:|' * len(shorts)}"
    for structure in STRUCTURES.values():
        laws = [law for law in LAWS if law.structure is structure]
        yield _row((f"**{structure.title}**", *[""] * len(shorts)))
        for law in laws:
            marks = (mark(found.get((short, law.name))) for short in shorts)
            yield _row((law.name, *marks))


def mark(cell: Cell | None) -> str:
    """A cell in a sign or two."""
    if cell is None:
        return "–"
    if cell.outcome == "passed":
        return MARKS[cell.level]
    return "○" if cell.outcome == "unasked" else "✗"


def _reasons() -> Iterator[str]:
    yield _row(("structure", "not claimed by, for want of"))
    yield "|---|---|"
    for structure in STRUCTURES.values():
        by: dict[str, list[str]] = defaultdict(list)
        for subject in SUBJECTS:
            reason = subject.lacks(structure)
            if reason and subject not in ASIDE:
                by[reason].append(subject.short)
        said = "; ".join(f"{', '.join(shorts)}: {reason}" for reason, shorts in by.items())
        yield _row((structure.title, said or "all claim it"))


def claims(text: str) -> set[tuple[str, str]]:
    """Of a page, which column claims which law: what has to be up to date."""
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    head = next((line for line in lines if line[0] == "law"), [])
    claimed = set()
    for line in lines[lines.index(head) + 1 :] if head else ():
        if line[0] == "structure":
            break
        if len(line) == len(head) and not re.fullmatch(r"[:|-]+", line[0]):
            marks = zip(head[1:], line[1:], strict=True)
            claimed |= {(short, line[0]) for short, sign in marks if sign not in ("–", "")}
    return claimed


def owed() -> set[tuple[str, str]]:
    """Which column claims which law, as things are."""
    return {(s.short, law.name) for s in SUBJECTS for law in LAWS if s.owes(law)}
