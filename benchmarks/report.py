"""What was measured: a table of times, and the targets with what was reached."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

from systems import SYSTEMS

Results = dict[str, dict[str, Any]]
SLACK = 0.5e-6
"""What a call may cost beside its share of the gradient by hand."""


class Target(NamedTuple):
    """What is to be reached, what was, and whether that is enough."""

    what: str
    reached: str
    is_met: bool


def duration(seconds: float) -> str:
    """With three digits, in the unit that fits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def targets(results: Results) -> Iterator[Target]:
    """The targets of the workloads that were run, against the systems that are installed."""
    for name, row in results.items():
        ours, hand = row["diffcurry"], row["by hand"]
        if name.startswith("x*y"):
            yield _at_most(f"`{name}`: a call", ours.call, 1e-6)
            yield from _faster(name, row, "jax", 15)
        elif "1,000 steps" in name:
            yield _at_most(f"{name}: from `grad(f)` to the first result", ours.first, 0.3)
            yield _ratio(name, ours.call, hand.call, 1.0, 0.0)
        elif name.startswith("LSTM"):
            yield _ratio(name, ours.call, hand.call, 1.3, 0.0)
            yield from _faster(name, row, "autograd", 8)
        else:
            yield _ratio(name, ours.call, hand.call, 1.2, SLACK)


def _at_most(what: str, seconds: float, limit: float) -> Target:
    return Target(f"{what} in {duration(limit)}", duration(seconds), seconds <= limit)


def _ratio(name: str, call: float, hand: float, most: float, slack: float) -> Target:
    more = f" + {duration(slack)}" if slack else ""
    reached = f"{(call - slack) / hand:.2f}" if slack else f"{call / hand:.2f}"
    is_met = call <= most * hand + slack
    return Target(f"{name}: at most {most:g} times by hand{more}", reached, is_met)


def _faster(name: str, row: dict[str, Any], system: str, least: float) -> Iterator[Target]:
    other = row[system]
    if not isinstance(other, str):
        times = other.call / row["diffcurry"].call
        what = f"{name}: {least:g} times faster than {SYSTEMS[system][0]}"
        yield Target(what, f"{times:.1f}", times >= least)


def _table(results: Results) -> list[list[str]]:
    """Times a call, and in brackets their ratio to the gradient by hand."""
    lines = [["gradient", *(head for head, _ in SYSTEMS.values()), "first result"]]
    for name, row in results.items():
        hand = row["by hand"].call
        cells = [
            "–"
            if isinstance(t := row[system], str)
            else duration(t.call) + ("" if system == "by hand" else f" ({t.call / hand:.2g})")
            for system in SYSTEMS
        ]
        lines.append([name, *cells, duration(row["diffcurry"].first)])
    return lines


def _met(results: Results) -> list[list[str]]:
    head = [["target", "reached", ""]]
    return head + [[t.what, t.reached, "✓" if t.is_met else "✗"] for t in targets(results)]


def as_text(results: Results) -> str:
    """The tables for a terminal."""
    return "\n\n".join("\n".join(_aligned(t)) for t in (_table(results), _met(results)))


def _aligned(table: list[list[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        yield "  ".join(
            cell.ljust(width) for cell, width in zip(line, widths, strict=True)
        ).rstrip()


def as_markdown(results: Results) -> str:
    """A page of the documentation."""
    why: dict[str, list[str]] = {}
    for name, row in results.items():
        for system, t in row.items():
            if isinstance(t, str):
                why.setdefault(f"{SYSTEMS[system][0]}: {t}", []).append(name)
    left_out = [f"- {reason} ({', '.join(names)})." for reason, names in why.items()]
    return "\n".join(
        (
            "# Benchmarks",
            "",
            "Written by `python benchmarks/gradients.py --markdown docs/benchmarks.md` in one run,",
            f"on {os.cpu_count()} cores ({platform.machine()}) with {_versions()};",
            "BLAS has one thread.",
            "",
            "A cell is the shortest time of a call, and its ratio to the gradient written by hand",
            "in Python or NumPy. `grad(f)` is what users call, *its code* the function that it has",
            "become, and *first result* the time from `grad(f)` to its first result. Every",
            "gradient is checked against the one by hand before it is timed.",
            "",
            *_rows(_table(results)),
            "",
            "Left out:",
            "",
            *left_out,
            "",
            "## Targets",
            "",
            *_rows(_met(results)),
            "",
        )
    )


def _versions() -> str:
    """Of Python and of the packages that are installed."""
    found = [f"Python {platform.python_version()}"]
    for name in ("numpy", "autograd", "jax", "torch", "casadi"):
        with suppress(PackageNotFoundError):
            found.append(f"{name} {version(name)}")
    return ", ".join(found)


def _rows(table: list[list[str]]) -> Iterator[str]:
    for index, line in enumerate(table):
        yield f"| {' | '.join(line)} |"
        if not index:
            yield "|" + "---|" * len(line)
