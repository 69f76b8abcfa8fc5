"""Formulas: numbers are expressions of SymPy.

A number is an expression or a proposition, a tensor of any other shape an object array of them;
integers and booleans are expressions too. A primitive is the textbook's formula of it, and not the
arithmetic that keeps a float's digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy
from sympy import S

from combinators.errors import ConcreteValueNeeded, MissingRule
from combinators.literal import Literal
from combinators.objects import Object, Tensor
from combinators.operation import Operation
from combinators.primitives.checks import CHECKS
from interpreters.carriers.carrier import Compute, computation, computes
from interpreters.carriers.numpy import Arrays, as_array, borrowed, elementwise
from interpreters.carriers.numpy_values import Make, recurrence
from interpreters.carriers.pointwise_values import ROWS, Row, for_each_row
from interpreters.carriers.sympy_places import asked, expressions, put, taken


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


def of_formula(formula: str) -> Compute:
    """What computes a formula of ``x``, ``y`` and ``z``, in SymPy's names, element by element."""
    return elementwise(eval(f"lambda x, y=None, z=None: {formula}", vars(sympy)))  # noqa: S307 (ours)


_scaled = of_formula(ROWS["scale"].formula)
BOOLEAN = {
    "equal": elementwise(sympy.Equivalent),
    "not_equal": elementwise(sympy.Xor),
    "less": elementwise(lambda p, q: sympy.And(sympy.Not(p), q)),
    "less_equal": elementwise(sympy.Implies),
    "greater": elementwise(lambda p, q: sympy.And(p, sympy.Not(q))),
    "greater_equal": elementwise(lambda p, q: sympy.Implies(q, p)),
    "maximum": elementwise(sympy.Or),
    "minimum": elementwise(sympy.And),
}
"""What comparisons are between booleans."""


def chosen(p: Any, x: Any, y: Any) -> Any:
    """A choice by ``p``; a choice by ``p`` inside of it is made already."""
    if x == y:
        return x
    if p in (S.true, S.false):
        return x if p else y
    return sympy.Piecewise((_given(x, p, S.true), p), (_given(y, p, S.false), True))


def _given(x: Any, p: Any, truth: Any) -> Any:
    return x.xreplace({p: truth}) if x.has(sympy.Piecewise) else x


_numbers_where, _booleans_where = elementwise(chosen), elementwise(sympy.ITE)


def where(dtype: str) -> Compute:
    """A ``Piecewise``, of propositions an ``ITE``."""
    return _booleans_where if dtype == "bool" else _numbers_where


_of_boolean = elementwise(lambda p: sympy.Piecewise((S.One, p), (S.Zero, True)))
_to_boolean = elementwise(lambda x: sympy.Ne(x, 0))
_to_integer = of_formula(ROWS["trunc"].formula)


def converted(types: Sequence[Object], after: str) -> Compute:
    """``convert``: floats of any width hold any expression."""
    before = types[0].dtype if isinstance(types[0], Tensor) else ""
    if "bool" in (before, after):
        return _same if before == after else _of_boolean if before == "bool" else _to_boolean
    truncates = before.startswith("float") and not after.startswith("float")
    return _to_integer if truncates else _same


def _same(x: Any) -> Any:
    return x


def _reduction(function: Callable[..., Any]) -> Make:
    """``function`` of all the elements along ``axis`` at once."""

    def make(axis: tuple[int, ...], keepdims: bool) -> Compute:
        def compute(given: Any) -> Any:
            x = as_array(given)
            rest = [i for i in range(x.ndim) if i not in axis]
            extents = [math.prod(x.shape[i] for i in among) for among in (rest, axis)]
            rows = np.transpose(x, (*rest, *axis)).reshape(extents)
            reduced = np.empty(len(rows), dtype=object)
            for index, row in enumerate(rows):
                reduced[index] = function(*row)
            shape = [1 if i in axis else n for i, n in enumerate(x.shape)]
            return reduced.reshape(shape if keepdims else [x.shape[i] for i in rest])[()]

        return compute

    return make


def _first(leads: Callable[..., Any]) -> Make:
    """Where the first element is that leads all others."""

    def position(*xs: Any) -> Any:
        leading = [sympy.And(*(leads(x, y) for y in xs)) for x in xs]
        return sympy.Piecewise(*enumerate(leading[:-1]), (len(xs) - 1, True))

    return _reduction(position)


def _matmul(x: Any, y: Any) -> Any:
    if x.shape[-1]:
        return np.matmul(x, y)
    left, right = x.shape[:-1], y.shape[-1:] if y.ndim > 1 else ()
    stack = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    return expressions(np.zeros((*stack, *left[-1:], *right), dtype=int))


def _absorbing_matmul(x: Any, y: Any) -> Any:
    products = _scaled(x[..., :, :, None], y[..., None, :, :])
    return expressions(np.sum(products, axis=-2))


_BORROWED = "broadcast_to reshape transpose slice embed concatenate cumsum exclusive_cumprod"
VALUES: dict[str, Make] = {
    "stop_gradient": lambda: _same,
    "sum": _reduction(sympy.Add),
    "prod": _reduction(sympy.Mul),
    "max": _reduction(sympy.Max),
    "min": _reduction(sympy.Min),
    "argmax": _first(sympy.Ge),
    "argmin": _first(sympy.Le),
    "logsumexp": _reduction(lambda *xs: sympy.log(sympy.Add(*map(sympy.exp, xs)))),
    "iota": lambda length: lambda: expressions(np.arange(length)),
    "recurrence": lambda axis, reverse: (
        lambda a, b: expressions(recurrence(axis, reverse, _scaled)(a, b))
    ),
    "matmul": lambda absorbing=False: _absorbing_matmul if absorbing else _matmul,
    **{name: borrowed(name, expressions) for name in _BORROWED.split()},
}
"""What makes the computation of those that are not pointwise, and go by their types alone."""


def _total(divide: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A division of integers, which by zero gives 0."""

    def divided(x: Any, y: Any) -> Any:
        if y.is_zero:
            return S.Zero
        z = divide(x, y)
        return z if y.is_zero is False else sympy.Piecewise((z, sympy.Ne(y, 0)), (S.Zero, True))

    return divided


def _power(x: Any, y: Any) -> Any:
    """A power of an integer; of a negative one the integer part."""
    is_whole = sympy.Or(y >= 0, sympy.Eq(sympy.Abs(x), 1))
    return sympy.Piecewise((x**y, is_whole), (S.Zero, True))


INTEGER = {
    "floor_divide": elementwise(_total(lambda x, y: sympy.floor(x / y))),
    "remainder": elementwise(_total(sympy.Mod)),
    "power": elementwise(_power),
}
"""What is otherwise between integers."""


def _register(name: str, row: Row) -> None:
    if row.formula:
        compute = of_formula(row.formula)
        computes(name, SymPy)(lambda: compute)


for _name, _make in {**VALUES, "put": put}.items():
    computes(_name, SymPy)(_make)
for_each_row(_register)
