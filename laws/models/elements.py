"""Points of a category that has no constants: values put together from numbers and arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from combinators.literal import Literal
from combinators.morphisms import Morphism, interpret
from combinators.objects import Object

Function = Callable[[Any], Any]
Element = Callable[[Object, Literal], Any]
"""From an object and one of its literals to a point."""


def needs_no_constants(model: Any) -> bool:
    """Whether points of ``model`` are no arrows: it has its own ``element``, or no ``const``."""
    return hasattr(model, "element") or not hasattr(model.category, "const")


def element_of(model: Any, element: Morphism) -> Any:
    """A global element of the free category as a point of such a model."""
    category: Any = Elements(getattr(model, "element", None))
    return interpret(element, category)(())


class Elements:
    """Global elements as functions of ``()``; what a literal is the model says, or NumPy.

    >>> from combinators.morphisms import Constant, interpret, prod
    >>> from combinators.objects import Unit
    >>> pair = prod(Unit, Constant(Unit, Literal(1.0)), Constant(Unit, Literal([2, 3])))
    >>> interpret(pair, Elements(None))(())
    (np.float64(1.0), array([2, 3]))
    """

    def __init__(self, element: Element | None) -> None:
        """``element``, where the model has one of its own."""
        self._element = element or _plain

    def identity(self, dom: Object) -> Function:
        """The same."""
        return lambda point: point

    def compose(self, arrows: Sequence[Function]) -> Function:
        """One after the other."""
        return lambda point: reduce(lambda value, arrow: arrow(value), arrows, point)

    def prod(self, dom: Object, arrows: Sequence[Function]) -> Function:
        """A tuple."""
        return lambda point: tuple(arrow(point) for arrow in arrows)

    def proj(self, dom: Object, index: int, cod: Object) -> Function:
        """A component."""
        return lambda point: point[index]

    def const(self, dom: Object, value: Literal) -> Function:
        """A point of a tensor."""
        made = self._element(value.type, value)
        return lambda _: made


def _plain(obj: Object, literal: Literal) -> Any:
    return literal.array[()]
