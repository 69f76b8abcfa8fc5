"""How primitives are typed and declared: broadcasting and promotion, as NumPy 2 does them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from inspect import Parameter, Signature, signature
from typing import Any

import numpy as np

from combinators.errors import ShapeMismatch, TypeMismatch
from combinators.objects import Object, Tensor
from combinators.operation import (
    CONSTANT,
    Cost,
    Pointwise,
    Primitive,
    Promotion,
    Typing,
    declare,
    elementwise,
)
from combinators.tracing.emit import apply
from combinators.tracing.traced import counted, library

DType = np.dtype[Any]
MOST_AXES = 32
"""More are more than NumPy broadcasts."""


def tensor(obj: Object) -> Tensor:
    """``obj``, which has to be a tensor."""
    if not isinstance(obj, Tensor):
        raise TypeMismatch(f"a tensor was expected here, and this is {obj!r}")
    return obj


def broadcast(*objects: Object) -> tuple[int, ...]:
    """The shape that the shapes of ``objects`` broadcast to."""
    shapes = [tensor(obj).shape for obj in objects]
    try:
        return np.broadcast_shapes(*shapes)
    except RuntimeError:
        check_axes(*shapes)
        raise
    except ValueError:
        if len(set(shapes)) == 1:
            raise ShapeMismatch(f"an array of shape {shapes[0]} is too large to be one") from None
        listed = " and ".join(map(str, shapes))
        raise ShapeMismatch(f"the shapes {listed} do not broadcast together") from None


def check_axes(*shapes: tuple[int, ...]) -> None:
    """Raise where a shape has more axes than arrays that broadcast may have."""
    most = max(map(len, shapes))
    if most > MOST_AXES:
        raise ShapeMismatch(f"an array has at most {MOST_AXES} axes, and this is of {most}")


def same_dtype(*objects: Object) -> str:
    """The one element type that ``objects`` have."""
    dtypes = {tensor(obj).dtype for obj in objects}
    if len(dtypes) != 1:
        raise TypeMismatch(f"these have the element types {', '.join(sorted(dtypes))}, not one")
    return dtypes.pop()


def pointwise(*objects: Object) -> Object:
    """Broadcast, of one element type."""
    return Tensor(broadcast(*objects), same_dtype(*objects))


def predicate(*objects: Object) -> Object:
    """Broadcast to booleans."""
    same_dtype(*objects)
    return Tensor(broadcast(*objects), "bool")


def common(kinds: Sequence[Any]) -> Sequence[DType]:
    """NumPy's common type; Python scalars are weak."""
    return [np.result_type(*kinds)] * len(kinds)


def common_number(kinds: Sequence[Any], booleans: Any = np.int64) -> Sequence[DType]:
    """The common type, in which ``booleans`` alone count as integers."""
    found = np.result_type(*kinds)
    return [np.dtype(booleans) if found == np.bool_ else found] * len(kinds)


common_small = partial(common_number, booleans=np.int8)
"""The same, where NumPy takes booleans for the smallest integers."""


def summed(kinds: Sequence[Any]) -> Sequence[DType]:
    """The common number, of small integers the widest: sums and products of them grow."""
    return [np.dtype(_WIDEST.get(kind.kind, kind)) for kind in common_number(kinds)]


_WIDEST = {"i": np.int64, "u": np.uint64}


def common_float(kinds: Sequence[Any]) -> Sequence[DType]:
    """The common type, in which integers and booleans count as floats."""
    found = np.result_type(*kinds)
    return [found if found.kind == "f" else np.dtype(np.float64)] * len(kinds)


Function = Callable[..., Any]


def function(primitive: Primitive, arity: int, doc: str, *names: str) -> Function:
    """The function that applies ``primitive``; it answers to ``names`` in NumPy."""
    name = primitive.name

    def applied(*args: Any) -> Any:
        if len(args) != arity:
            raise TypeMismatch(f"{name} takes {counted(arity)}, and was given {len(args)}")
        try:
            return apply(primitive, *args)
        except (ShapeMismatch, TypeMismatch) as error:
            error.during(name)
            raise

    applied.__name__ = applied.__qualname__ = primitive.name
    applied.__doc__ = f"{doc}\n\n{primitive.kink}" if primitive.kink else doc
    vars(applied).update(arity=arity, __signature__=_SIGNATURES[arity])
    return library(primitive.name, *names)(applied)


_X, _Y = (Parameter(name, Parameter.POSITIONAL_ONLY) for name in "xy")
_SIGNATURES = {1: Signature([_X]), 2: Signature([_X, _Y])}


def smooth(
    name: str,
    doc: str,
    rule: Callable[..., Any],
    *names: str,
    promote: Promotion = common_float,
    cost: Cost = elementwise,
    infix: str = "",
    kink: str = "",
) -> Function:
    """A pointwise function whose derivative is ``rule(v, *xs, y)``."""
    said: dict[str, Any] = {"promote": promote, "cost": cost, "infix": infix, "kink": kink}
    primitive = declare(name, pointwise, Pointwise(rule), **said)
    return function(primitive, len(signature(rule).parameters) - 2, doc, *names)


def stepwise(
    name: str,
    doc: str,
    *names: str,
    arity: int = 1,
    promote: Promotion = common_float,
    typing: Typing = pointwise,
    infix: str = "",
    kink: str = "its derivative is 0 everywhere",
) -> Function:
    """A pointwise function that is constant in pieces: its derivative is 0 everywhere."""
    primitive = declare(name, typing, CONSTANT, promote=promote, infix=infix, kink=kink)
    return function(primitive, arity, doc, *names)
