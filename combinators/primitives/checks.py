"""A program that raises where it would be total: indices, divisors and exponents are asked.

Elsewhere an index outside reads 0, an integer divided by zero is 0, and a negative power of an
integer is its integer part; integers wrap, and what is no number becomes some integer. A check is a
primitive: the identity, or an error. It is put in before any derivative is taken, so that a
gradient has it, too, and any mode and carrier runs it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from combinators.block import rebuilt
from combinators.errors import users_place
from combinators.kit.tree import remade
from combinators.objects import Object
from combinators.operation import CONSTANT, Operation, Primitive, declare, free
from combinators.primitives.indexing import PUT, TAKE
from combinators.primitives.signatures import tensor
from combinators.terms import Const, Lam, Prim, Term
from combinators.tracing.emit import emit_operation, operand
from combinators.tracing.traced import library


def _first(x: Object, *_: Object, **__: Any) -> Object:
    return x


WITHIN, NONZERO, NONNEGATIVE, WHOLE, EXACT, LIMITED = (
    declare(name, _first, CONSTANT, cost=free)
    for name in ("within", "nonzero", "nonnegative", "whole", "exact", "limited")
)
"""An index that lies in ``range(extent)``; a divisor that is not 0; an exponent that is not
negative; a float that is to become an integer, where there is one: no nan, none that is too large;
the first of the arguments of the operation ``of``, where its result is an integer of its type, of a
reduction along ``axis``; a number of rounds that is less than ``most``, of what ``did`` them. The
``place`` is for the error."""

CHECKS = frozenset(check.name for check in (WITHIN, NONZERO, NONNEGATIVE, WHOLE, EXACT, LIMITED))
"""The names of all."""

_GROWING = {
    *("add", "subtract", "multiply", "negative", "absolute", "square", "power"),
    *("sum", "prod", "cumsum", "matmul"),
}
"""What may give an integer that its type does not hold."""


@library("next_round", word=False)
def next_round(n: Any, most: int, did: str) -> Any:
    """The number of the round after ``n``, of which there are at most ``most``.

    It raises TooManyRounds where ``n`` is ``most``: "halve called itself more than 100 times", if
    that is what it ``did``.
    """
    said = ("most", most), ("did", did), ("place", users_place())
    return emit_operation(Operation(LIMITED, said), (operand(n),)) + 1


def checked(lam: Lam) -> Lam:
    """``lam``, which raises at an index outside; of integers, at ``/ 0`` and a negative power.

    It raises too where an integer would wrap, and where a float that becomes one is none.

    ``where`` computes both of its alternatives, and so checks both; ``cond`` the one it takes.
    """
    made: Lam = remade(lam, _checked)
    return made


def _checked(term: Any) -> Any:
    """A primitive of arguments that are asked, those that may be wrong."""
    if not isinstance(term, Prim) or not term.args:
        return term
    operation, args = term.operation, term.args
    if operation.primitive in (TAKE, PUT):
        axis = operation.keywords["axis"]
        extents = operation.keywords.get("extents") or tensor(args[0].type).shape[axis:]
        indices = (
            _asked(_range(n), WITHIN, term, index, axis=axis + at, extent=n)
            for at, (index, n) in enumerate(zip(args[1:], extents, strict=False))
        )
        args = (args[0], *indices)
    elif operation.name in ("floor_divide", "remainder") and _is_integer(args[1].type, "iu"):
        args = (args[0], _asked(np.all, NONZERO, term, args[1]))
    elif operation.name == "power" and _is_integer(args[1].type, "i"):
        args = (args[0], _asked(lambda n: np.all(n >= 0), NONNEGATIVE, term, args[1]))
    if _is_integer(term.type, "iu"):
        dtype = tensor(term.type).dtype
        if operation.name == "convert" and tensor(args[0].type).is_smooth:
            args = (_asked(_never, WHOLE, term, *args, dtype=dtype),)
        elif operation.name in _GROWING and not all(isinstance(arg, Const) for arg in args):
            given = {"of": operation.name, "axis": operation.keywords.get("axis"), "dtype": dtype}
            args = (_asked(_never, EXACT, term, *args, **given), *args[1:])
    return rebuilt(term, term.args, args)


def _is_integer(obj: Object, kinds: str) -> bool:
    return np.dtype(getattr(obj, "dtype", float)).kind in kinds


def _never(_: Any) -> bool:
    return False


def _range(extent: int) -> Callable[[Any], Any]:
    return lambda index: np.all((index >= 0) & (index < extent))


def _asked(
    holds: Callable[[Any], Any], check: Primitive, term: Prim, *args: Term, **given: Any
) -> Term:
    """The first of ``args`` in a check, but a literal of which it is known that it ``holds``."""
    if isinstance(args[0], Const) and holds(args[0].literal.array):
        return args[0]
    return Prim(Operation(check, (*given.items(), ("place", term.place))), args, term.place)
