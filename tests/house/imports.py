"""The imports of the five packages, wherever they stand, and the circles that they make.

A deferred import (inside a function) and one for type checkers alone count as any other: who reads
the one file has to know the other.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOMS = ("combinators", "interpreters", "laws", "papers", "diffcurry")


class Import(NamedTuple):
    file: str
    line: int
    module: str
    when_loaded: bool
    """Does loading the file do it? (Not inside a function, not for type checkers alone.)"""
    in_function: bool

    def __str__(self) -> str:
        return f"{self.file}:{self.line} imports {self.module}"


def files(root: Path, under: str = "") -> Iterator[Path]:
    for room in ROOMS if not under else (under,):
        yield from sorted((root / room).rglob("*.py"))


def imports(root: Path, path: Path) -> Iterator[Import]:
    """Every import of a file, wherever it stands, under its absolute name."""
    file = path.relative_to(root)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    stack: list[tuple[ast.AST, bool, bool]] = [(tree, True, False)]
    while stack:
        node, when_loaded, in_function = stack.pop()
        for name in _imported(node, file):
            yield Import(str(file), node.lineno, name, when_loaded, in_function)
        body = node.body if _is_for_types(node) else None
        for child in ast.iter_child_nodes(node):
            lazy = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            typed = body is not None and child in body
            stack.append((child, when_loaded and not lazy and not typed, in_function or lazy))


def _imported(node: ast.AST, file: Path) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        package = file.parent.parts
        parents = package[: len(package) - node.level + 1] if node.level else ()
        origin = [*parents, *([node.module] if node.module else [])]
        yield from (".".join([*origin, alias.name]) for alias in node.names)


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def file_of(root: Path, module: str) -> str | None:
    """The file that ``module``, or the name ``module`` ends with, is found in."""
    parts = module.split(".")
    for length in (len(parts), len(parts) - 1):
        path = Path(*parts[:length]) if length else Path()
        for candidate in (path.with_suffix(".py"), path / "__init__.py") if length else ():
            if (root / candidate).is_file():
                return str(candidate)
    return None


def arrows(root: Path) -> dict[str, set[str]]:
    """Which files of the rooms each file imports from."""
    known: dict[str, set[str]] = {}
    for path in files(root):
        here = str(path.relative_to(root))
        there = {file_of(root, found.module) for found in imports(root, path)}
        known[here] = {file for file in there if file and file.split("/")[0] in ROOMS} - {here}
    return known


def circles(arrows: dict[str, set[str]]) -> list[list[str]]:
    """The strongly connected components of more than one file (Tarjan's, without recursion)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    held: list[str] = []
    found: list[list[str]] = []
    for start in sorted(arrows):
        if start in number:
            continue
        number[start] = low[start] = len(number)
        held.append(start)
        walk = [(start, iter(sorted(arrows[start])))]
        while walk:
            here, below = walk[-1]
            there = next(below, None)
            if there is None:
                walk.pop()
                if walk:
                    low[walk[-1][0]] = min(low[walk[-1][0]], low[here])
                if low[here] == number[here]:
                    circle = held[held.index(here) :]
                    del held[held.index(here) :]
                    if len(circle) > 1:
                        found.append(sorted(circle))
            elif there not in number:
                number[there] = low[there] = len(number)
                held.append(there)
                walk.append((there, iter(sorted(arrows.get(there, ())))))
            elif there in held:
                low[here] = min(low[here], number[there])
    return found
