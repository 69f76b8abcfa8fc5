"""``python -m tests.laws.matrix``: ask all, print the table, write docs/law-matrix.md."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

from laws.structures import LAWS
from tests.laws.matrix.cells import Cell, block, blocks
from tests.laws.matrix.page import PAGE, mark, markdown
from tests.laws.matrix.subjects import SUBJECTS


def table(cells: Sequence[Cell]) -> str:
    """Laws down, models across."""
    found = {(cell.subject, cell.law): cell for cell in cells}
    width = max(len(law.name) for law in LAWS)
    lines = [" " * width + "".join(f"{subject.short:>6}" for subject in SUBJECTS)]
    for law in LAWS:
        marks = (mark(found.get((subject.short, law.name))) for subject in SUBJECTS)
        lines.append(f"{law.name:<{width}}" + "".join(f"{sign:>6}" for sign in marks))
    return "\n".join(lines)


def run() -> list[Cell]:
    """Every cell, a process a core."""
    cells: list[Cell] = []
    with ProcessPoolExecutor() as pool:
        waiting = [pool.submit(_quietly, *which) for which in blocks()]
        for done, future in enumerate(as_completed(waiting), 1):
            cells += future.result()
            print(f"\r{done} of {len(waiting)} blocks", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return cells


def _quietly(short: str, structure: str) -> list[Cell]:
    warnings.simplefilter("ignore")
    return block(short, structure)


def main() -> int:
    """1 where a law fails."""
    began = time.perf_counter()
    cells = run()
    took = time.perf_counter() - began
    failed = [cell for cell in cells if cell.outcome not in ("passed", "unasked")]
    print(table(cells))
    for cell in failed:
        print(f"\n{cell.subject}: {cell.told}")
    print(f"\n{sum(cell.examples for cell in cells):,} examples, in {took:.0f} s")
    PAGE.write_text(markdown(cells), encoding="utf-8")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
