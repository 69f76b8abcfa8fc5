"""What a gradient asks of a function and of its arguments."""

from __future__ import annotations

from combinators.errors import NotDifferentiable, TypeMismatch
from combinators.objects import Object, Tensor, is_smooth

Argnums = int | tuple[int, ...]


def chosen(argnums: Argnums, count: int) -> tuple[int, ...]:
    """The argument positions that ``argnums`` names, from the front."""
    given = argnums if isinstance(argnums, tuple) else (argnums,)
    for index in given:
        if isinstance(index, bool) or not -count <= index < count:
            raise TypeMismatch(f"argnums={argnums!r} of a function of {count} arguments")
    return tuple(index % count for index in given)


def check_smooth(types: tuple[Object, ...], which: tuple[int, ...]) -> None:
    """Raise where an argument has no tangents at all."""
    for index in which:
        if isinstance(types[index], Tensor) and not is_smooth(types[index]):
            raise NotDifferentiable(
                f"argument {index} is of type {types[index]!r}, which has no tangents; "
                "for a derivative write a float, such as 3.0"
            )


def check_scalar(obj: Object) -> None:
    """Raise where a gradient is asked of what is not one real number."""
    if isinstance(obj, Tensor) and obj.shape == () and obj.is_smooth:
        return
    raise NotDifferentiable(
        f"grad takes a function whose result is one Real, and this gives {obj!r}; "
        "reduce it, as by np.sum, or use jacobian(f)"
    )
