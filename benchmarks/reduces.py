"""Times ``reduce`` by an operator of one's own, and its gradient, beside ``np.prod``.

``python benchmarks/reduces.py [ROWS]`` prints a table. The shortest of many calls counts, and what
the first gradient takes, its program written and compiled, is said beside it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import diffcurry as dc
from verbs import shortest


def affine(f: Any, g: Any) -> Any:
    """First f, then g, of ``x ↦ a x + b``."""
    return f[0] * g[0], g[0] * f[1] + g[1]


def programs(rows: int) -> dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]:
    """Each operator, as a program of its rows, and the rows."""
    random = np.random.default_rng(0)
    small, near = random.uniform(0.0, 1.0 / rows, rows), random.uniform(0.9, 1.1, rows)
    matrices = random.uniform(0.0, 0.5, (rows, 2, 2))
    return {
        "prod": (lambda xs: dc.reduce(np.multiply, 1.0, xs), (near,)),
        "u + v + 0.3 u v": (
            lambda xs: dc.reduce(lambda u, v: u + v + 0.3 * u * v, 0.0, xs),
            (small,),
        ),
        "affine maps": (
            lambda a, b: np.sum(np.stack(dc.reduce(affine, (1.0, 0.0), (a, b)))),
            (near, small),
        ),
        "2×2 matrices": (
            lambda m: np.sum(dc.reduce(np.matmul, np.eye(2), m)),
            (matrices,),
        ),
    }


def main() -> None:
    """Print milliseconds, and how many times ``np.prod`` they are."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    print("| operator | value, ms | of prod's | gradient, ms | of prod's | first gradient, ms |")
    print("|---|---|---|---|---|---|")
    least: tuple[float, float] | None = None
    for name, (program, args) in programs(rows).items():
        function = dc.fun(program)
        gradient = dc.grad(function, argnums=tuple(range(len(args))))
        function(*args)
        begin = time.perf_counter()
        gradient(*args)
        first = time.perf_counter() - begin
        both = tuple(
            shortest(lambda run=run, args=args: run(*args)) for run in (function, gradient)
        )
        least = least or both
        numbers = [f"{1e3 * t:.3f} | {t / of:.1f}" for t, of in zip(both, least, strict=True)]
        print(f"| {name} | {numbers[0]} | {numbers[1]} | {1e3 * first:.0f} |")


if __name__ == "__main__":
    main()
