"""The table of the seeded bugs, written into ``docs/seeded-bugs.md``.

``python -m tests.laws.bugs.table`` asks every bug and writes the page anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from laws.structures import LAWS
from laws.verdict import Verdict
from tests.laws.bugs.bug import Bug
from tests.laws.bugs.implied import IMPLIED
from tests.laws.bugs.seeded import BUGS

PAGE = Path(__file__).parents[3] / "docs" / "seeded-bugs.md"
HEAD = """# Seeded bugs

The law kit is itself tested: each model below is wrong in one way in which such systems are known
to be wrong, and the law named says so; the size is that of the counterexample, in combinators,
after shrinking; the examples are how many were looked at until one failed, of {examples} a law.

`{own}` of the `{total}` bugs stand in an interpreter of textbook size, on Python's functions and
rational numbers, which shares no code with ours (`tests/laws/bugs/naive.py`): neither finite
differences nor another interpreter helps to catch them. The others, marked †, are put into our own
carriers, derivatives and primitives.

`python -m tests.laws.bugs.table` writes this page.

| bug | what is wrong | caught by | size | examples | counterexample |
|---|---|---|---|---|---|
"""
TAIL = """
## Laws that no bug is listed for

Each follows from others. Besides the laws named, it is used that operators respect equality
(`R[f] = R[g]` where `f = g`), that sums cancel and are of rationals (what is additive gives zero of
zero and is homogeneous), that a truth value is true or false, that an array is the join of its
parts, and that a linear map is its own derivative.

| law | |
|---|---|
"""


def page(rows: Iterable[tuple[Bug, Verdict]]) -> str:
    """The whole page."""
    from tests.laws.bugs.bug import EXAMPLES

    head = HEAD.format(examples=EXAMPLES, total=len(BUGS), own=sum(bug.is_own for bug in BUGS))
    lines = [line(bug, verdict) for bug, verdict in rows]
    return head + "".join(lines) + TAIL + "".join(map(silent, silent_laws()))


def line(bug: Bug, verdict: Verdict) -> str:
    found = verdict.counterexample
    assert found is not None, f"{bug.name} is not caught by {bug.law}"
    mark = "" if bug.is_own else " †"
    shown = ", ".join(f"{g.name} = {a!r}" for g, a in found.scene.instance.arrows.items())
    told = shown.replace("|", "\\|") or "objects alone"
    return (
        f"| `{bug.name}`{mark} | {bug.what} | {bug.law} | {found.size} | {verdict.examples} "
        f"| {told} |\n"
    )


def listed(text: str) -> list[tuple[str, str]]:
    """The bugs in a page, each with the law that catches it."""
    return re.findall(r"^\| `(\w+)`(?: †)? \|.*?\| (\S+) \| \d+ \|", text, re.MULTILINE)


def silent_laws() -> list[str]:
    """The laws that no bug is listed for."""
    first = {bug.law for bug in BUGS}
    return [law.name for law in LAWS if law.name not in first]


def silent(name: str) -> str:
    return f"| {name} | {why(name)} |\n"


def why(name: str) -> str:
    """Why no bug needs the law."""
    law = next(law for law in LAWS if law.name == name)
    by = law.implied_by or IMPLIED.get(name, ())
    return f"follows from {', '.join(by)}" if by else ""


def main() -> None:
    """Ask every bug, and write the page."""
    rows = []
    for bug in BUGS:
        rows.append((bug, bug.caught()))
        print(bug.name, bug.law, rows[-1][1].outcome, flush=True)
    PAGE.write_text(page(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
