"""What is to be reached, and what was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

Row = dict[str, Any]
"""What one workload took in each system, or why the system was left out."""
Results = dict[str, Row]
SLACK = 0.5e-6
"""What a call may cost beside its share of the derivative by hand, in seconds."""


class Reached(NamedTuple):
    """A number, and whether it is enough."""

    shown: str
    is_enough: bool

    def __str__(self) -> str:
        """For a table."""
        return f"{self.shown} {'✓' if self.is_enough else '✗'}"


class Claim(NamedTuple):
    """Something that every workload is to reach."""

    head: str
    ours: str
    other: str
    reached: Callable[[str, Any, Any], Reached]
    """Of the workload's name, our times, and the other's."""

    def of(self, name: str, row: Row) -> Reached | None:
        """What was reached, where both were timed."""
        ours, other = row.get(self.ours, ""), row.get(self.other, "")
        missing = isinstance(ours, str) or isinstance(other, str)
        return None if missing else self.reached(name, ours, other)


def _of_hand(name: str) -> float:
    """How many times the derivative by hand a call may take."""
    if name.startswith("1,000 steps"):
        return 1.0
    return 1.2 if name.startswith(("dot", "sum", "prod", "chain")) else 1.3


def _by_hand(name: str, ours: Any, hand: Any) -> Reached:
    most = _of_hand(name)
    shown = f"{ours.call / hand.call:.2f} of {most:g}"
    return Reached(shown, ours.call <= most * hand.call + SLACK)


def _not_slower(name: str, ours: Any, other: Any) -> Reached:
    return Reached(f"{other.call / ours.call:.3g}", ours.call <= other.call)


def _a_call(name: str, ours: Any, other: Any) -> Reached:
    ratio = ours.call / other.call
    return Reached(f"{ratio:.2f}", ratio <= 1.1)


def _first(name: str, ours: Any, other: Any) -> Reached:
    return Reached(f"{ours.first / other.first:.2f}", ours.first < other.first)


CLAIMS = (
    Claim("times by hand", "diffcurry", "by hand", _by_hand),
    Claim("faster than autograd", "diffcurry", "autograd", _not_slower),
    Claim("faster than PyTorch", "diffcurry", "torch", _not_slower),
    Claim("XLA: times JAX, a call (at most 1.1)", "xla", "jax", _a_call),
    Claim("XLA: times JAX, first result (less than 1)", "xla", "jax", _first),
)


class Single(NamedTuple):
    """Something that one workload is to reach."""

    name: str
    what: str
    reached: Callable[[Row], Reached | None]


def _within(seconds: float, measured: str) -> Callable[[Row], Reached]:
    def reached(row: Row) -> Reached:
        found = getattr(row["diffcurry"], measured)
        return Reached(duration(found), found <= seconds)

    return reached


def _times_faster(least: float, system: str) -> Callable[[Row], Reached | None]:
    def reached(row: Row) -> Reached | None:
        other = row.get(system, "")
        if isinstance(other, str):
            return None
        times = other.call / row["diffcurry"].call
        return Reached(f"{times:.3g}", times >= least)

    return reached


SINGLES = (
    *(
        single
        for name in ("x*y + sin(x)", "x*y + sin(x), both")
        for single in (
            Single(name, "a call in 1 µs", _within(1e-6, "call")),
            Single(name, "15 times faster than JAX", _times_faster(15, "jax")),
        )
    ),
    Single("1,000 steps", "from `grad(f)` to the first result in 300 ms", _within(0.3, "first")),
    Single("LSTM, 32 steps", "8 times faster than autograd", _times_faster(8, "autograd")),
)


def of_all(results: Results) -> list[list[str]]:
    """The claims on every workload, as a table."""
    lines = [["workload", *(claim.head for claim in CLAIMS)]]
    for name, row in results.items():
        found = [claim.of(name, row) for claim in CLAIMS]
        lines.append([name, *("–" if cell is None else str(cell) for cell in found)])
    return lines


def of_some(results: Results) -> list[list[str]]:
    """The claims on single workloads, as a table."""
    return [["target", "reached"], *_singles(results)]


def _singles(results: Results) -> Iterator[list[str]]:
    for name, what, reached in SINGLES:
        found = reached(results[name]) if name in results else None
        if found is not None:
            yield [f"`{name}`: {what}", str(found)]


def missed(results: Results) -> list[str]:
    """Where something was not reached, in a line each."""
    found = []
    for name, row in results.items():
        for claim in CLAIMS:
            cell = claim.of(name, row)
            if cell is not None and not cell.is_enough:
                found.append(f"{name}: {claim.head}: {cell.shown}")
    return found


def duration(seconds: float) -> str:
    """With three digits, in the unit that fits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
