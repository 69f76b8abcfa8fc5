"""The algebra of cotangents in programs: zero, plus, and the erased ``Tangent`` of functions.

They work on values of any type, by components: one node stands for the whole of a record.
"""

from __future__ import annotations

from typing import Any

from combinators.errors import TypeMismatch
from combinators.objects import Object, Tangent, Vector
from combinators.operation import Linear, Operation, declare, elementwise, free
from combinators.tracing.emit import emit_operation, operand
from combinators.tracing.traced import library
from combinators.type_folds import tangent_of


def _plus(x: Object, y: Object) -> Object:
    if x is not y:
        raise TypeMismatch(f"plus adds two values of one type, not {x!r} and {y!r}")
    return x


def _unpack(x: Object, of: Object) -> Object:
    if x is not Tangent:
        raise TypeMismatch(f"unpack opens a Tangent, not {x!r}")
    return of


def _vector(*items: Object) -> Object:
    if len(set(items)) != 1:
        raise TypeMismatch(f"a vector is of values of one type, and these are {items!r:.80}")
    return Vector(items[0], len(items))


VECTOR = declare("vector", _vector, Linear(lambda g, *items: g), cost=free)
ZEROS = declare("zeros", lambda of: of, Linear(lambda g, of: ()), cost=free)
PLUS = declare("plus", _plus, Linear(lambda g, x, y: (g, g)), cost=elementwise, infix="+")
PACK = declare(
    "pack", lambda x: Tangent, Linear(lambda g, x: (unpack(g, tangent_of(x)),)), cost=free
)
UNPACK = declare("unpack", _unpack, Linear(lambda g, x, of: (pack(g),)), cost=free)


STRUCTURAL = frozenset({ZEROS, PLUS, PACK, UNPACK, VECTOR})
"""What works by components, in any mode, and needs no value of a carrier."""


@library("zeros_of_type", word=False)
def zeros_of_type(obj: Object) -> Any:
    """The zero of any type without functions, as one constant."""
    return emit_operation(Operation(ZEROS, (("of", obj),)), ())


@library("plus", word=False)
def plus(x: Any, y: Any) -> Any:
    """The sum of two cotangents of one type."""
    return emit_operation(Operation(PLUS), (operand(x), operand(y)))


@library("pack", word=False)
def pack(x: Any) -> Any:
    """A cotangent of what a function captured, as a ``Tangent``."""
    return emit_operation(Operation(PACK), (operand(x),))


@library("unpack", word=False)
def unpack(x: Any, of: Object) -> Any:
    """The cotangent of type ``of`` that was packed; of the zero ``Tangent``, the zero of ``of``."""
    return emit_operation(Operation(UNPACK, (("of", of),)), (operand(x),))
