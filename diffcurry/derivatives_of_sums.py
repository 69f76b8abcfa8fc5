"""Derivatives at values of sums and lists, compiled: of the alternatives that the values are.

Compiled code gives a zero as None, wherever it stands: what it is a zero of, the value says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from combinators.objects import Object, Product, Sum
from combinators.tracing.faces import Face
from combinators.type_folds import columns_of
from combinators.value_folds import map_leaves
from diffcurry.arguments import face_at
from diffcurry.border import SCALARS
from diffcurry.closures import lower
from diffcurry.known import NotKnown
from diffcurry.modes import CARRIER
from diffcurry.program import Program
from diffcurry.tangents import read_tangent, show_numbers
from diffcurry.values import python_value
from interpreters.sparse_cotangents import zeros


class Ran(NamedTuple):
    """A program that ran as compiled Python: the arguments as it takes them, and what it gave."""

    program: Program
    values: Sequence[Any]
    given: list[Any]
    found: Any

    def cotangents(self, found: Sequence[Any], which: Sequence[int]) -> tuple[Any, ...]:
        """The cotangents ``found`` of the arguments ``which``, as users have them."""
        types = self.program.types
        return tuple(
            show_numbers(one, types[i], face_at(self.values[i], types[i]), self.given[i])
            for one, i in zip(found, which, strict=True)
        )

    def parts(self) -> list[tuple[Object, Face | None, Any]]:
        """The components of the result: their types and containers, and what compiled code gave."""
        assert isinstance(self.program.cod, Product)
        face = self.program.face
        faces = face.children if face is not None else (None,) * self.program.cod.width
        return list(zip(self.program.cod.parts, faces, self.found, strict=True))

    def shown_at(self, index: int) -> Any:
        """A component that is a value, as users have it."""
        obj, face, value = self.parts()[index]
        return python_value(value, obj, _leaf, face)


def ran(program: Program, values: Sequence[Any], tangents: Sequence[Any] = ()) -> Ran:
    """The program at ``values``, and along tangents of them.

    It raises NotKnown where there is no code, or where it says an error, which others word.
    """
    quick = program.of_sums
    if quick is None:
        raise NotKnown
    params, width = program.lam.params, len(values)
    given = [
        quick.border.given(value, param.type)
        for value, param in zip(values, params[:width], strict=True)
    ]
    along = [
        filled(read_tangent(tangent, param.type, param.name, value), obj)
        for tangent, param, value, obj in zip(
            tangents, params, given, program.types[width:], strict=False
        )
    ]
    try:
        return Ran(program, values, given, quick.compiled.function(*given, *along))
    except (IndexError, ArithmeticError, RuntimeError):
        raise NotKnown from None


def _leaf(value: Any, obj: Object) -> Any:
    return SCALARS[obj][1](value) if obj in SCALARS else lower(value, obj)


def filled(tangent: Any, obj: Object) -> Any:
    """A tangent of nested tuples, in which None is zero, with its zeros; a sum's is None."""
    return map_leaves(_filled, obj, tangent, parts=columns_of)


def _filled(leaf: Object, tangent: Any) -> Any:
    return zeros(CARRIER, leaf) if tangent is None and not isinstance(leaf, Sum) else tangent
