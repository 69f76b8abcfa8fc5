"""Arrows of a model's own: primitives, from whole objects, whose parameters say which arrow."""

from __future__ import annotations

from typing import Any

from combinators.morphisms import Morphism, Primitive, Projection
from combinators.objects import Object, Product
from combinators.operation import CONSTANT, PRIMITIVES, Operation, declare


def own(name: str, dom: Object, cod: Object, **parameters: Any) -> Morphism:
    """The arrow ``name[…] : dom → cod``; the primitive is declared by being asked for.

    A model's category gives its meaning: ``primitive(operation, dom, cod)`` finds the parameters,
    which have to be hashable, in ``operation.keywords``.

    >>> from combinators.objects import Real
    >>> own("matrix", Product(Real, Real), Real, rows=((1, 2),))
    matrix[rows=((1, 2),), cod=Real]
    """
    if name not in PRIMITIVES:
        declare(name, lambda *_, cod, **__: cod, CONSTANT)
    operation = Operation(PRIMITIVES[name], (*parameters.items(), ("cod", cod)))
    if not isinstance(dom, Product):
        return Primitive(operation, (dom,))
    if dom.width != 1 or isinstance(dom.parts[0], Product):
        return Primitive(operation, dom.parts)
    return Projection(dom, 0) >> Primitive(operation, dom.parts)
