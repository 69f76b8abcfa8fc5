"""Times derivatives in every installed system in one run, as ratios to those written by hand.

``python benchmarks/gradients.py [--markdown FILE] [--systems NAME,…] [--gpu] [WORKLOAD …]`` checks
each derivative against the one by hand before it is timed. A workload is named by how its name
begins.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from peers import LeftOut, Ready
from programs import workloads
from report import as_markdown, as_text
from systems import OURS, SYSTEMS
from targets import duration
from workload import Workload

ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL")}
"""Several threads are slower on arrays as small as these; libraries ask when they are loaded."""
ROUNDS, SECONDS = 8, 0.04
"""How often the systems take turns, and for how long each time."""
FRESH, PATIENCE = 3, 3.0
"""How often a first result is made anew, unless it takes so many seconds."""
CACHED = ("pytensor",)
"""These find what they compiled on disk: their first results are made once."""


class Timed(NamedTuple):
    """One system at one workload, in seconds."""

    first: float
    call: float


def first_result(work: Workload, system: str) -> tuple[Ready, Any, float]:
    """The derivative, what it gives, and the time from a fresh program to that."""
    begin = time.perf_counter()
    ready = SYSTEMS[system][1](work)
    value = ready.derivative(*ready.args)
    return ready, value, time.perf_counter() - begin


def shortest(ready: Ready, repeats: int, seconds: float = SECONDS) -> float:
    """The shortest of many means of ``repeats`` calls, in seconds."""
    derivative, args = ready
    found, until = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < until or found == float("inf"):
        begin = time.perf_counter()
        for _ in range(repeats):
            derivative(*args)
        found = min(found, (time.perf_counter() - begin) / repeats)
    return found


def same(found: Any, expected: Any) -> bool:
    """Whether two derivatives agree."""
    if isinstance(expected, tuple):
        return len(found) == len(expected) and all(map(same, found, expected))
    return np.allclose(np.asarray(found).reshape(np.shape(expected)), expected, 1e-8, 1e-10)


def checked(work: Workload, system: str, expected: Any) -> tuple[Ready, float]:
    """A derivative that is right, and how long its first result took."""
    if system in work.refused:
        raise LeftOut(work.refused[system])
    try:
        ready, value, first = first_result(work, system)
    except LeftOut:
        raise
    except Exception as why:
        if system in OURS:
            raise
        raise LeftOut(f"{type(why).__name__}: {why}".splitlines()[0][:100]) from why
    if not same(value, expected):
        if system in OURS:
            raise SystemExit(f"{SYSTEMS[system][0]}: the derivative of {work.name} is wrong")
        raise LeftOut("its derivative is another")
    return ready, first


def timed(work: Workload, systems: list[str]) -> dict[str, Timed | str]:
    """Each system's times, or why it was left out."""
    found: dict[str, Timed | str] = {}
    ready: dict[str, tuple[Ready, float]] = {}
    expected = work.by_hand(*work.args)
    for system in systems:
        try:
            ready[system] = checked(work, system, expected)
        except LeftOut as why:
            found[system] = str(why)
    firsts = {name: first for name, (_, first) in ready.items()}
    for _ in range(FRESH - 1):
        for name, shortest_yet in firsts.items():
            if name not in CACHED and shortest_yet < PATIENCE:
                firsts[name] = min(shortest_yet, first_result(work, name)[2])
    calls = {name: shortest(derivative, 1, 0.0) for name, (derivative, _) in ready.items()}
    repeats = {name: max(1, int(2e-4 / call)) for name, call in calls.items()}
    for _ in range(ROUNDS):
        for name, (derivative, _) in ready.items():
            calls[name] = min(calls[name], shortest(derivative, repeats[name]))
    return found | {name: Timed(firsts[name], calls[name]) for name in ready}


def warm(systems: list[str]) -> None:
    """Let each system load what it loads when it is first used."""
    for system in systems:
        try:
            first_result(workloads()[0], system)
        except LeftOut as why:
            print(f"{SYSTEMS[system][0]} is left out: {why}", flush=True)


def check_gpu() -> None:
    """End, aloud, where JAX sees no GPU."""
    import jax

    if jax.default_backend() != "gpu":
        raise SystemExit("skipped: JAX sees no GPU on this machine")


def main() -> None:
    """Print what was measured, and write it down if asked."""
    parser = argparse.ArgumentParser(description="Times derivatives in every installed system.")
    parser.add_argument("workloads", nargs="*", help="only those whose names begin so")
    parser.add_argument("--markdown", type=Path, help="the page to write the tables to")
    parser.add_argument(
        "--systems", default=",".join(SYSTEMS), help="only these, beside those by hand"
    )
    parser.add_argument(
        "--gpu", action="store_true", help="JAX and ours on a GPU; skipped, aloud, without one"
    )
    options = parser.parse_args()
    if options.gpu:
        check_gpu()
    asked = ["jax", "xla"] if options.gpu else options.systems.split(",")
    if unknown := set(asked) - set(SYSTEMS):
        parser.error(f"no system is named {', '.join(unknown)}; there are {', '.join(SYSTEMS)}")
    systems = [name for name in SYSTEMS if name in ("by hand", *asked)]
    warm(systems)
    results: dict[str, dict[str, Timed | str]] = {}
    for work in workloads():
        if options.workloads and not work.name.startswith(tuple(options.workloads)):
            continue
        results[work.name] = timed(work, systems)
        shown = ", ".join(
            f"{SYSTEMS[system][0]} {duration(t.call) if isinstance(t, Timed) else f'left out: {t}'}"
            for system, t in results[work.name].items()
        )
        print(f"{work.name}: {shown}", flush=True)
    print(as_text(results))
    if options.markdown is not None:
        options.markdown.write_text(as_markdown(results), encoding="utf-8")


def on_one_thread(*, compiles: bool = False) -> None:
    """Run this command again where libraries have one thread; what ``compiles`` begins afresh."""
    if not ONE_THREAD.keys() <= os.environ.keys():
        again = [sys.executable, *sys.orig_argv[1:]]
        fresh = {"PYTENSOR_FLAGS": f"base_compiledir={tempfile.mkdtemp()}"} if compiles else {}
        os.execve(sys.executable, again, os.environ | ONE_THREAD | fresh)  # noqa: S606 (itself)


if __name__ == "__main__":
    on_one_thread(compiles=True)
    main()
