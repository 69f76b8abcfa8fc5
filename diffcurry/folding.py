"""Constants folded while a program is simplified: only where the result is exact.

A program means something over every carrier, so ``1 + 1`` becomes 2, and ``1 / 3`` and ``sin 1``
stay as they are: their value is rounded by the carrier that runs the program.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from combinators.errors import DiffcurryError
from combinators.literal import Literal
from combinators.objects import Tensor
from combinators.terms import Const, Prim
from diffcurry.modes import CARRIER
from interpreters.carriers.carrier import Carrier
from interpreters.carriers.fractions import Fractions

FEW = 64
"""A result of no more numbers is computed."""

EXACT = Fractions()


def folded(node: Prim) -> Literal | None:
    """The value of a primitive of constants; None where it is large, or no float is that value."""
    cod = node.type
    if not isinstance(cod, Tensor) or cod.size > FEW:
        return None
    try:
        value, exact = _computed(node, CARRIER), _computed(node, EXACT)
    except (DiffcurryError, ArithmeticError, ValueError):
        return None
    found = np.asarray(value, dtype=cod.dtype)
    if not np.all(np.isfinite(found)):
        return None
    same = [a == b for a, b in zip(_numbers(found), _numbers(exact), strict=True)]
    return Literal(found) if all(same) else None


def _computed(node: Prim, over: Carrier) -> object:
    literals = [arg.literal for arg in node.args if isinstance(arg, Const)]
    with np.errstate(all="ignore"):
        compute = over.operation(node.operation, [arg.type for arg in node.args], node.type)
        result: object = compute(*map(over.const, literals))
        return result


def _numbers(value: object) -> list[Fraction]:
    return [Fraction(number) for number in np.ravel(np.asarray(value, dtype=object))]
