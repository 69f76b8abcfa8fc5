"""What a gradient asks of a function and of its arguments."""

from __future__ import annotations

from typing import Any

from combinators.errors import NotDifferentiable, TypeMismatch
from combinators.objects import Object, Tensor

Argnums = int | tuple[int, ...]


def chosen(argnums: Argnums, count: int) -> tuple[int, ...]:
    """The argument positions that ``argnums`` names, from the front."""
    given: tuple[Any, ...] = argnums if isinstance(argnums, tuple) else (argnums,)
    for index in given:
        if not isinstance(index, int) or isinstance(index, bool):
            raise TypeMismatch(f"argnums is an int or a tuple of ints, and this is {argnums!r}")
        if not -count <= index < count:
            raise TypeMismatch(
                f"argnums={argnums!r} names an argument that is not there; "
                f"the function takes {count}"
            )
    return tuple(index % count for index in given)


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
