"""Times this tree beside another checkout of it, the two in turns: calls, and first results.

``python benchmarks/beside.py OTHER [--markdown FILE] [WORKLOAD …]`` runs the workloads of this tree
with either library, each in a process of its own that waits while the other is timed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROUNDS, FRESH = 8, 3


class Side:
    """A process that times one of the two libraries when it is told to."""

    def __init__(self, root: Path) -> None:
        """Of the checkout at ``root``."""
        environment = os.environ | {"PYTHONPATH": f"{root}{os.pathsep}{HERE}"}
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "beside.py"), "--serve", str(root)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def ask(self, what: str, name: str) -> Any:
        """The seconds of a ``first`` result or of a ``call``; None where it cannot be computed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([what, name]), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())


def serve() -> None:
    """Answer what the other process asks, a line each."""
    from gradients import first_result, shortest
    from programs import workloads

    known = {work.name: work for work in workloads()}
    ready: dict[str, Any] = {}
    first_result(known["x*y + sin(x)"], "diffcurry")
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        what, name = json.loads(line)
        answer = None
        try:
            if what == "first":
                ready[name], _, answer = first_result(known[name], "diffcurry")
            elif name in ready:
                once = shortest(ready[name], 1, 0.0)
                answer = shortest(ready[name], max(1, int(2e-4 / once)))
        except Exception as why:  # noqa: BLE001 (an older library may lack a word)
            print(f"{name}: {why}", file=sys.stderr)
        print(json.dumps(answer), file=answers, flush=True)


def compared(sides: list[Side], name: str) -> list[tuple[float | None, ...]]:
    """The shortest first results and calls of the two."""
    found = []
    for what, rounds in (("first", FRESH), ("call", ROUNDS)):
        times = [[side.ask(what, name) for side in sides] for _ in range(rounds)]
        columns = zip(*times, strict=True)
        found.append(tuple(None if None in column else min(column) for column in columns))
    return found


def row(name: str, found: list[tuple[float | None, ...]]) -> list[str]:
    """Both times and their ratio, of first results and of calls."""
    cells = [name]
    for before, now in found:
        cells += [shown(before), shown(now)]
        cells.append("–" if before is None or now is None else f"{now / before:.2f}")
    return cells


def shown(seconds: float | None) -> str:
    """A time."""
    from targets import duration

    return "–" if seconds is None else duration(seconds)


def main() -> None:
    """Print a line a workload, and write them down if asked."""
    from programs import workloads

    parser = argparse.ArgumentParser(description="Times this tree beside another checkout.")
    parser.add_argument("other", type=Path, help="the checkout that came before")
    parser.add_argument("workloads", nargs="*", help="only those whose names begin so")
    parser.add_argument("--markdown", type=Path, help="the file to write the table to")
    options = parser.parse_args()
    sides = [Side(options.other.resolve()), Side(HERE.parent)]
    head = ["derivative", "first result, before", "now", "ratio", "a call, before", "now", "ratio"]
    lines = [head, ["---"] * len(head)]
    for work in workloads():
        if not options.workloads or work.name.startswith(tuple(options.workloads)):
            lines.append(row(work.name, compared(sides, work.name)))
            print(" | ".join(lines[-1]), flush=True)
    if options.markdown is not None:
        text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        options.markdown.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve()
    else:
        main()
