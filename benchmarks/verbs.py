"""Times every verb with functions among the arguments beside the same with the functions inlined.

``python benchmarks/verbs.py [--markdown FILE]`` runs a fold of 1,000 steps whose cell is an
argument, as plain code and as a ``partial`` that captures a number. Both sides of a row take turns
in one run, and the ratio is that of their shortest times: 1 is what it costs to write the function
where it is used.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

import diffcurry as dc

STEPS, ROUNDS, SECONDS = 1_000, 12, 0.05
XS = np.linspace(0.0, 1.0, STEPS)
POINT, ALONG = 0.5, 1.0


class Row(NamedTuple):
    """A verb, with the function as an argument and with it inlined."""

    name: str
    given: Callable[[], object]
    inlined: Callable[[], object]


def scaled(a, c, x):
    """What a step does, with a number that it captures."""
    return np.sin(c) * x * a + 0.1


def cell(c, x):
    """What a step does, with no captures."""
    return np.sin(c) * x + 0.1


given = dc.fun(lambda step, c: dc.fold(step, c, XS))
plain = dc.fun(lambda c: dc.fold(cell, c, XS))
captured = dc.fun(lambda a, c: dc.fold(lambda c, x: scaled(a, c, x), c, XS))


def rows() -> list[Row]:
    """Each verb on plain code, and the gradient in what a ``partial`` captured."""
    step = partial(scaled, 1.5)
    slope, slope_inlined = dc.grad(given, 1), dc.grad(plain)
    both, both_inlined = dc.grad(given, (0, 1)), dc.grad(captured, (0, 1))
    _, pullback = dc.vjp(given, cell, POINT)
    _, pullback_inlined = dc.vjp(plain, POINT)
    _, derivative = dc.linearize(given, cell, POINT)
    _, derivative_inlined = dc.linearize(plain, POINT)
    at, along = (cell, POINT), (None, ALONG)
    return [
        Row("value", lambda: given(cell, POINT), lambda: plain(POINT)),
        Row("grad", lambda: slope(cell, POINT), lambda: slope_inlined(POINT)),
        Row("grad, of captures", lambda: both(step, POINT), lambda: both_inlined(1.5, POINT)),
        Row(
            "vjp",
            lambda: dc.vjp(given, cell, POINT)[1](1.0),
            lambda: dc.vjp(plain, POINT)[1](1.0),
        ),
        Row("vjp, its pullback", lambda: pullback(1.0), lambda: pullback_inlined(1.0)),
        Row("jvp", lambda: dc.jvp(given, at, along), lambda: dc.jvp(plain, (POINT,), (ALONG,))),
        Row(
            "linearize, a tangent",
            lambda: derivative(None, ALONG),
            lambda: derivative_inlined(ALONG),
        ),
        Row(
            "hvp",
            lambda: dc.hvp(given, at, along, argnums=1),
            lambda: dc.hvp(plain, (POINT,), (ALONG,)),
        ),
    ]


def shortest(run: Callable[[], object], seconds: float = SECONDS) -> float:
    """The shortest of many calls, in seconds."""
    found, until = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < until:
        begin = time.perf_counter()
        run()
        found = min(found, time.perf_counter() - begin)
    return found


def timed(row: Row) -> tuple[float, float]:
    """Both sides in turns, after a run of each that traces and compiles."""
    for run in (row.given, row.inlined):
        run()
        run()
    pairs = [(shortest(row.given), shortest(row.inlined)) for _ in range(ROUNDS)]
    return min(a for a, _ in pairs), min(b for _, b in pairs)


def main() -> None:
    """The table, on the screen or in a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--markdown", type=Path, help="write the table there")
    options = parser.parse_args()
    lines = ["| verb | function as argument, µs | inlined, µs | ratio |", "|---|---|---|---|"]
    for row in rows():
        ours, inlined = timed(row)
        lines.append(
            f"| {row.name} | {ours * 1e6:.1f} | {inlined * 1e6:.1f} | {ours / inlined:.2f} |"
        )
    text = "\n".join(lines) + "\n"
    if options.markdown is None:
        print(text)
    else:
        options.markdown.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
