"""What a gradient asks of a function and of its arguments."""

from __future__ import annotations

import operator
from typing import Any, TypeGuard

from combinators.errors import NotDifferentiable, TypeMismatch
from combinators.objects import Object, Tensor

Argnums = int | tuple[int, ...] | list[int]


def chosen(argnums: Argnums, count: int) -> tuple[int, ...]:
    """The argument positions that ``argnums`` names, from the front."""
    try:
        given = tuple(map(integer, argnums if is_many(argnums) else (argnums,)))
    except TypeError:
        raise TypeMismatch(
            f"argnums is an int or a tuple of ints, and this is {argnums!r}"
        ) from None
    for index in given:
        if not -count <= index < count:
            raise TypeMismatch(
                f"argnums={argnums!r} names an argument that is not there; "
                f"the function takes {count}"
            )
    return tuple(index % count for index in given)


def is_many(argnums: Argnums) -> TypeGuard[tuple[int, ...] | list[int]]:
    """Whether a tuple is asked for, of gradients or the like; a list is as good as a tuple."""
    return isinstance(argnums, (tuple, list))


def integer(value: Any) -> int:
    """Python's int of one, or of one of NumPy's; a TypeError of anything else, and of a bool."""
    if isinstance(value, bool):
        raise TypeError("a bool is no integer here")
    return operator.index(value)


def check_scalar(obj: Object) -> None:
    """Raise where a gradient is asked of what is not one real number."""
    if isinstance(obj, Tensor) and obj.shape == () and obj.is_smooth:
        return
    if isinstance(obj, Tensor) and not obj.is_smooth:
        raise NotDifferentiable(
            f"grad takes a function whose result is one Real, and this gives {obj!r}, which has "
            "no tangents; let the arguments be floats, as 3.0 for 3"
        )
    raise NotDifferentiable(
        f"grad takes a function whose result is one Real, and this gives {obj!r}; "
        "reduce it, as by np.sum, or use jacobian(f)"
    )
