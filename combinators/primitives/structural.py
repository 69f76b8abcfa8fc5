"""Primitives that every mode interprets itself: the algebra of cotangents, and applications.

Zero, plus, and the erased ``Tangent`` of functions work on values of any type, by components: one
node stands for the whole of a record. The others take a function and say how it is applied, or
derived; a mode applies it through its own ``eval``.
"""

from __future__ import annotations

from typing import Any

from combinators.errors import TypeMismatch
from combinators.objects import Fun, Object, Product, Tangent, Vector
from combinators.operation import Linear, Operation, Typing, declare, elementwise, free
from combinators.primitives.loops import function_type
from combinators.primitives.sums import SUMS
from combinators.tracing.emit import emit_operation, operand
from combinators.tracing.traced import library
from combinators.type_folds import (
    Represent,
    cotangent_of,
    dual_function,
    rep_function,
    represented,
    tangent_of,
)


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

STRUCTURAL = frozenset({ZEROS, PLUS, PACK, UNPACK, VECTOR}) | SUMS
"""What works by components, in any mode, and needs no value of a carrier."""


@library("zeros_of_type", word=False)
def zeros_of_type(obj: Object) -> Any:
    """The zero of any type without functions, as one constant."""
    return emit_operation(Operation(ZEROS, (("of", obj),)), ())


@library("plus", word=False)
def plus(x: Any, y: Any) -> Any:
    """The sum of two cotangents of one type."""
    return emit_operation(PLUS.plain, (operand(x), operand(y)))


@library("pack", word=False)
def pack(x: Any) -> Any:
    """A cotangent of what a function captured, as a ``Tangent``."""
    return emit_operation(PACK.plain, (operand(x),))


@library("unpack", word=False)
def unpack(x: Any, of: Object) -> Any:
    """The cotangent of type ``of`` that was packed; of the zero ``Tangent``, the zero of ``of``."""
    return emit_operation(Operation(UNPACK, (("of", of),)), (operand(x),))


def _override(f: Object, rule: Object, x: Object) -> Object:
    function = function_type(f, x, "with_derivative")
    dom = Product(x, cotangent_of(function.cod))
    given = function_type(rule, dom, "the rule of with_derivative")
    if given.cod is not cotangent_of(x):
        raise TypeMismatch(
            f"the rule of with_derivative gives the cotangent of {x!r}, but this gives "
            f"{given.cod!r}"
        )
    return function.cod


def _of_function(what: str, function: Represent) -> Typing:
    def typing(f: Object) -> Object:
        if not isinstance(f, Fun):
            raise TypeMismatch(f"only a function has a {what}, and {f!r} is none")
        return represented(f, function)

    return typing


def _fix(f: Object) -> Object:
    taken = f.dom if isinstance(f, Fun) else None
    if not isinstance(f, Fun) or not isinstance(taken, Product) or taken.width != 2:
        raise TypeMismatch(f"fix takes a function (A ⇒ B) × A ⇒ B, and this is {f!r}")
    itself, x = taken.parts
    if itself is not Fun(x, f.cod):
        raise TypeMismatch(
            f"a recursive function of {x!r} that gives {f.cod!r} calls itself as {itself!r}"
        )
    return itself


OVERRIDE = declare("override", _override, None, cost=free).plain
RECOMPUTE = declare(
    "recompute", lambda f, x: function_type(f, x, "recompute").cod, None, cost=free
).plain
"""Applies a function, of which a pullback keeps nothing: it runs the function again."""
FIX = declare("fix", _fix, None, cost=free).plain
"""From ``(A ⇒ B) × A ⇒ B`` to the recursive function ``A ⇒ B``: ``fix f = λx. f (fix f, x)``."""
REP = declare("rep", _of_function("rep-function", rep_function), None, cost=free).plain
"""From a function to its rep-function, ``A ⇒ B`` to ``A ⇒ B × (T B ⇒ Tangent × T A)`` (001)."""
DUAL = declare("dual", _of_function("dual function", dual_function), None, cost=free).plain
"""From a function to its dual function, ``A ⇒ B`` to ``A × T A ⇒ B × T B``."""
