"""Times our derivatives on XLA against jitted JAX: a call, and from the source to a first result.

``python benchmarks/xla.py [--gpu] [WORKLOAD …]``: both take turns, and the shortest times count. On
a GPU arguments and results stay there. A workload is named by how its name begins.
"""

from __future__ import annotations

import argparse
import time
from typing import Any, NamedTuple

from gradients import same
from programs import Workload, workloads
from report import duration
from systems import SYSTEMS, Ready

PAIR = ("jax", "xla")
BEGUN = ("dot", "sum", "prod", "chain", "MLP", "LSTM")
FRESH, ROUNDS, SECONDS = 3, 7, 0.08
"""How often a first result is made, how often the two take turns, and how long each time."""


class Timed(NamedTuple):
    """The shortest times, in seconds."""

    first: float
    call: float


def compared(work: Workload) -> dict[str, Timed] | None:
    """The two systems at one workload; None where one has it not."""
    if set(PAIR) & set(work.refused):
        return None
    expected = work.by_hand(*work.args)
    firsts, ready = dict.fromkeys(PAIR, float("inf")), dict[str, Ready]()
    for _ in range(FRESH):
        for system in PAIR:
            begin = time.perf_counter()
            ready[system] = SYSTEMS[system][1](work)
            value = _called(ready[system])
            firsts[system] = min(firsts[system], time.perf_counter() - begin)
            if not same(value, expected):
                raise SystemExit(f"the gradient of {work.name} is wrong in {system}")
    calls = dict.fromkeys(PAIR, float("inf"))
    for _ in range(ROUNDS):
        for system in PAIR:
            calls[system] = min(calls[system], _shortest(ready[system]))
    return {system: Timed(firsts[system], calls[system]) for system in PAIR}


def _called(ready: Ready) -> Any:
    function, *_ = ready
    return function(*ready.args)


def _shortest(ready: Ready) -> float:
    """The shortest mean of a few calls."""
    until, found, repeats = time.perf_counter() + SECONDS, float("inf"), 1
    while time.perf_counter() < until:
        begin = time.perf_counter()
        for _ in range(repeats):
            _called(ready)
        mean = (time.perf_counter() - begin) / repeats
        found, repeats = min(found, mean), max(1, int(5e-4 / mean))
    return found


def main() -> None:
    """Print a line a workload."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("workloads", nargs="*", help="only those whose names begin so")
    parser.add_argument("--gpu", action="store_true", help="stop where there is no GPU")
    options = parser.parse_args()
    import jax

    if options.gpu and jax.default_backend() != "gpu":
        raise SystemExit("skipped: JAX sees no GPU on this machine")
    device = jax.devices()[0]
    print(f"jax {jax.__version__} on {device.platform} ({device.device_kind})")
    print(f"{'':24}{'a call':>10}{'ours':>10}{'ratio':>8}{'first':>12}{'ours':>10}{'ratio':>8}")
    for work in workloads():
        if not work.name.startswith(tuple(options.workloads or BEGUN)):
            continue
        found = compared(work)
        if found is not None:
            theirs, ours = (found[system] for system in PAIR)
            calls = f"{duration(theirs.call):>10}{duration(ours.call):>10}"
            firsts = f"{duration(theirs.first):>12}{duration(ours.first):>10}"
            first, call = ours.first / theirs.first, ours.call / theirs.call
            print(f"{work.name:24}{calls}{call:8.2f}{firsts}{first:8.2f}", flush=True)


if __name__ == "__main__":
    main()
