"""Sequences: what stacks along a leading axis, and what its rows are.

A stack of numbers or tensors is a tensor, a stack of products is a product of stacks, and a stack
of functions, which no tensor can hold, is a ``Vector``.
"""

from __future__ import annotations

from combinators.errors import ShapeMismatch, TypeMismatch
from combinators.objects import Object, Product, Record, Tensor, Vector, components


def stack_of(item: Object, length: int) -> Object:
    """The type of ``length`` values of type ``item`` along a new leading axis."""
    product = components(item)
    if isinstance(item, Tensor):
        return Tensor((length, *item.shape), item.dtype)
    if product is None:
        return Vector(item, length)
    stacked = Product(*(stack_of(part, length) for part in product.parts))
    return Record.of(item.names, stacked) if isinstance(item, Record) else stacked


def row_of(stack: Object) -> Object:
    """The type of a row of a tensor, of a vector, or of a tuple or record of them."""
    match stack:
        case Tensor((_, *rest), dtype):
            return Tensor(tuple(rest), dtype)
        case Vector(item, _):
            return item
        case Record(names, product):
            return Record.of(names, Product(*(row_of(part) for part in product.parts)))
        case Product():
            return Product(*(row_of(part) for part in stack.parts))
        case _:
            raise TypeMismatch(
                f"a loop runs over the leading axis of tensors, and {stack!r} has none; "
                "to loop a number of times, loop over np.arange(n)"
            )


def length_of(stack: Object) -> int:
    """How many rows there are: as many in each part."""
    lengths = _lengths(stack)
    if len(lengths) != 1:
        raise ShapeMismatch(
            f"a loop runs over {stack!r}, whose parts have {sorted(lengths) or 'no'} rows; "
            "they need one common leading extent"
        )
    return lengths.pop()


def _lengths(stack: Object) -> set[int]:
    match stack:
        case Tensor((length, *_), _):
            return {length}
        case Vector(_, length):
            return {length}
        case Product() | Record():
            found: set[int] = set()
            for part in components(stack) or ():
                found |= _lengths(part)
            return found
        case _:
            row_of(stack)
            return set()
