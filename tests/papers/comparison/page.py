"""``python -m tests.papers.comparison.page``: write docs/comparison.md, with every output."""

from __future__ import annotations

import code
import contextlib
import io
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs" / "comparison.md"
SYSTEMS = (
    "backpropagation",
    "BMP20",
    "BMP20, factored",
    "Krawiec and others",
    "CHAD",
    "reformulated calculus",
    "simple",
    "dependent",
    "delta",
)
INTRODUCTION = """# Six systems, side by side

What [Long compares](long.md), made for a program by `dc.compare` and `diffcurry compare`; our own
modes stand beside. A system that has no rule for a program says so. Operations are those on
numbers, the value's among them, before anything is simplified; a visit is a hyperedge marked, a
backpropagator called, one unfolded, a Delta term evaluated, a linear
function applied, a rule used
or, in our own modes (`simple`, `dependent`, `delta`), a line of the gradient's program.
`.diagrams()` are pictures of the terms that are of the language. This page is
written by `python -m tests.papers.comparison.page`, and run by the tests.
"""
DOUBLED = """def doubled(times):
    def f(x):
        for _ in range(times):
            x = x + x
        return x
    return f
"""
GROWN = """for system in grown[4]:
    visits = [grown[n][system].visits for n in grown]
    operations = [grown[n][system].operations for n in grown]
    print(f"{system:<19} visits {visits}, operations {operations}")
"""
TWICE = """def twice(x, y):
    scaled = dc.fun(lambda a: a * y, dc.Real)
    return scaled(x) + scaled(x * x)
"""
PROGRAMS = (
    (
        "The example of section 5.4",
        "`let y = x₁ - x₂ in y · y`: y is used twice, and so is its backpropagator.",
        [
            "import numpy as np",
            "import diffcurry as dc",
            "def square_of_difference(x1, x2):\n    y = x1 - x2\n    return y * y\n",
            "found = dc.compare(square_of_difference, 5.0, 2.0)",
            "print(found)",
        ],
    ),
    (
        "x + x, repeated",
        "Without factoring, linear negation calls a backpropagator once a path: 2ⁿ − 1 times.",
        [
            DOUBLED,
            "grown = {n: dc.compare(doubled(n), 1.0).rows for n in (4, 8, 12)}",
            GROWN,
        ],
    ),
    (
        "A closure used twice",
        "`scaled` captures y. Graphs and factoring unfold it; CHAD makes a copower of its calls.",
        [TWICE, "print(dc.compare(twice, 2.0, 3.0))"],
    ),
    (
        "A fold",
        "A graph unrolls it. Systems on terms write its rounds out.",
        [
            "product = lambda v, x: dc.fold(lambda c, row: c * row, x, v)",
            "print(dc.compare(product, np.array([2.0, 3.0, 4.0]), 1.0))",
        ],
    ),
)


def ran(console: code.InteractiveConsole, source: str) -> str:
    """A piece of source as it is typed, with what it prints."""
    first, *rest = source.rstrip("\n").split("\n")
    typed = "\n".join([f">>> {first}", *(f"... {line}".rstrip() for line in rest)])
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        console.runsource(source, symbol="single")
    shown = printed.getvalue().rstrip("\n").replace("\n\n", "\n<BLANKLINE>\n")
    return typed + ("\n" + shown if shown else "")


def page() -> str:
    """The whole page."""
    console = code.InteractiveConsole()
    parts = [INTRODUCTION]
    for title, about, sources in PROGRAMS:
        typed = "\n".join(ran(console, source) for source in sources)
        parts.append(f"## {title}\n\n{about}\n\n```python\n{typed}\n\n```\n")
        if title.startswith("The example"):
            for system in SYSTEMS:
                term = ran(console, f"print(found.term({system!r}))")
                parts.append(f"The term of `{system}`:\n\n```python\n{term}\n\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
