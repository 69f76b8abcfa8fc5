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

EXACT = Fractions()


def folded(node: Prim) -> Literal | None:
    """The value of a primitive of constants; None for an array, or where no float is that value.

    Arrays stay as they are: a program is as long for ten rows as for ten thousand.
    """
    cod = node.type
    if not isinstance(cod, Tensor) or cod.shape:
        return None
    try:
        value, exact = _computed(node, CARRIER), _computed(node, EXACT)
    except (DiffcurryError, ArithmeticError, ValueError):
        return None
    found = np.asarray(value, dtype=cod.dtype)
    if not np.all(np.isfinite(found)):
        return None
    return Literal(found) if Fraction(found.item()) == _number(exact) else None


def _computed(node: Prim, over: Carrier) -> object:
    literals = [arg.literal for arg in node.args if isinstance(arg, Const)]
    with np.errstate(all="ignore"):
        compute = over.operation(node.operation, [arg.type for arg in node.args], node.type)
        result: object = compute(*map(over.const, literals))
        return result


def _number(exact: object) -> Fraction:
    number = np.asarray(exact, dtype=object).item()
    return Fraction(int(number) if isinstance(number, bool | np.bool_) else number)
