"""The architecture: what each room may import, and how large a file may grow.

Each rule is a function from the root of a repository to the violations it finds there, so that the
rules themselves are tested on small trees that break them.
"""

import ast
import re
import statistics
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.house.imports import ROOMS, arrows, circles, files, imports
from tests.house.measures import Measure, counted, entered, imports_in_functions
from tests.house.picture import PAGE, page

ROOT = Path(__file__).resolve().parent.parent

MAY_IMPORT = {
    "combinators": {"combinators"},
    "interpreters": {"interpreters", "combinators"},
    "laws": {"laws", "combinators"},
    "papers": {"papers", "interpreters", "combinators"},
    "diffcurry": {"diffcurry", "papers", "laws", "interpreters", "combinators"},
}
APART: dict[str, set[str]] = {
    "interpreters/modes": set(),
    "interpreters/backends": {"analysis", "text"},
}
"""Folders of neighbours that do not know each other, and what they have in common."""
MACHINERY = (
    "combinators.bulk",
    "combinators.simplify",
    "interpreters.backends",
    "interpreters.cost",
    "interpreters.deltas",
    "interpreters.execution",
    "interpreters.modes",
    "interpreters.staging",
)
"""What makes derivatives and makes them fast."""
CORE = {"numpy", "multipledispatch", "sympy"}
ALSO_AT_TOP_LEVEL = {"laws": {"pytest", "hypothesis"}}
MEDIAN_LINES, MOST_LINES = 260, 400


def imports_that_point_upwards(root: Path) -> list[str]:
    return [
        str(found)
        for room, may in MAY_IMPORT.items()
        for path in files(root, room)
        for found in imports(root, path)
        if (top := found.module.split(".")[0]) in ROOMS and top not in may
    ]


def papers_that_stand_on_machinery(root: Path) -> list[str]:
    """The literal systems know the language, and what a number is."""
    return [
        str(found)
        for path in files(root, "papers")
        for found in imports(root, path)
        if found.module.startswith(MACHINERY)
    ]


def neighbours_that_meet(root: Path) -> list[str]:
    """A neighbour is a file or a folder; the folder's ``__init__.py`` may gather them."""
    return [
        str(found)
        for folder, shared in APART.items()
        for path in sorted((root / folder).rglob("*.py"))
        if (here := path.relative_to(root / folder).with_suffix("").parts[0]) != "__init__"
        for found in imports(root, path)
        if (there := within(folder, found.module)) and there not in {here, *shared}
    ]


def within(folder: str, module: str) -> str:
    """The neighbour in ``folder`` that a module belongs to, if any."""
    prefix = folder.replace("/", ".") + "."
    return module.removeprefix(prefix).split(".")[0] if module.startswith(prefix) else ""


def foreign_imports(root: Path) -> list[str]:
    """Loading a room needs the core dependencies only; anything else is imported in a function."""
    return [
        str(found)
        for room in ROOMS
        for path in files(root, room)
        for found in imports(root, path)
        if found.when_loaded
        and found.module.split(".")[0]
        not in {*sys.stdlib_module_names, *CORE, *ROOMS, *ALSO_AT_TOP_LEVEL.get(room, ())}
    ]


def files_too_long(root: Path) -> list[str]:
    lengths = {p: len(p.read_text(encoding="utf-8").splitlines()) for p in files(root)}
    median = statistics.median(lengths.values())
    found = [
        f"{path.relative_to(root)} has {length} lines, more than {MOST_LINES}"
        for path, length in lengths.items()
        if length > MOST_LINES
    ]
    if median > MEDIAN_LINES:
        found.append(f"the median file has {median} lines, more than {MEDIAN_LINES}")
    return found


def rooms_without_types(root: Path) -> list[str]:
    return [
        f"{room}/{name} is missing"
        for room in ROOMS
        for name in ("__init__.py", "py.typed")
        if not (root / room / name).exists()
    ]


def things_left_undone(root: Path) -> list[str]:
    return [
        f"{path.relative_to(root)}:{number} says {match[0]}"
        for path in files(root)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (match := re.search(r"\b(TODO|FIXME|XXX)\b", line))
    ]


def raised_recursion_limits(root: Path) -> list[str]:
    return [
        f"{path.relative_to(root)} raises Python's recursion limit"
        for path in files(root)
        if "setrecursionlimit" in path.read_text(encoding="utf-8")
        and path.name != "python_helpers.py"  # the text of programs, which restore it
    ]


def rooms_without_tests(root: Path) -> list[str]:
    return [
        f"{room}/ holds code, and tests/{room}/ no test"
        for room in ROOMS
        if any(holds_code(path) for path in files(root, room))
        and not any((root / "tests" / room).rglob("test_*.py"))
    ]


def holds_code(path: Path) -> bool:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in tree.body)


RULES = [
    imports_that_point_upwards,
    papers_that_stand_on_machinery,
    neighbours_that_meet,
    foreign_imports,
    files_too_long,
    rooms_without_types,
    things_left_undone,
    raised_recursion_limits,
    rooms_without_tests,
]
Rule = Callable[[Path], list[str]]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_there_are_no(rule: Rule) -> None:
    violations = rule(ROOT)
    assert not violations, "\n".join(violations)


def test_the_distribution_is_the_five_rooms_and_needs_the_core_only() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = {re.match(r"[\w.-]+", line)[0] for line in project["project"]["dependencies"]}
    assert needed == CORE
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == list(ROOMS)


@pytest.mark.parametrize("measures", [counted, entered], ids=["counted", "entered"])
def test_the_measures_of_the_house_hold(measures: Callable[[Path], list[Measure]]) -> None:
    assert not [measure for measure in measures(ROOT) if not measure.holds], "see `make house`"


def test_the_page_of_the_architecture_is_that_of_the_imports_and_of_a_run() -> None:
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    assert text == page(ROOT), "run `python -m tests.house.picture`"
    named = re.findall(rf"`((?:{'|'.join(ROOMS)}|tests)/[\w/.]*)`", text)
    assert named
    assert not [path for path in named if not (ROOT / path).exists()]


# --- the rules bite


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A tree that obeys every rule."""
    for room in (*ROOMS, *APART, *(f"tests/{room}" for room in ROOMS)):
        (tmp_path / room).mkdir(parents=True)
    for room in ROOMS:
        (tmp_path / room / "__init__.py").write_text('"""A room."""\n')
        (tmp_path / room / "py.typed").touch()
    return tmp_path


LONG = "x = 1\n" * (MOST_LINES + 1)
VIOLATIONS = [
    (imports_that_point_upwards, "combinators/a.py", "from laws import law"),
    (imports_that_point_upwards, "combinators/a.py", "def f():\n    import interpreters.b"),
    (imports_that_point_upwards, "interpreters/a.py", "import diffcurry"),
    (papers_that_stand_on_machinery, "papers/a.py", "from interpreters.modes import primal"),
    (imports_that_point_upwards, "laws/a.py", "from interpreters.modes import primal"),
    (neighbours_that_meet, "interpreters/modes/a.py", "from interpreters.modes.b import B"),
    (neighbours_that_meet, "interpreters/modes/a.py", "from interpreters.modes import b"),
    (neighbours_that_meet, "interpreters/modes/a.py", "from . import b"),
    (neighbours_that_meet, "interpreters/modes/a/c.py", "from ..b import B"),
    (neighbours_that_meet, "interpreters/backends/a/c.py", "from ..b import d"),
    (neighbours_that_meet, "interpreters/backends/text/c.py", "from ..a import d"),
    (foreign_imports, "diffcurry/a.py", "import rich"),
    (foreign_imports, "diffcurry/a.py", "class A:\n    import pytest"),
    (foreign_imports, "combinators/a.py", "try:\n    import scipy.special\nexcept E: pass"),
    (files_too_long, "combinators/a.py", LONG),
    (things_left_undone, "combinators/a.py", "x = 1  # " + "TODO"),
    (raised_recursion_limits, "combinators/a.py", "sys.setrecursionlimit(10**9)"),
]
FINE = [
    ("combinators/a.py", "import numpy as np\nfrom combinators.b import c\nfrom . import d"),
    ("interpreters/modes/__init__.py", "from interpreters.modes.a import A\nfrom . import b"),
    ("interpreters/modes/a.py", "from interpreters.sparse_cotangents import plus\nimport sympy"),
    ("interpreters/modes/a/c.py", "from interpreters.modes.a.d import e\nfrom . import d"),
    ("interpreters/backends/a/c.py", "from interpreters.backends.text.d import e\nfrom . import d"),
    ("laws/a.py", "import pytest\nfrom hypothesis import given"),
    ("diffcurry/a.py", "import interpreters, laws\ndef f():\n    import rich"),
    ("diffcurry/a.py", "if TYPE_CHECKING:\n    import pytest"),
]


def write(path: Path, source: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(source + "\n")


@pytest.mark.parametrize(("rule", "file", "source"), VIOLATIONS)
def test_a_violation_is_found(rule: Rule, file: str, source: str, house: Path) -> None:
    assert not rule(house)
    write(house / file, source)
    violations = rule(house)
    assert len(violations) == 1, violations
    assert file in violations[0]


@pytest.mark.parametrize(("file", "source"), FINE)
def test_what_is_allowed_passes(file: str, source: str, house: Path) -> None:
    write(house / file, source)
    for rule in RULES:
        if rule is not rooms_without_tests:
            assert not rule(house)


def test_a_missing_marker_median_or_test_is_found(house: Path) -> None:
    (house / "laws" / "py.typed").unlink()
    assert rooms_without_types(house) == ["laws/py.typed is missing"]
    write(house / "laws" / "a.py", "def f(): pass")
    assert rooms_without_tests(house) == ["laws/ holds code, and tests/laws/ no test"]
    for number in range(11):
        write(house / "laws" / f"b{number}.py", "x = 1\n" * MEDIAN_LINES)
    assert files_too_long(house) == ["the median file has 261 lines, more than 260"]


def test_a_circle_is_found_though_an_import_is_deferred_or_for_types_alone(house: Path) -> None:
    write(house / "combinators" / "a.py", "from combinators.b import f")
    write(house / "combinators" / "b.py", "def f():\n    from combinators import c")
    write(house / "combinators" / "c.py", "if TYPE_CHECKING:\n    import combinators.a")
    write(house / "combinators" / "d.py", "import combinators.a")
    (circle,) = circles(arrows(house))
    assert circle == [f"combinators/{name}.py" for name in "abc"]
    assert imports_in_functions(house) == ["combinators/b.py:2"]
