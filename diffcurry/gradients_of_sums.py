"""Gradients at values of sums and lists, compiled: of the alternatives that the values are.

Compiled code gives a zero as None, wherever it stands: what it is a zero of, the value says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from combinators.objects import Product
from diffcurry.arguments import Argnums, face_at, is_many
from diffcurry.closures import lower
from diffcurry.known import NotKnown
from diffcurry.program import Program
from diffcurry.tangents import show_numbers


class Asked(Protocol):
    """What of a gradient is asked for."""

    argnums: Argnums
    with_value: bool

    @property
    def is_plain(self) -> bool:
        """Whether the gradient is all that it gives."""
        ...


def of_sums(
    program: Program, values: tuple[Any, ...], which: Sequence[int], asked: Asked
) -> tuple[Any, tuple[Any, ...]]:
    """What stands beside the gradient, and the gradients by the arguments ``which``.

    It raises NotKnown where there is no code, or where it says an error, which others word.
    """
    quick = program.of_sums
    if quick is None:
        raise NotKnown
    program.check(values)
    given = [quick.border.given(*one) for one in zip(values, program.types, strict=True)]
    try:
        found = quick.compiled.function(*given)
    except (IndexError, ArithmeticError, RuntimeError):
        raise NotKnown from None
    value = None
    if not asked.is_plain:
        at = int(asked.with_value)
        assert isinstance(program.cod, Product)
        face = program.face.children[1 - at] if program.face is not None else None
        value, found = lower(found[1 - at], program.cod.parts[1 - at], face), found[at]
        value = value if asked.with_value else (None, value)
    each = zip(found if is_many(asked.argnums) else (found,), which, strict=True)
    types = program.types
    return value, tuple(
        show_numbers(one, types[i], face_at(values[i], types[i]), given[i]) for one, i in each
    )
