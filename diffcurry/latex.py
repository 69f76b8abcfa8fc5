"""Formulas in LaTeX, as notebooks show functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy

from combinators.errors import DiffcurryError
from combinators.terms import Lam
from diffcurry.formula import formula
from diffcurry.program import Program

MOST_LINES, MOST_CHARACTERS = 24, 3000
"""How many definitions are listed, and how long one line may grow."""

MOST_OPERATIONS = 1_000
"""A formula that takes longer to write is not shown: a notebook should not wait for it."""


def latex(lam: Lam, name: str = "") -> str | None:
    r"""``f(x, y) = …`` between dollars, the definitions of a large formula below it.

    None where there is no formula, or one that is huge; a line that is too long, and lines that are
    too many, are cut.

    >>> from combinators.objects import Real
    >>> from diffcurry.function import fun
    >>> def f(x, y):
    ...     return x * y + x**2
    >>> latex(fun(f, Real, Real).program().lam, "f")
    '$\\displaystyle f(x, y) = x^{2} + x y$'
    """
    try:
        definitions, result = formula(lam, definitions=True, most_operations=MOST_OPERATIONS)
    except (DiffcurryError, RecursionError):
        return None
    params = ", ".join(sympy.latex(sympy.Symbol(param.name)) for param in lam.params)
    head = f"{_function_name(name or lam.name)}({params})"
    if not definitions:
        return f"$\\displaystyle {head} = {_cut(_of(result))}$"
    listed = [
        f"{sympy.latex(symbol)} &= {_cut(_of(body))}" for symbol, body in definitions[:MOST_LINES]
    ]
    more = ["&\\;\\;\\vdots"] if len(definitions) > MOST_LINES else []
    lines = [f"{head} &= {_cut(_of(result))}", *listed, *more]
    return "$\\displaystyle \\begin{aligned}" + " \\\\ ".join(lines) + "\\end{aligned}$"


def formula_latex(program: Program) -> str:
    """The whole formula of a program as it stands, a line a definition, the result last.

    It raises ``DomainError`` where there is none.
    """
    definitions, result = formula(program.lam, program.face, definitions=True)
    lines = [f"{sympy.latex(symbol)} = {_of(meaning)}" for symbol, meaning in definitions]
    return " \\\\\n".join([*lines, _of(result)])


def _function_name(name: str) -> str:
    plain = name if name.isidentifier() else "f"
    escaped = plain.replace("_", "\\_")
    return escaped if len(plain) == 1 else f"\\operatorname{{{escaped}}}"


def _of(value: Any) -> str:
    """A value in SymPy's and Python's containers."""
    if isinstance(value, Mapping):
        fields = (f"\\text{{{_text(key)}}}: {_of(part)}" for key, part in value.items())
        return f"\\left\\{{{', '.join(fields)}\\right\\}}"
    if isinstance(value, (tuple, list)):
        return f"\\left({', '.join(map(_of, value))}\\right)"
    return "()" if value is None else sympy.latex(value)


def _text(key: Any) -> str:
    return "".join(f"\\{letter}" if letter in "_#$%&{}" else letter for letter in str(key))


def _cut(line: str) -> str:
    return line if len(line) <= MOST_CHARACTERS else "\\ldots"
