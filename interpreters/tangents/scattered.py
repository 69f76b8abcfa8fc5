"""The cotangent of a tensor of which elements were taken, each to be put in its place later.

An indexing that allocated the whole array for its cotangent would make a loop over ``a[i]``
quadratic. So the transpose of a ``Selection`` is left undone: parts are collected, and put into one
array when somebody needs the numbers (law K4).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from combinators.literal import Literal
from combinators.objects import Object, Tensor
from combinators.operation import Operation

Add = Callable[[Any, Any], Any]


class Part(NamedTuple):
    """A transpose that is not done yet: ``embed`` or ``put`` of the first argument."""

    operation: Operation
    types: tuple[Object, ...]
    args: tuple[Any, ...]


class Scattered:
    """The sum of ``parts`` in their places, and of the dense ``rest`` where there is one."""

    __slots__ = ("obj", "parts", "rest")

    def __init__(self, obj: Tensor, parts: list[Part], rest: Any = None) -> None:
        """A cotangent of type ``obj``."""
        self.obj, self.parts, self.rest = obj, parts, rest

    def copy(self) -> Scattered:
        """One that may be consumed."""
        return Scattered(self.obj, list(self.parts), self.rest)


def joined(a: Any, b: Any, add: Add) -> Any:
    """The sum of two cotangents of a tensor, one of them scattered at least; may reuse both."""
    if type(a) is not Scattered:
        a, b = b, a
    if type(b) is not Scattered:
        a.rest = b if a.rest is None else add(a.rest, b)
        return a
    if len(a.parts) < len(b.parts):
        a, b = b, a
    a.parts.extend(b.parts)
    if b.rest is not None:
        a.rest = b.rest if a.rest is None else add(a.rest, b.rest)
    return a


def gathered(cotangent: Any, over: Any) -> Any:
    """The numbers of a tensor's cotangent, in a carrier."""
    if type(cotangent) is not Scattered:
        return cotangent
    scatter = getattr(over, "scatter", None)
    if scatter is not None:
        return scatter(cotangent.parts, cotangent.obj, cotangent.rest)
    return _one_by_one(cotangent.parts, cotangent.obj, cotangent.rest, over)


def _one_by_one(parts: Sequence[Part], obj: Tensor, rest: Any, over: Any) -> Any:
    """For a carrier that cannot write into an array."""
    total = over.const(Literal.filled(0.0, obj)) if rest is None else rest
    for operation, types, args in parts:
        total = over.add(total, over.operation(operation, types, obj)(*args))
    return total
