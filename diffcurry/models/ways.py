"""Our own other ways to make an arrow of a program.

Staging, bulk operations, emitted Python, and formulas of SymPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from combinators.bulk import bulk
from combinators.morphisms import Morphism, interpret
from combinators.objects import Object, Tensor, components
from combinators.terms import Lam
from combinators.translate import translate
from diffcurry.border import SCALARS
from diffcurry.models.host import Hosted
from interpreters.backends.python import compile_program
from interpreters.carriers.carrier import Carrier
from interpreters.carriers.numpy import NumPy
from interpreters.modes.primal import Primal
from interpreters.staging.programs import value
from laws.writing import term_of

Way = Callable[[Morphism], Hosted]


def python(program: Morphism) -> Hosted:
    """The program as Python that stands alone; of first-order programs."""
    function = compile_program(term_of(program)).function

    def at(point: Any) -> Any:
        with np.errstate(all="ignore"):
            return _numbers(function(_pythonic(point, program.dom)), program.cod)

    return Hosted(program.dom, program.cod, at)


def _pythonic(value: Any, obj: Object) -> Any:
    """A value as emitted code takes it."""
    product = components(obj)
    if product is not None:
        return tuple(map(_pythonic, value, product.parts))
    return SCALARS[obj][0](value) if obj in SCALARS else value


def _numbers(value: Any, obj: Object) -> Any:
    """What emitted code gives as a value of NumPy's carrier."""
    product = components(obj)
    if product is not None:
        return tuple(map(_numbers, value, product.parts))
    return SCALARS[obj][1](value) if obj in SCALARS else value


def formula_over(carrier: Carrier) -> Way:
    """The program as a formula, at a point by putting its numbers for the symbols."""

    def way(program: Morphism) -> Hosted:
        from diffcurry.formula import formula
        from interpreters.modes.symbols import Symbols, expressions_in

        lam = term_of(program)
        (param,) = lam.params
        symbols = list(
            expressions_in(Symbols([param.name]).of(param.name, param.type), "of an argument")
        )
        leaves = list(_expressions(formula(lam, definitions=False)))

        def at(point: Any) -> Any:
            numbers = map(_rational, _leaves(carrier, point, program.dom))
            given = dict(zip(symbols, numbers, strict=True))
            found = iter([_number(leaf.xreplace(given)) for leaf in leaves])
            return _value(carrier, found, program.cod)

        return Hosted(program.dom, program.cod, at)

    return way


def _leaves(carrier: Carrier, value: Any, obj: Object) -> Iterator[Any]:
    product = components(obj)
    if product is not None:
        for part, below in zip(value, product.parts, strict=True):
            yield from _leaves(carrier, part, below)
    else:
        yield from np.ravel(carrier.lower(value))


def _expressions(shown: Any) -> Iterator[Any]:
    """The numbers of a formula, in order: of arrays and tuples their elements."""
    if isinstance(shown, tuple | dict):
        for part in shown.values() if isinstance(shown, dict) else shown:
            yield from _expressions(part)
    elif hasattr(shown, "shape"):
        yield from shown.flat() if callable(getattr(shown, "flat", None)) else shown
    else:
        yield shown


def _rational(number: Any) -> Any:
    import sympy

    return sympy.Rational(number.item() if isinstance(number, np.generic) else number)


def _number(expression: Any) -> Any:
    """An expression without symbols as a number of Python."""
    value = expression.doit()
    if value.is_Rational:
        return Fraction(int(value.p), int(value.q))
    return float(value)


def _value(carrier: Carrier, found: Iterator[Any], obj: Object) -> Any:
    product = components(obj)
    if product is not None:
        return tuple(_value(carrier, found, part) for part in product.parts)
    assert isinstance(obj, Tensor)
    array = np.empty(obj.shape, dtype=object)
    for index in np.ndindex(obj.shape):
        array[index] = next(found)
    return carrier.lift(array, obj)


def rewritten_over(carrier: Carrier, rewrite: Callable[[Lam], Lam]) -> Way:
    """What ``rewrite`` makes of the program, interpreted."""
    mode = Primal(carrier)

    def way(program: Morphism) -> Hosted:
        lam = rewrite(term_of(program))
        arrow = interpret(translate(lam.params, lam.body), mode)
        return Hosted(program.dom, program.cod, lambda point: mode.value(arrow, (point,)))

    return way


def ways_of(carrier: Carrier) -> dict[str, Way]:
    """The ways that give values of this carrier, by name."""
    ways = {
        "sympy": formula_over(carrier),
        "staged": rewritten_over(carrier, value),
        "bulk": rewritten_over(carrier, bulk),
    }
    return {**ways, "python": python} if isinstance(carrier, NumPy) else ways
