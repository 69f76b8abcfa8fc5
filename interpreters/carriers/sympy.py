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
from combinators.operation import Operation, named
from combinators.primitives.checks import CHECKS
from interpreters.carriers.carrier import Compute, computation, computes
from interpreters.carriers.numpy import NumPy
from interpreters.carriers.pointwise_values import Row, for_each_row
from interpreters.carriers.sympy_places import asked, put, taken
from interpreters.carriers.sympy_values import (
    BOOLEAN,
    INTEGER,
    VALUES,
    choose,
    converted,
    expressions,
    of_formula,
)

_WHERE = Operation(named("where"))


class SymPy:
    """The carrier of SymPy's expressions; what it computes is simplified only as SymPy builds it.

    >>> from combinators.objects import Real
    >>> x = sympy.Symbol("x", real=True)
    >>> SymPy().operation(Operation(named("sigmoid")), (Real,), Real)(x)
    1/(1 + exp(-x))
    """

    def const(self, literal: Literal) -> Any:
        """The literal: integers and short binary fractions exactly, other floats as they are."""
        array = literal.array
        if array.size > 1 and not any(array.strides):
            return np.broadcast_to(np.array(expressions(array.flat[0])), array.shape)
        return expressions(array)

    def operation(self, operation: Operation, types: Sequence[Object], cod: Object) -> Compute:
        """What computes it on expressions; on booleans it is their logic."""
        name = operation.name
        of_booleans = any(isinstance(obj, Tensor) and obj.dtype == "bool" for obj in types)
        if name == "convert":
            return converted(types, cod)
        if name == "take":
            return taken(**operation.keywords, cod=cod)
        if name in CHECKS:
            return asked(operation)
        if name == "where":
            return choose(cod)
        if of_booleans and name in BOOLEAN:
            return BOOLEAN[name]
        if name in INTEGER and isinstance(cod, Tensor) and not cod.is_smooth:
            return INTEGER[name]
        try:
            return computation(operation, self)
        except MissingRule:
            raise MissingRule(
                f"formulas have no {name}; register one with computes({name!r}, SymPy), or compute "
                "with numbers"
            ) from None

    def add(self, x: Any, y: Any) -> Any:
        """Elementwise."""
        return x + y

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
        return self.operation(_WHERE, (Tensor((), "bool"), obj, obj), obj)(test, x, y)

    def row(self, stack: Any, index: int) -> Any:
        """A view."""
        return stack[index]

    def stack(self, rows: Sequence[Any], obj: Tensor) -> Any:
        """A new array."""
        array = np.empty(obj.shape, dtype=object)
        for index, row in enumerate(rows):
            array[index] = row
        return array

    def lift(self, value: Any, obj: Tensor) -> Any:
        """A number, an expression, or an array of them."""
        return expressions(np.asarray(value, dtype=object))

    def lower(self, number: Any) -> Any:
        """An expression, or a copy of the array."""
        return NumPy().lower(number)


def _register(name: str, row: Row) -> None:
    if row.formula:
        compute = of_formula(row.formula)
        computes(name, SymPy)(lambda: compute)


for _name, _make in {**VALUES, "put": put}.items():
    computes(_name, SymPy)(_make)
for_each_row(_register)
