"""The category of Python functions over some module of arrays that is like NumPy."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from combinators.errors import MissingRule
from combinators.literal import Literal
from combinators.objects import Object, Product
from combinators.operation import Operation
from combinators.type_folds import columns_of
from combinators.value_folds import map_leaves, zip_leaves

_ALIKE = frozenset(
    {
        *("add", "subtract", "multiply", "divide", "negative", "absolute", "power", "matmul"),
        *("square", "sqrt", "exp", "log", "sin", "cos", "tan", "tanh", "maximum", "minimum"),
        *("less", "less_equal", "greater", "greater_equal", "equal", "where"),
        *("logical_and", "logical_or", "logical_not"),
    }
)
"""What is called so everywhere, and takes no parameters."""

Make = Callable[..., Callable[..., Any]]


def _slice(xp: Any, start: Any, step: Any, extent: Any) -> Callable[..., Any]:
    ends = [first + stride * n for first, stride, n in zip(start, step, extent, strict=True)]
    window = tuple(
        slice(first, end if end >= 0 else None, stride)
        for first, end, stride in zip(start, ends, step, strict=True)
    )
    return lambda x: x[window]


def _take(xp: Any, axis: int) -> Callable[..., Any]:
    """Elements at indices; at one that lies outside, 0."""

    def compute(x: Any, *indices: Any) -> Any:
        extents = x.shape[axis : axis + len(indices)]
        inside = [(i >= 0) & (i < n) for i, n in zip(indices, extents, strict=True)]
        at = [xp.where(valid, i, 0) for valid, i in zip(inside, indices, strict=True)]
        taken = x[(*(slice(None),) * axis, *at)]
        rows = reduce(operator.and_, inside)
        behind = (1,) * (len(x.shape) - axis - len(indices))
        return xp.where(xp.reshape(rows, (*rows.shape, *behind)), taken, 0.0)

    return compute


def _reduction(name: str) -> Make:
    def make(xp: Any, axis: Any, keepdims: bool) -> Callable[..., Any]:
        return lambda x: getattr(xp, name)(x, axis=axis, keepdims=keepdims)

    return make


_MADE: dict[str, Make] = {
    "sum": _reduction("sum"),
    "prod": _reduction("prod"),
    "max": _reduction("max"),
    "min": _reduction("min"),
    "reshape": lambda xp, shape: lambda x: xp.reshape(x, shape),
    "broadcast_to": lambda xp, shape: lambda x: xp.broadcast_to(x, shape),
    "transpose": lambda xp, axes: lambda x: xp.transpose(x, axes),
    "concatenate": lambda xp, axis: lambda *parts: xp.concatenate(parts, axis),
    "slice": _slice,
    "take": _take,
}


def function_of(operation: Operation, xp: Any) -> Callable[..., Any]:
    """What computes ``operation`` with the functions of the module ``xp``."""
    name = operation.name
    if name in _MADE:
        return _MADE[name](xp, **operation.keywords)
    if name in _ALIKE and not operation.parameters:
        compute: Callable[..., Any] = getattr(xp, name)
        return compute
    raise MissingRule(f"{name} is not among the primitives that peers are asked for")


Function = Callable[[Any], Any]


class Functions:
    """Arrows are functions of one argument: an array, or a nested tuple of arrays."""

    def __init__(self, xp: Any) -> None:
        """``xp`` is the module of arrays."""
        self.xp = xp

    def identity(self, dom: Object) -> Function:
        """``id``."""
        return lambda x: x

    def compose(self, arrows: Sequence[Function]) -> Function:
        """One after the other."""
        return lambda x: reduce(lambda value, arrow: arrow(value), arrows, x)

    def prod(self, dom: Object, arrows: Sequence[Function]) -> Function:
        """A tuple."""
        return lambda x: tuple([arrow(x) for arrow in arrows])

    def proj(self, dom: Object, index: int, cod: Object) -> Function:
        """A component."""
        return lambda x: x[index]

    def extend(self, context: Product, arrow: Function) -> Function:
        """A longer tuple."""
        width = context.width
        return lambda x: (*(x[index] for index in range(width)), arrow(x))

    def const(self, dom: Object, value: Literal) -> Function:
        """An array, made when it is asked for."""
        return lambda x: self.xp.array(value.array)

    def primitive(self, operation: Operation, dom: Object, cod: Object) -> Function:
        """The module's own function of that name."""
        compute = function_of(operation, self.xp)
        if not isinstance(dom, Product):
            return compute
        width = dom.width
        return lambda x: compute(*(x[index] for index in range(width)))

    def cond(self, dom: Object, then: Function, other: Function) -> Function:
        """Python's own choice."""
        return lambda x: then(x[1]) if x[0] else other(x[1])

    def add(self, left: Function, right: Function, dom: Object, cod: Object) -> Function:
        """``f + g``."""
        return lambda x: leafwise(lambda a, _, b: self.xp.add(a, b), left(x), cod, right(x))

    def zero(self, dom: Object, cod: Object) -> Function:
        """``0``."""
        return lambda x: map_leaves(lambda leaf: self.xp.zeros(leaf.shape), cod)

    def scale(self, number: Function, arrow: Function, dom: Object, cod: Object) -> Function:
        """``λ · f``."""
        return lambda x: leafwise(lambda y, _: self.xp.multiply(number(x), y), arrow(x), cod)

    def inner(self, left: Function, right: Function, dom: Object, obj: Object) -> Function:
        """``⟨f, g⟩``."""

        def product(x: Any) -> Any:
            pairs = zip_leaves(obj, left(x), right(x), parts=columns_of)
            sums = (self.xp.sum(self.xp.multiply(a, b)) for _, a, b in pairs)
            return reduce(self.xp.add, sums, self.xp.zeros(()))

        return product


def leafwise(of: Callable[..., Any], value: Any, obj: Object, *others: Any) -> Any:
    """``of`` every array in a value, its type, and what stands there in ``others``."""
    return map_leaves(
        lambda leaf, x, *more: of(x, leaf, *more), obj, value, *others, parts=columns_of
    )


def plain(value: Any) -> Any:
    """Nested tuples of NumPy's arrays."""
    if isinstance(value, tuple | list):
        return tuple(map(plain, value))
    return np.asarray(value)[()]
