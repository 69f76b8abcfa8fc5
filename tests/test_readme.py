"""The examples in README.md and under docs/ run, and print what they say they print.

Executed are the fenced blocks whose language is exactly ``python``; those of one document run one
after the other in one namespace, as a reader would type them. A block with ``>>>`` is a doctest,
any other is a script. A failure names the document and the line.
"""

import doctest
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```python[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    line: int
    source: str


def blocks(text: str) -> Iterator[Block]:
    for match in BLOCK.finditer(text):
        yield Block(text.count("\n", 0, match.start(1)), match[1])


def execute(document: Path, module: ModuleType) -> None:
    runner = doctest.DebugRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    parser = doctest.DocTestParser()
    for block in blocks(document.read_text(encoding="utf-8")):
        if ">>>" in block.source:
            test = parser.get_doctest(
                block.source, vars(module), document.name, str(document), block.line
            )
            test.globs = vars(module)
            run(runner, test)
        else:
            padding = "\n" * block.line  # so that tracebacks name the document's own lines
            exec(compile(padding + block.source, str(document), "exec"), vars(module))


def run(runner: doctest.DebugRunner, test: doctest.DocTest) -> None:
    try:
        runner.run(test, clear_globs=False)
    except doctest.DocTestFailure as failure:
        example = failure.example
        pytest.fail(
            f"{test.filename}:{test.lineno + example.lineno + 1}\n"
            f">>> {example.source}expected:\n{example.want}got:\n{failure.got}",
            pytrace=False,
        )
    except doctest.UnexpectedException as failure:
        where = f"{test.filename}:{test.lineno + failure.example.lineno + 1}"
        failure.exc_info[1].add_note(f"in the example at {where}:\n>>> {failure.example.source}")
        raise failure.exc_info[1] from None


def documents() -> list[Path]:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in pages if page.exists() and any(blocks(page.read_text("utf-8")))]


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """A module that Python can find by name (dataclasses and pickle ask), in an empty folder."""
    made = ModuleType("document")
    monkeypatch.setitem(sys.modules, made.__name__, made)
    monkeypatch.chdir(tmp_path)
    return made


@pytest.mark.parametrize("document", documents(), ids=lambda page: os.path.relpath(page, ROOT))
def test_the_examples_of_a_document_hold(document: Path, module: ModuleType) -> None:
    execute(document, module)


def test_the_readme_has_examples() -> None:
    assert ROOT / "README.md" in documents()


def test_blocks_share_one_namespace(tmp_path: Path, module: ModuleType) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 1\n```\n\n```python\n>>> x + 1\n2\n```\n\n```sh\nfalse\n```\n")
    execute(page, module)
    assert module.x == 1


@pytest.mark.parametrize(
    ("example", "error", "says"),
    [
        (">>> 1 + 1\n3", pytest.fail.Exception, r"page\.md:3\n>>> 1 \+ 1\nexpected:\n3\ngot:\n2"),
        (">>> 1 / 0", ZeroDivisionError, "division by zero"),
        ("assert 1 == 2, 'no'", AssertionError, "no"),
    ],
)
def test_a_wrong_example_fails(
    example: str, error: type[BaseException], says: str, tmp_path: Path, module: ModuleType
) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"A page.\n```python\n{example}\n```\n")
    with pytest.raises(error, match=says):
        execute(page, module)
