"""Where the papers stand in this house: docs/papers.md, from the tables at the end of their pages.

A table stands between ``<!-- rows: 004 -->`` and ``<!-- end of rows -->``, a row an item of the
paper: ``| item | file | test | state |``.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "papers.md"
PAPERS = {
    "000": "Huot and Shaikhha, Denotationally Correct, Purely Functional, Efficient",
    "001": "Pearlmutter and Siskind, Lambda the Ultimate Backpropagator",
    "002": "Long, Comparing Current Approaches to AD in Programming Languages",
    "003": "Smeding and others, Dual-Numbers Reverse AD for Functional Array Languages",
    "004": "Abadi and others, The Differentiable Curry",
}
_OPENING = """\
Five papers describe this house. Here stands each of their figures, definitions, examples and claims
with its file, its test and its state: ✔ there, ◐ partly, ✘ missing. The page is written by
`python -m tests.papers.tables`, from the tables at the ends of the papers' own pages; a test fails
where a row names no file or no test."""
_TABLE = re.compile(r"<!-- rows: (\d{3}) -->\n(.*?)<!-- end of rows -->", re.DOTALL)


class Row(NamedTuple):
    """An item of a paper, the page that has its table, and the other cells."""

    paper: str
    page: str
    cells: tuple[str, ...]


def rows() -> Iterator[Row]:
    """Every row of every table."""
    for page in sorted((ROOT / "docs").glob("*.md")):
        for paper, table in _TABLE.findall(page.read_text("utf-8")):
            lines = [line for line in table.splitlines() if line.startswith("|")]
            for line in lines[2:]:
                cells = [cell.strip() for cell in line.strip("|").split("|")]
                yield Row(paper, page.name, tuple(cells))


def faults(row: Row, root: Path = ROOT) -> list[str]:
    """What a row says that is not so: each cell is there, and so is each file and test."""
    if len(row.cells) != 4 or not all(row.cells):
        return [f"{row.page}: {row.cells} has no item, file, test and state"]
    item, file, test, state = row.cells
    named = [part.strip(" `") for cell in (file, test) for part in cell.split(",")]
    said = [f"{row.page}: {item}: there is no {path}" for path in named if not exists(root, path)]
    return said if state in "✔◐✘" else [*said, f"{row.page}: {item}: {state} is no state"]


def exists(root: Path, named: str) -> bool:
    """Whether a file is there, and in it the test that stands after ``::``."""
    path, _, name = named.partition("::")
    return (root / path).exists() and name in (root / path).read_text("utf-8")


def page() -> str:
    """docs/papers.md."""
    found: dict[str, list[Row]] = {paper: [] for paper in PAPERS}
    for row in rows():
        found[row.paper].append(row)
    without = [f"{PAPERS[paper]} ({paper})" for paper in PAPERS if not found[paper]]
    text = ["# The papers", _OPENING]
    if without:
        text.append(f"Without a table yet: {'; '.join(without)}.")
    for paper, given in found.items():
        if given:
            text.append(f"## {PAPERS[paper]}")
            text.append(f"[Its page]({given[0].page}); numbered {paper} here.")
            head = "| item | file | test | state |\n|---|---|---|---|\n"
            text.append(head + "\n".join(f"| {' | '.join(row.cells)} |" for row in given))
    return "\n\n".join(text) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
