"""The measures of the house: what each is to be, and what it is held to until it is that."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.house.calls import FIRST_CALLS, files_entered
from tests.house.imports import arrows, circles, files, imports


class Measure(NamedTuple):
    """What is counted: the count, what it is to be at most, and what it is held to today."""

    what: str
    value: int
    most: int
    held: int

    @property
    def is_reached(self) -> bool:
        """Whether it is what it is to be."""
        return self.value <= self.most

    @property
    def holds(self) -> bool:
        """Whether it has not become worse."""
        return self.value <= max(self.most, self.held)


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def stems(root: Path) -> Counter[str]:
    """How many files bear each name; those that every package has are left out."""
    names = (path.stem for path in files(root))
    return Counter(name for name in names if not name.startswith("__"))


def imports_in_functions(root: Path) -> list[str]:
    """Where an import stands in a function, once a statement."""
    found = (found for path in files(root) for found in imports(root, path) if found.in_function)
    return sorted({f"{one.file}:{one.line}" for one in found})


def files_in_circles(root: Path) -> int:
    return sum(map(len, circles(arrows(root))))


PAPERS, MACHINE_CODE = "papers", "interpreters/backends/llvm"
C = f"{MACHINE_CODE}/c"
"""Rooms that have measures of their own."""


def lines_in(room: str) -> Callable[[Path], int]:
    return lambda root: sum(map(lines, files(root, room)))


def lines_of_source(root: Path) -> int:
    apart = (lines_in(room)(root) for room in (PAPERS, MACHINE_CODE))
    return sum(map(lines, files(root))) - sum(apart)


def files_of_source(root: Path) -> int:
    apart = (len(list(files(root, room))) for room in (PAPERS, MACHINE_CODE))
    return len(list(files(root))) - sum(apart)


COUNTS: dict[str, tuple[Callable[[Path], int], int, int]] = {
    "lines of source": (lines_of_source, 36_000, 56_400),
    "lines of the literal systems": (lines_in(PAPERS), 4_000, 4_639),
    "lines of machine code": (
        lambda root: lines_in(MACHINE_CODE)(root) - lines_in(C)(root),
        6_000,
        7_794,
    ),
    "lines that write C": (lines_in(C), 500, 855),
    "files": (files_of_source, 270, 270),
    "lines of the longest file": (lambda root: max(map(lines, files(root))), 400, 400),
    "files of one name": (lambda root: max(stems(root).values()), 3, 3),
    "files in circles of imports": (files_in_circles, 0, 0),
    "imports inside functions": (lambda root: len(imports_in_functions(root)), 15, 15),
}
ENTERED = {
    "the first gradient of a scalar": (40, 64),
    "the first gradient of a fold": (55, 79),
    "the first Hessian": (60, 96),
    "the first vjp at numbers": (45, 70),
}


def counted(root: Path) -> list[Measure]:
    """What can be read off the files."""
    return [Measure(what, count(root), most, held) for what, (count, most, held) in COUNTS.items()]


def entered(root: Path) -> list[Measure]:
    """How many files a newcomer steps through, with the first calls."""
    return [
        Measure(f"files entered by {what}", len(files_entered(root, call)), *ENTERED[what])
        for what, call in FIRST_CALLS.items()
    ]
