"""How primitives are typed: broadcasting and promotion, as NumPy 2 does them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from combinators.errors import ShapeMismatch, TypeMismatch
from combinators.objects import Object, Tensor
from combinators.operation import Promotion, Typing

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


def common_number(kinds: Sequence[Any]) -> Sequence[DType]:
    """The common type, in which booleans count as integers."""
    found = np.result_type(*kinds)
    return [np.dtype(np.int64) if found == np.bool_ else found] * len(kinds)


def summed(kinds: Sequence[Any]) -> Sequence[DType]:
    """The common number, of small integers the widest: sums and products of them grow."""
    return [np.dtype(_WIDEST.get(kind.kind, kind)) for kind in common_number(kinds)]


_WIDEST = {"i": np.int64, "u": np.uint64}


def common_float(kinds: Sequence[Any]) -> Sequence[DType]:
    """The common type, in which integers and booleans count as floats."""
    found = np.result_type(*kinds)
    return [found if found.kind == "f" else np.dtype(np.float64)] * len(kinds)


def booleans(kinds: Sequence[Any]) -> Sequence[DType]:
    """All booleans."""
    return [np.dtype(np.bool_)] * len(kinds)


def choice(kinds: Sequence[Any]) -> Sequence[DType]:
    """A boolean, then alternatives of a common type."""
    return [np.dtype(np.bool_), *common(kinds[1:])]


__all__ = ["Promotion", "Typing"]
