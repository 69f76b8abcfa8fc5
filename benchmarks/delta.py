"""Gradient programs by dual arrays beside those of the dependently typed pullback.

``python benchmarks/delta.py [--markdown FILE]`` counts and times both, and writes the table between
the marks of the page.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import diffcurry as dc
from diffcurry.modes import Mode
from gradients import on_one_thread, same, shortest
from interpreters.cost import counted
from peers import Ready
from programs import workloads
from report import duration
from words import Words
from workload import Workload

MODES: tuple[Mode, Mode] = ("dependent", "delta")
LARGEST = 10_000
"""Of the workloads of several lengths, that of this one."""
FRESH, ROUNDS, REPEATS = 5, 7, 2e-4
MARKS = "<!-- measured -->", "<!-- end -->"


class Measured(NamedTuple):
    """A gradient program."""

    operations: int
    moved: int
    lines: int
    written: float
    """From a fresh function to its program, in seconds."""
    call: float


def self_convolution(np_: Any, a: Any) -> Any:
    """``t_sc`` of 003 (Fig. 18)."""
    back = a.shape[0] - 1 - np.arange(a.shape[0])
    return np_.sum(a * np_.take(a, back, axis=0))


def measured_workloads() -> list[Workload]:
    """Gradients of scalars, each length once."""
    a = np.random.default_rng(2).standard_normal(LARGEST)
    own = Workload("self-convolution", self_convolution, (a,), lambda a: 2 * a[::-1])
    return [own, *(w for w in workloads() if w.derivative == "gradient" and _is_chosen(w))]


def _is_chosen(work: Workload) -> bool:
    digits = [word.replace(",", "") for word in work.name.split()[1:2]]
    several = bool(digits) and digits[0].isdigit() and not work.name.endswith("steps")
    return not several or int(digits[0]) == LARGEST


def _gradient(work: Workload, mode: Mode) -> Any:
    function = work.written_for("diffcurry", Words(np, logsumexp=dc.logsumexp))
    return dc.grad(function, work.argnums, mode=mode)


def measured(work: Workload) -> list[Measured]:
    """Both, in turns."""
    written = [float("inf")] * len(MODES)
    programs: list[Any] = [None] * len(MODES)
    for turn in range(FRESH):
        for i in (0, 1) if turn % 2 else (1, 0):
            begin = time.perf_counter()
            programs[i] = _gradient(work, MODES[i]).program(*work.args)
            written[i] = min(written[i], time.perf_counter() - begin)
    ready = [Ready(program.compiled("gradient").function, work.args) for program in programs]
    values = [derivative(*args) for derivative, args in ready]
    if not same(values[1], values[0]):
        raise SystemExit(f"the two gradients of {work.name} differ")
    repeats = max(1, int(REPEATS / shortest(ready[0], 1)))
    calls = [float("inf")] * len(MODES)
    for _ in range(ROUNDS):
        for i, each in enumerate(ready):
            calls[i] = min(calls[i], shortest(each, repeats))
    costs = [counted(program.lam) for program in programs]
    return [
        Measured(cost.total, cost.moved, cost.lines, *seconds)
        for cost, *seconds in zip(costs, written, calls, strict=True)
    ]


def table(rows: dict[str, list[Measured]]) -> list[str]:
    """Markdown."""
    head = ("gradient of", "operations", "numbers moved", "lines", "written in", "a call")
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for name, (dependent, delta) in rows.items():
        cells = [_pair(a, b) for a, b in zip(dependent[:3], delta[:3], strict=True)]
        cells += [
            f"{duration(a)}, {duration(b)}" for a, b in zip(dependent[3:], delta[3:], strict=True)
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _pair(dependent: int, delta: int) -> str:
    return f"{dependent:,}" if dependent == delta else f"{dependent:,}, **{delta:,}**"


def main() -> None:
    """Print the table, and write it down if asked."""
    parser = argparse.ArgumentParser(description="Counts and times two ways to a gradient program.")
    parser.add_argument("--markdown", type=Path, help="the page to write the table into")
    options = parser.parse_args()
    rows: dict[str, list[Measured]] = {}
    for work in measured_workloads():
        rows[work.name] = measured(work)
        print(work.name, *rows[work.name], sep="\n  ", flush=True)
    lines = "\n".join(table(rows))
    print(lines)
    if options.markdown is not None:
        before, rest = options.markdown.read_text(encoding="utf-8").split(MARKS[0])
        after = rest.split(MARKS[1])[1]
        page = f"{before}{MARKS[0]}\n\n{lines}\n\n{MARKS[1]}{after}"
        options.markdown.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    on_one_thread()
    main()
