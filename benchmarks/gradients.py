"""Times gradients in every installed system in one run, as ratios to a gradient by hand.

``python benchmarks/gradients.py [--markdown FILE] [WORKLOAD …]`` checks each gradient against the
one by hand before it is timed. A workload is named by how its name begins.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from programs import Workload, workloads
from report import as_markdown, as_text, duration
from systems import SYSTEMS, LeftOut, Ready

ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL")}
"""Several threads are slower on arrays as small as these; libraries ask when they are loaded."""
ROUNDS, SECONDS = 5, 0.08
"""How often the systems take turns, and for how long each time."""


class Timed(NamedTuple):
    """One system at one workload, in seconds."""

    first: float
    call: float


def first_result(work: Workload, system: str) -> tuple[Ready, Any, float]:
    """The gradient, what it gives, and how long it took from the program to that."""
    begin = time.perf_counter()
    ready = SYSTEMS[system][1](work)
    value = ready.gradient(*ready.args)
    return ready, value, time.perf_counter() - begin


def shortest(ready: Ready, repeats: int) -> float:
    """The shortest of many means of ``repeats`` calls, in seconds."""
    gradient, args = ready
    found, until = float("inf"), time.perf_counter() + SECONDS
    while time.perf_counter() < until or found == float("inf"):
        begin = time.perf_counter()
        for _ in range(repeats):
            gradient(*args)
        found = min(found, (time.perf_counter() - begin) / repeats)
    return found


def same(found: Any, expected: Any) -> bool:
    """Whether two gradients agree."""
    if isinstance(expected, tuple):
        return len(found) == len(expected) and all(map(same, found, expected))
    return np.allclose(np.asarray(found).reshape(np.shape(expected)), expected, 1e-8, 1e-10)


def timed(work: Workload) -> dict[str, Timed | str]:
    """Each system's times, or why it was left out."""
    found: dict[str, Timed | str] = {}
    ready: dict[str, tuple[Ready, float]] = {}
    expected = work.by_hand(*work.args)
    for system in SYSTEMS:
        if system in work.refused:
            found[system] = work.refused[system]
            continue
        try:
            gradient, value, first = first_result(work, system)
        except LeftOut as why:
            found[system] = str(why)
            continue
        if not same(value, expected):
            if system in ("diffcurry", "compiled"):
                raise SystemExit(f"the gradient of {work.name} is wrong")
            found[system] = "its gradient is another"
            continue
        ready[system] = gradient, first
    calls = dict.fromkeys(ready, float("inf"))
    repeats = {name: max(1, int(2e-4 / shortest(r, 1))) for name, (r, _) in ready.items()}
    for _ in range(ROUNDS):
        for name, (gradient, _) in ready.items():
            calls[name] = min(calls[name], shortest(gradient, repeats[name]))
    return found | {name: Timed(first, calls[name]) for name, (_, first) in ready.items()}


def main() -> None:
    """Print what was measured, and write it down if asked."""
    parser = argparse.ArgumentParser(description="Times gradients in every installed system.")
    parser.add_argument("workloads", nargs="*", help="only those whose names begin so")
    parser.add_argument("--markdown", type=Path, help="the page to write the tables to")
    options = parser.parse_args()
    results: dict[str, dict[str, Timed | str]] = {}
    for work in workloads():
        if options.workloads and not work.name.startswith(tuple(options.workloads)):
            continue
        results[work.name] = timed(work)
        shown = ", ".join(
            f"{SYSTEMS[system][0]} {duration(t.call) if isinstance(t, Timed) else f'left out: {t}'}"
            for system, t in results[work.name].items()
        )
        print(f"{work.name}: {shown}", flush=True)
    print(as_text(results))
    if options.markdown is not None:
        options.markdown.write_text(as_markdown(results), encoding="utf-8")


if __name__ == "__main__":
    if not ONE_THREAD.keys() <= os.environ.keys():
        again = [sys.executable, *sys.orig_argv[1:]]
        os.execve(sys.executable, again, os.environ | ONE_THREAD)  # noqa: S606 (itself)
    main()
