"""Constants folded while a program is simplified: only where the result is exact.

A program means something over every carrier, so ``1 + 1`` becomes 2, and ``1 / 3`` and ``sin 1``
stay as they are: their value is rounded by the carrier that runs the program.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from combinators.errors import DiffcurryError
from combinators.literal import Literal
from combinators.objects import Tensor
from combinators.terms import Const, Prim
from diffcurry.modes import CARRIER
from interpreters.carriers.carrier import Carrier
from interpreters.carriers.fractions import Fractions

EXACT = Fractions()
WRITTEN = 1024
"""Arrays of more elements are left: each that is folded is written into the program."""


def folded(node: Prim) -> Literal | None:
    """The value of a primitive of constants; None for an array, or where no float is that value.

    Arrays stay as they are: a program is as long for ten rows as for ten thousand.
    """
    return None if isinstance(node.type, Tensor) and node.type.shape else _folded(node)


def folded_when_compiled(node: Prim) -> Literal | None:
    """The same, also of an array where one of the constants is as large, and no single number."""
    cod = node.type
    whole = isinstance(cod, Tensor) and cod.shape and not _is_written(node, cod)
    return None if whole else _folded(node)


def _folded(node: Prim) -> Literal | None:
    cod = node.type
    if not isinstance(cod, Tensor):
        return None
    try:
        value, exact = _computed(node, CARRIER), _computed(node, EXACT)
    except (DiffcurryError, ArithmeticError, ValueError):
        return None
    found = np.asarray(value, dtype=cod.dtype)
    if not np.all(np.isfinite(found)):
        return None
    numbers = zip(found.flat, np.asarray(exact, dtype=object).flat, strict=True)
    same = all(Fraction(number.item()) == _number(other) for number, other in numbers)
    return Literal(found) if same else None


def _is_written(node: Prim, cod: Tensor) -> bool:
    literals = [arg.literal for arg in node.args if isinstance(arg, Const)]
    if max(literal.type.size for literal in literals) > WRITTEN:
        return False
    return any(literal.type.size >= cod.size and any(literal.array.strides) for literal in literals)


def _computed(node: Prim, over: Carrier) -> object:
    literals = [arg.literal for arg in node.args if isinstance(arg, Const)]
    with np.errstate(all="ignore"):
        compute = over.operation(node.operation, [arg.type for arg in node.args], node.type)
        result: object = compute(*map(over.const, literals))
        return result


def _number(exact: Any) -> Fraction:
    return Fraction(int(exact) if isinstance(exact, bool | np.bool_) else exact)
