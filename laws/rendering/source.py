"""Objects, arrows and covectors as the Python that builds them from combinators.

>>> from combinators.objects import Product, Real
>>> source = Source()
>>> source.obj(Product(Real, Real))
'Product(Real, Real)'
>>> source.imports()
['from combinators.objects import Product, Real']
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from combinators.errors import TypeMismatch
from combinators.literal import Literal
from combinators.morphisms import (
    Choice,
    Compose,
    Constant,
    Curry,
    Eval,
    Extend,
    Id,
    Morphism,
    Primitive,
    Prod,
    Projection,
    Relabel,
)
from combinators.objects import (
    Bool,
    Fun,
    Int,
    Object,
    Product,
    Real,
    Record,
    Tangent,
    Tensor,
    Unit,
    Vector,
)
from combinators.operation import Operation

_NAMED = {Real: "Real", Int: "Int", Bool: "Bool", Unit: "Unit", Tangent: "Tangent"}
_MORPHISMS, _OBJECTS = "combinators.morphisms", "combinators.objects"


class Source:
    """Writes code, and remembers what it must import."""

    def __init__(self) -> None:
        self._wanted: defaultdict[str, set[str]] = defaultdict(set)

    def name(self, module: str, name: str) -> str:
        """A name that is imported."""
        self._wanted[module].add(name)
        return name

    def imports(self) -> list[str]:
        """The lines that import what was written so far."""
        return [
            f"from {module} import {', '.join(sorted(names))}"
            for module, names in sorted(self._wanted.items())
        ]

    def obj(self, obj: Object) -> str:
        """An object."""
        if obj in _NAMED:
            return self.name(_OBJECTS, _NAMED[obj])
        name = self.name(_OBJECTS, type(obj).__name__)
        match obj:
            case Tensor(shape, dtype):
                return f"{name}({shape})" if dtype == "float64" else f"{name}({shape}, {dtype!r})"
            case Product():
                return f"{name}({', '.join(map(self.obj, obj.parts))})"
            case Record(names, product):
                return f"{name}.of({names!r}, {self.obj(product)})"
            case Fun(dom, cod):
                return f"{name}({self.obj(dom)}, {self.obj(cod)})"
            case Vector(item, length):
                return f"{name}({self.obj(item)}, {length})"
            case _:
                raise TypeMismatch(f"{obj!r} is not written as code")

    def arrow(self, arrow: Morphism) -> str:
        """An arrow of the free category."""
        match arrow:
            case Compose(arrows):
                return " >> ".join(map(self._step, arrows))
            case Prod(source, arrows):
                parts = ", ".join([self.obj(source), *map(self.arrow, arrows)])
                return f"{self.name(_MORPHISMS, 'prod')}({parts})"
            case _:
                name = self.name(_MORPHISMS, type(arrow).__name__)
                return f"{name}({', '.join(self._made_of(arrow))})"

    def _step(self, arrow: Morphism) -> str:
        text = self.arrow(arrow)
        return f"({text})" if isinstance(arrow, Compose) else text

    def _made_of(self, arrow: Morphism) -> list[str]:
        match arrow:
            case Id(obj):
                return [self.obj(obj)]
            case Relabel(source, target):
                return [self.obj(source), self.obj(target)]
            case Projection(product, index):
                return [self.obj(product), repr(index)]
            case Extend(below) | Curry(below):
                return [self.arrow(below)]
            case Eval(function):
                return [self.obj(function)]
            case Constant(source, literal):
                return [self.obj(source), self.value(literal)]
            case Primitive(operation, kinds):
                return [self.operation(operation), self.value(kinds)]
            case Choice(then, other):
                return [self.arrow(then), self.arrow(other)]
            case _:
                raise TypeMismatch(f"{type(arrow).__name__} is not written as code")

    def operation(self, operation: Operation) -> str:
        """A primitive with its parameters."""
        module = "combinators.operation"
        found = f"{self.name(module, 'named')}({operation.name!r})"
        more = f", {self.value(operation.parameters)}" if operation.parameters else ""
        return f"{self.name(module, 'Operation')}({found}{more})"

    def value(self, value: Any) -> str:
        """A covector, or a parameter of a primitive."""
        match value:
            case Morphism():
                return self.arrow(value)
            case Object():
                return self.obj(value)
            case Operation():
                return self.operation(value)
            case Literal():
                return self._literal(value)
            case tuple():
                listed = ", ".join(map(self.value, value))
                return f"({listed},)" if len(value) == 1 else f"({listed})"
            case list():
                return f"[{', '.join(map(self.value, value))}]"
            case _:
                return repr(value)

    def _literal(self, literal: Literal) -> str:
        name = self.name("combinators.literal", "Literal")
        dtype = literal.type.dtype
        as_read = np.array(literal.array.tolist())
        if as_read.shape != literal.type.shape:  # it is empty, and a list does not say how
            numbers = f"{self.name('numpy', 'zeros')}({literal.type.shape})"
        else:
            numbers = _numbers(literal.array.tolist())
        return f"{name}({numbers})" if as_read.dtype == dtype else f"{name}({numbers}, {dtype!r})"


def _numbers(value: Any) -> str:
    """Numbers and lists of them; infinities and nans as Python reads them."""
    if isinstance(value, list):
        return f"[{', '.join(map(_numbers, value))}]"
    if isinstance(value, float) and not np.isfinite(value):
        return f'float("{value}")'
    return repr(value)
