"""Sequences: what stacks along a leading axis, and what its rows are.

A stack of numbers or tensors is a tensor, a stack of products is a product of stacks, and a stack
of functions, which no tensor can hold, is a ``Vector``.
"""

from __future__ import annotations

from combinators.errors import ShapeMismatch, TypeMismatch
from combinators.objects import Object, Product, Record, Tensor, Vector, components
from combinators.type_folds import map_type


def stack_of(item: Object, length: int) -> Object:
    """The type of ``length`` values of type ``item`` along a new leading axis."""

    def at(obj: Object) -> Object | None:
        if isinstance(obj, Tensor):
            return Tensor((length, *obj.shape), obj.dtype)
        return Vector(obj, length) if components(obj) is None else None

    return map_type(item, f"stack_{length}", at)


def row_of(stack: Object, what: str = "a loop") -> Object:
    """The type of a row of a tensor, of a vector, or of a tuple or record of them.

    ``what`` runs over them, in the ``TypeMismatch`` that says that there are no rows.
    """

    def at(obj: Object) -> Object | None:
        match obj:
            case Tensor((_, *rest), dtype):
                return Tensor(tuple(rest), dtype)
            case Vector(item, _):
                return item
            case Product() | Record():
                return None
            case _:
                raise TypeMismatch(
                    f"{what} runs over the leading axis of tensors, and {obj!r} has none; "
                    f"to go round a number of times, let {what} run over np.arange(n)"
                )

    return map_type(stack, "row_", at)


def length_of(stack: Object, what: str = "a loop") -> int:
    """How many rows there are: as many in each part, or there is a ``ShapeMismatch``."""
    lengths = _lengths(stack, what)
    if len(lengths) != 1:
        raise ShapeMismatch(
            f"{what} runs over {stack!r}, whose parts have {sorted(lengths) or 'no'} rows; "
            "they need one common leading extent"
        )
    return lengths.pop()


def _lengths(stack: Object, what: str) -> set[int]:
    found: set[int] = set()
    todo, seen = [stack], {stack}
    while todo:
        part = todo.pop()
        match part:
            case Tensor((length, *_), _) | Vector(_, length):
                found.add(length)
            case Product() | Record():
                new = set(components(part) or ()) - seen
                seen |= new
                todo += new
            case _:
                row_of(part, what)
    return found
