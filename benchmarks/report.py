"""What was measured: tables of times, and the targets with what was reached."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version

from systems import SYSTEMS
from targets import Results, duration, missed, of_all, of_some

PACKAGES = ("numpy", "scipy", "autograd", "torch", "casadi", "pytensor", "numba", "jax", "jaxlib")

Table = list[list[str]]


def calls(results: Results) -> Table:
    """Times a call, and in brackets their ratio to the derivative by hand."""
    lines = [_head(results)]
    for name, row in results.items():
        hand = row["by hand"].call
        cells = [
            "–"
            if isinstance(t := row.get(system, ""), str)
            else duration(t.call) + ("" if system == "by hand" else f" ({_ratio(t.call / hand)})")
            for system in _systems(results)
        ]
        lines.append([name, *cells])
    return lines


def _ratio(times: float) -> str:
    return f"{times:,.0f}" if times >= 10 else f"{times:.2g}"


def firsts(results: Results) -> Table:
    """Times from a fresh program to the first result."""
    lines = [_head(results)]
    for name, row in results.items():
        times = [row.get(system, "") for system in _systems(results)]
        lines.append([name, *("–" if isinstance(t, str) else duration(t.first) for t in times)])
    return lines


def _systems(results: Results) -> list[str]:
    """Those that were asked for."""
    return [name for name in SYSTEMS if any(name in row for row in results.values())]


def _head(results: Results) -> list[str]:
    return ["derivative", *(SYSTEMS[name][0] for name in _systems(results))]


def as_text(results: Results) -> str:
    """The tables for a terminal."""
    tables = (calls(results), firsts(results), of_all(results), of_some(results))
    shown = ["\n".join(_aligned(table)) for table in tables]
    return "\n\n".join((*shown, "\n".join(("missed:", *missed(results)))))


def _aligned(table: Table) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        yield "  ".join(
            cell.ljust(width) for cell, width in zip(line, widths, strict=True)
        ).rstrip()


PAGE = """\
# Benchmarks

Written by `python benchmarks/gradients.py --markdown docs/benchmarks.md` in one run,
on {cores} cores ({machine}) with {versions};
BLAS has one thread.

A cell is the shortest time of a call while the systems took turns, and its ratio to the derivative
written by hand in Python or NumPy. `grad(f)` is what users call (or `jacrev`, `hessian`, `hvp`),
*its code* the function that it has become, and `xla(grad(f))` the same program on XLA. Every
derivative is checked against the one by hand before it is timed.

{calls}

Left out:

{left_out}

What they are:

- GMM and hand tracking are ADBench's, with data of its sizes drawn as it draws them (the model of
  the hand is drawn too, and not scanned).
- BA is ADBench's bundle adjustment with its own data: its sparse Jacobian, as the dense 2 × 15
  blocks of the observations, and the gradient of the sum of all squared errors.
- The pointwise matmul and the self-convolution are written by index: with `build` here, with
  `vmap` in JAX, and with broadcasting and a reversed slice elsewhere.

## From source to first result

The shortest of at most three fresh functions in a process that has imported and used its system:
differentiation, compilation, and one call. PyTensor keeps what it compiled on disk, so that its
first one counts, which begins with an empty disk and finds what earlier programs left there.

{firsts}

## Targets

On the NumPy backend a call takes at most 1.2 or 1.3 times the derivative by hand (and half a
microsecond), and never longer than autograd or PyTorch. On XLA it takes at most 1.1 times what
JAX takes, and less time to its first result. What scalars unrolled cost on XLA is reported.

{all}

{some}
"""


def as_markdown(results: Results) -> str:
    """A page of the documentation."""
    return PAGE.format(
        cores=os.cpu_count(),
        machine=platform.machine(),
        versions=_versions(),
        calls=_rows(calls(results)),
        left_out="\n".join(_left_out(results)) or "- nothing.",
        firsts=_rows(firsts(results)),
        all=_rows(of_all(results)),
        some=_rows(of_some(results)),
    )


def _left_out(results: Results) -> Iterator[str]:
    """Each reason, with the workloads."""
    why: dict[str, list[str]] = {}
    for name, row in results.items():
        for system, t in row.items():
            if isinstance(t, str):
                why.setdefault(f"{SYSTEMS[system][0]}: {t}", []).append(name)
    for reason, names in why.items():
        yield f"- {reason} ({'everywhere' if len(names) == len(results) else ', '.join(names)})."


def _versions() -> str:
    """Of Python and of the packages that are installed."""
    found = [f"Python {platform.python_version()}"]
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            found.append(f"{name} {version(name)}")
    return ", ".join(found)


def _rows(table: Table) -> str:
    head, *lines = (f"| {' | '.join(line)} |" for line in table)
    return "\n".join((head, "|" + "---|" * len(table[0]), *lines))
