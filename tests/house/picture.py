"""The picture of the house, drawn from its imports, and the way of one gradient, from a run.

Both stand in docs/architecture.md between marks, and a test holds the page to what is drawn here.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable
from graphlib import TopologicalSorter
from pathlib import Path
from statistics import mean

from tests.house.calls import FIRST_CALLS, files_entered
from tests.house.imports import arrows

PAGE = "docs/architecture.md"


def folder(file: str) -> str:
    """The room of a file: its folder, to the second level."""
    return "/".join(Path(file).parent.parts[:2])


def heights(drawn: dict[str, set[str]]) -> dict[str, int]:
    """Of each file, the longest way down its imports; ``CycleError`` where they make a circle."""
    found: dict[str, int] = {}
    for here in TopologicalSorter(drawn).static_order():
        found[here] = max((found[there] + 1 for there in drawn[here]), default=0)
    return found


def folders(root: Path) -> dict[str, set[str]]:
    """Which folders each folder stands on: those that it imports from, and that stand lower."""
    drawn = arrows(root)
    found = heights(drawn)
    ranks = {name: mean(found[file] for file in files) for name, files in by_folder(drawn).items()}
    stands: dict[str, set[str]] = {name: set() for name in ranks}
    for here, there in drawn.items():
        one = folder(here)
        stands[one] |= {two for file in there if ranks[two := folder(file)] < ranks[one]}
    return stands


def by_folder(names: Iterable[str]) -> dict[str, list[str]]:
    """The files of each folder."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name in names:
        groups[folder(name)].append(name)
    return groups


def needed(drawn: dict[str, set[str]]) -> list[tuple[str, str]]:
    """The arrows that no way through others says already."""

    def reached(start: str, without: str) -> set[str]:
        seen: set[str] = set()
        todo = [there for there in drawn[start] if there != without]
        while todo:
            here = todo.pop()
            if here not in seen:
                seen.add(here)
                todo += drawn[here]
        return seen

    pairs = [(here, there) for here in drawn for there in drawn[here]]
    return sorted(pair for pair in pairs if pair[1] not in reached(*pair))


def picture(root: Path) -> str:
    """The folders as boxes, in their rooms, and what imports what, as a Mermaid graph."""
    drawn = folders(root)
    names = {name: name.replace("/", "_") for name in sorted(drawn)}
    lines = ["```mermaid", "graph TD"]
    for room in sorted({name.split("/")[0] for name in names}):
        lines.append(f"  subgraph {room}")
        for name, key in names.items():
            if name.split("/")[0] == room:
                lines.append(f"    {key}[{name}]")
        lines.append("  end")
    lines += [f"  {names[here]} --> {names[there]}" for here, there in needed(drawn)]
    return "\n".join([*lines, "```"])


def purpose(path: Path) -> str:
    """The first sentence of a file's docstring."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return re.split(r"\n\n|(?<=\.)\s", text)[0].replace("\n", " ")


def way(root: Path, what: str = "the first gradient of a scalar") -> str:
    """The files that a first call enters, in the order in which it enters them."""
    found = files_entered(root, FIRST_CALLS[what])
    lines = ["| file | what it is |", "|---|---|"]
    lines += [f"| `{file}` | {purpose(root / file)} |" for file in found]
    return "\n".join(lines)


def page(root: Path) -> str:
    """docs/architecture.md with what is drawn put between its marks."""
    text = (root / PAGE).read_text(encoding="utf-8")
    for mark, drawn in (("picture", picture(root)), ("way", way(root))):
        before, rest = text.split(f"<!-- {mark} -->\n")
        after = rest.split(f"<!-- end of {mark} -->")[1]
        text = f"{before}<!-- {mark} -->\n{drawn}\n\n<!-- end of {mark} -->{after}"
    return text


if __name__ == "__main__":
    HERE = Path(__file__).resolve().parents[2]
    (HERE / PAGE).write_text(page(HERE), encoding="utf-8")
