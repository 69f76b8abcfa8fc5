"""Formulas: numbers are expressions of SymPy.

A number is an expression or a proposition, a tensor of any other shape an object array of them;
integers and booleans are expressions too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy

from combinators.errors import ConcreteValueNeeded, MissingRule
from combinators.literal import Literal
from combinators.objects import Object, Tensor
from combinators.operation import Operation
from combinators.primitives.checks import CHECKS
from interpreters.carriers.carrier import Compute, computation, computes
from interpreters.carriers.numpy import Arrays
from interpreters.carriers.pointwise_values import Row, for_each_row
from interpreters.carriers.sympy_places import asked, put, taken
from interpreters.carriers.sympy_values import (
    BOOLEAN,
    INTEGER,
    VALUES,
    converted,
    expressions,
    of_formula,
    where,
)


class SymPy(Arrays):
    """The carrier of SymPy's expressions; what it computes is simplified only as SymPy builds it.

    >>> from combinators.objects import Real
    >>> from combinators.operation import named
    >>> x = sympy.Symbol("x", real=True)
    >>> SymPy().operation(Operation(named("sigmoid")), (Real,), Real)(x)
    1/(1 + exp(-x))
    """

    def element_type(self, obj: Tensor) -> Any:
        """Objects, whatever they stand for."""
        return object

    def const(self, literal: Literal) -> Any:
        """The literal: integers and short binary fractions exactly, other floats as they are."""
        array = literal.array
        if array.size > 1 and not any(array.strides):
            return np.broadcast_to(np.array(expressions(array.flat[0])), array.shape)
        return expressions(array)

    def operation(self, operation: Operation, types: Sequence[Object], cod: Object) -> Compute:
        """What computes it on expressions; on booleans it is their logic."""
        name, dtype = operation.name, cod.dtype if isinstance(cod, Tensor) else ""
        if name == "convert":
            return converted(types, dtype)
        if name == "take":
            return taken(**operation.keywords, dtype=dtype)
        if name == "where":
            return where(dtype)
        if name in CHECKS:
            return asked(operation)
        if name in BOOLEAN and any(isinstance(o, Tensor) and o.dtype == "bool" for o in types):
            return BOOLEAN[name]
        if name in INTEGER and not dtype.startswith("float"):
            return INTEGER[name]
        try:
            return computation(operation, self)
        except MissingRule:
            raise MissingRule(
                f"formulas have no {name}; register one with computes({name!r}, SymPy), or compute "
                "with numbers"
            ) from None

    def truth(self, number: Any) -> bool:
        """That of ``true`` and ``false``; a proposition about symbols is neither."""
        if number in (sympy.true, sympy.false):
            return bool(number)
        raise ConcreteValueNeeded(
            f"a conditional tests {number}, which symbols leave open; the mode Formula writes such "
            "a conditional as a Piecewise, and every other mode needs numbers"
        )

    def choose(self, test: Any, x: Any, y: Any, obj: Tensor) -> Any:
        """``x`` where ``test`` holds, else ``y``."""
        return where(obj.dtype)(test, x, y)

    def lift(self, value: Any, obj: Tensor) -> Any:
        """A number, an expression, or an array of them."""
        return expressions(np.asarray(value, dtype=object))


def _register(name: str, row: Row) -> None:
    if row.formula:
        compute = of_formula(row.formula)
        computes(name, SymPy)(lambda: compute)


for _name, _make in {**VALUES, "put": put}.items():
    computes(_name, SymPy)(_make)
for_each_row(_register)
