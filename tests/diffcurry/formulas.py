"""The formula of a random program, and what its symbols are at a point."""

from typing import Any

import numpy as np
import sympy
from hypothesis import assume

from combinators.errors import DomainError
from combinators.terms import Lam
from diffcurry.formula import arguments, formula

DIGITS = 40


def formula_at(lam: Lam, args: Any) -> tuple[Any, dict[Any, Any]]:
    """The result with its symbols, and their numbers; a program of which none is shown is none."""
    try:
        definitions, result = formula(lam, definitions=True)
    except DomainError as error:
        assume("which alternative a value is" not in str(error))
        raise
    known: dict[Any, Any] = {}
    for symbols, numbers in zip(arguments(lam), args, strict=True):
        for symbol, number in zip(np.ravel(symbols), np.ravel(numbers), strict=True):
            known[symbol] = sympy.Float(str(number), DIGITS)
    for symbol, body in definitions:
        meant = body.xreplace(known)
        known[symbol] = sympy.N(meant, DIGITS) if isinstance(meant, sympy.Expr) else meant
    return result, known
