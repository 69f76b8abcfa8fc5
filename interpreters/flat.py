"""Values laid flat: the leaves of a type, those of its values from the left, and back again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Object, Vector, components

Opened = Callable[[Object], Iterable[Object] | None]
"""The types of the components of an object; None for a leaf."""


def parts_of(obj: Object) -> Sequence[Object] | None:
    """The types of the components of a product, a record or a vector; None for a leaf."""
    product = components(obj)
    if product is not None:
        return product.parts
    return (obj.item,) * obj.length if isinstance(obj, Vector) else None


class Layout:
    """How the values of one type lie flat; of tangents, None stands for a whole that is zero.

    >>> from combinators.objects import Int, Product, Real
    >>> layout = Layout(Product(Real, Product(Int, Real)))
    >>> layout.leaves, layout.flat((1.0, None))
    ((Real, Int, Real), [1.0, None, None])
    >>> layout.nested([1.0, 2, 3.0])
    (1.0, (2, 3.0))
    """

    def __init__(self, obj: Object, opened: Opened = components) -> None:
        """Of ``obj``, of which products and records are opened, or what ``opened`` opens."""
        self._obj, self._opened = obj, opened
        self.leaves = tuple(leaf for leaf, _ in self._walk(None))

    def flat(self, value: Any) -> list[Any]:
        """The leaves of ``value``."""
        return [part for _, part in self._walk(value)]

    def nested(self, leaves: Iterable[Any]) -> Any:
        """The value with these leaves."""
        return recurse(self._nested(self._obj, iter(leaves)))

    def _walk(self, value: Any) -> Iterator[tuple[Object, Any]]:
        todo = [(self._obj, value)]
        while todo:
            obj, part = todo.pop()
            inside = self._opened(obj)
            if inside is None:
                yield obj, part
            else:
                types = tuple(inside)
                parts = (None,) * len(types) if part is None else part
                todo.extend(reversed(list(zip(types, parts, strict=True))))

    def _nested(self, obj: Object, leaves: Iterator[Any]) -> Recursive[Any]:
        inside = self._opened(obj)
        if inside is None:
            return next(leaves)
        parts = []
        for part in inside:
            parts.append((yield self._nested(part, leaves)))
        return tuple(parts)
