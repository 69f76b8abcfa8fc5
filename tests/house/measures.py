"""The measures of the house, each with what it may be at most."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.house.calls import FIRST_CALLS, files_entered
from tests.house.imports import arrows, circles, files, imports


class Measure(NamedTuple):
    """What is counted, the count, and the most that it may be."""

    what: str
    value: int
    most: int

    @property
    def holds(self) -> bool:
        return self.value <= self.most


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def stems(root: Path) -> Counter[str]:
    """How many files bear each name; those that every package has are left out."""
    names = (path.stem for path in files(root))
    return Counter(name for name in names if not name.startswith("__"))


def imports_in_functions(root: Path) -> list[str]:
    return [
        str(found) for path in files(root) for found in imports(root, path) if found.in_function
    ]


MOST_LINES, MOST_FILES, LONGEST_FILE, MOST_NAMESAKES, MOST_DEFERRED = 36_000, 270, 400, 3, 15
MOST_ENTERED = {
    "the first gradient of a scalar": 40,
    "the first gradient of a fold": 55,
    "the first Hessian": 60,
    "the first vjp at numbers": 45,
}
COUNTS: dict[str, tuple[Callable[[Path], int], int]] = {
    "lines of source": (lambda root: sum(map(lines, files(root))), MOST_LINES),
    "files": (lambda root: len(list(files(root))), MOST_FILES),
    "lines of the longest file": (lambda root: max(map(lines, files(root))), LONGEST_FILE),
    "files of one name": (lambda root: max(stems(root).values()), MOST_NAMESAKES),
    "circles of imports": (lambda root: len(circles(arrows(root))), 0),
    "imports inside functions": (lambda root: len(imports_in_functions(root)), MOST_DEFERRED),
}


def counted(root: Path) -> list[Measure]:
    """What can be read off the files."""
    return [Measure(what, count(root), most) for what, (count, most) in COUNTS.items()]


def entered(root: Path) -> list[Measure]:
    """How many files a newcomer steps through, with the first calls."""
    return [
        Measure(f"files entered by {what}", len(files_entered(root, call)), MOST_ENTERED[what])
        for what, call in FIRST_CALLS.items()
    ]
