"""What ``--emit`` writes: one program, in one language."""

from __future__ import annotations

from collections.abc import Callable

from diffcurry.explain import code
from diffcurry.formula import formula_latex
from diffcurry.program import Program

EMITTERS: dict[str, Callable[[Program], str]] = {
    "combinators": lambda program: str(program.combinators),
    "latex": lambda program: formula_latex(program.lam, program.face),
    "numpy": code,  # one module: Python's numbers, NumPy's arrays
    "python": code,
    "term": str,
}
"""From the name of a language to what writes a program in it."""
