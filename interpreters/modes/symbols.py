"""Values made of symbols: what a formula's parameters are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import sympy

from combinators.errors import DomainError, TypeMismatch
from combinators.kit.text import Names
from combinators.morphisms import Label
from combinators.objects import Fun, Object, Product, Record, Tangent, Tensor, Vector, components
from interpreters.execution.machine import Arrow, Machine, settled
from interpreters.execution.running import Closure, Code

MOST_SYMBOLS = 64
"""A larger tensor has elements ``x[i, j]`` instead of symbols ``x_0_1``."""

MOST_ELEMENTS = 20_000
"""The largest tensor that a formula's parameter may be."""


class Symbols:
    """Symbols named after parameters, in the structure of their types.

    >>> from combinators.objects import Real
    >>> Symbols(positive=True).of("p", Product(Real, Record(a=Tensor((2,)))))
    (p_0, (array([p_1_a_0, p_1_a_1], dtype=object),))
    """

    def __init__(self, taken: Iterable[str] = (), **assumptions: Any) -> None:
        """Floats are real, and what the ``assumptions`` of SymPy say besides.

        The names of all parameters are ``taken``: what stands for a component avoids them.
        """
        self.assumptions = {"real": True, **assumptions}
        self._names = Names(taken)

    def of(self, name: str, obj: Object) -> Any:
        """The value of type ``obj`` that is called ``name``."""
        return _Naming(self, name).value(name, obj)

    def named(self, word: str, whole: str) -> str:
        """``word``, a name in the parameter ``whole``, as no other symbol is called."""
        return word if word == whole else self._names.fresh(word)

    def make(self, kind: Any, name: str, dtype: str) -> Any:
        """A ``kind`` of symbol for numbers of type ``dtype``."""
        assumed = self.assumptions if dtype.startswith("float") else {"integer": True}
        try:
            return kind(name, **({} if dtype == "bool" else assumed))
        except (ValueError, TypeError) as error:
            raise TypeMismatch(
                f"SymPy makes no symbol {name} of these assumptions: {error}"
            ) from None


class _Naming(NamedTuple):
    """A parameter whose numbers are symbols, or undefined functions of the arguments ``before``."""

    symbols: Symbols
    parameter: str
    before: tuple[Any, ...] | None = None

    def value(self, name: str, obj: Object) -> Any:
        product = components(obj)
        if product is not None:
            words = obj.names if isinstance(obj, Record) else range(product.width)
            named = zip(words, product.parts, strict=True)
            return tuple(self.value(f"{name}_{word}", part) for word, part in named)
        match obj:
            case Vector(item, length):
                return tuple(self.value(f"{name}_{i}", item) for i in range(length))
            case Fun():
                return self.function(name, obj)
            case Tensor():
                return self.tensor(name, obj)
        if self.before is not None and obj is Tangent:
            return {Tangent: self.number(name, "float64")}
        raise TypeMismatch(
            f"{name} is {_called(obj)}, which no symbol can stand for; take the formula of a "
            "program whose parameters are numbers, functions and containers of them"
        )

    def number(self, word: str, dtype: str) -> Any:
        if self.before is not None:
            return self.symbols.make(sympy.Function, word, dtype)(*self.before)
        return self.symbols.make(sympy.Symbol, self.symbols.named(word, self.parameter), dtype)

    def tensor(self, name: str, obj: Tensor) -> Any:
        if obj.shape == ():
            return self.number(name, obj.dtype)
        if obj.size > MOST_ELEMENTS:
            raise DomainError(
                f"{name} has {obj.size} elements, and a formula has at most {MOST_ELEMENTS}; take "
                "that of a smaller instance"
            )
        if obj.size > MOST_SYMBOLS and self.before is not None:
            raise DomainError(
                f"the unknown function {name} gives a tensor of {obj.size} elements, and a formula "
                f"has a function for each of at most {MOST_SYMBOLS}; take that of a smaller "
                "instance"
            )
        array, base = np.empty(obj.shape, dtype=object), None
        if obj.size > MOST_SYMBOLS:
            whole = self.symbols.named(name, self.parameter)
            base = self.symbols.make(sympy.IndexedBase, whole, obj.dtype)
        for at in np.ndindex(obj.shape):
            word = "_".join(map(str, (name, *at)))
            array[at] = self.number(word, obj.dtype) if base is None else base[at]
        return array

    def function(self, name: str, function: Fun) -> Closure:
        """A function of which only the name is known; what it gives is ``name(…)``."""

        def apply(machine: Machine) -> None:
            argument = settled(machine.stack.pop()[-1], function.dom)
            before = (*(self.before or ()), *expressions_in(argument, name))
            machine.stack.append(self._replace(before=before).value(name, function.cod))

        arrow = Arrow(Product(function.dom), function.cod, (apply,))
        return Closure(Code(arrow, Product(), function, Label()), ())


def _called(obj: Object) -> str:
    return "a Tangent" if obj is Tangent else f"{obj!r}, one of several alternatives"


def expressions_in(value: Any, name: str) -> Iterator[Any]:
    """The expressions of a value, in order; ``name`` is the function that is given it."""
    match value:
        case tuple():
            for part in value:
                yield from expressions_in(part, name)
        case np.ndarray():
            yield from value.flat
        case sympy.Basic():
            yield value
        case _:
            raise TypeMismatch(
                f"the unknown function {name} is given a function, which no formula shows; give "
                f"the formula the function that {name} stands for"
            )
