"""A program that raises where it would be total: indices, divisors and exponents are asked.

The checks are primitives, before any derivative is taken, so that a gradient has them, too, and any
mode and carrier runs them.
"""

from __future__ import annotations

import numpy as np

from combinators.block import rebuilt
from combinators.errors import Place
from combinators.kit.tree import distinct_nodes
from combinators.objects import Object, Tensor
from combinators.operation import Operation
from combinators.primitives.checks import EXACT, NONNEGATIVE, NONZERO, WHOLE, WITHIN
from combinators.primitives.indexing import PUT, TAKE
from combinators.terms import Const, Lam, Let, Prim, Term

_DIVISIONS = frozenset(("floor_divide", "remainder"))


def checked(lam: Lam) -> Lam:
    """``lam``, which raises at an index outside; of integers, at ``/ 0`` and a negative power.

    It raises too where an integer would wrap, and where a float that becomes one is none.

    ``where`` computes both of its alternatives, and so checks both; ``cond`` the one it takes.
    """
    made: dict[int, Term] = {}
    for node in distinct_nodes(lam, kind=Term):
        made[id(node)] = _checked(node, made)
    found = made[id(lam)]
    assert isinstance(found, Lam)
    return found


def _checked(term: Term, made: dict[int, Term]) -> Term:
    """``term``, of parts that are checked already."""
    if isinstance(term, Let):
        bindings = tuple((var, made[id(bound)]) for var, bound in term.bindings)
        return Let(bindings, made[id(term.body)])
    if isinstance(term, Lam):
        return Lam(term.params, made[id(term.body)], term.name)
    if not term.below():
        return term
    before = term.below()
    parts = tuple(made[id(part)] for part in before)
    if isinstance(term, Prim):
        parts = _asked(term.operation, parts, term.place)
        parts = _counted(term, parts)
    return rebuilt(term, before, parts)


def _asked(operation: Operation, args: tuple[Term, ...], place: Place | None) -> tuple[Term, ...]:
    """The arguments of a primitive, those that may be wrong in a check."""
    if operation.primitive in (TAKE, PUT):
        x, *indices = args
        axis = operation.keywords["axis"]
        extents = operation.keywords.get("extents") or _shape(x.type)[axis:]
        return x, *(
            _index(index, axis + at, extents[at], place) for at, index in enumerate(indices)
        )
    if operation.name in _DIVISIONS and _dtype(args[1].type)[:3] in ("int", "uin"):
        return args[0], _divisor(args[1], place)
    if operation.name == "power" and _dtype(args[1].type)[:3] == "int":
        return args[0], _exponent(args[1], place)
    return args


_GROWING = {
    *("add", "subtract", "multiply", "negative", "absolute", "square", "power"),
    *("sum", "prod", "cumsum", "matmul"),
}
"""What may give an integer that its type does not hold."""


def _counted(term: Prim, args: tuple[Term, ...]) -> tuple[Term, ...]:
    """The arguments of what gives integers, the first in a check that they are held."""
    dtype = term.type.dtype if isinstance(term.type, Tensor) else ""
    if dtype[:3] not in ("int", "uin"):
        return args
    operation, place = term.operation, term.place
    if operation.name == "convert" and _dtype(args[0].type).startswith("float"):
        check = Operation(WHOLE, (("dtype", dtype), ("place", place)))
        return (Prim(check, args, place),)
    if operation.name in _GROWING and not all(isinstance(arg, Const) for arg in args):
        axis = operation.keywords.get("axis")
        given = (("of", operation.name), ("axis", axis), ("dtype", dtype), ("place", place))
        return Prim(Operation(EXACT, given), args, place), *args[1:]
    return args


def _index(index: Term, axis: int, extent: int, place: Place | None) -> Term:
    if isinstance(index, Const):
        known = index.literal.array
        if np.all((known >= 0) & (known < extent)):
            return index
    given = (("axis", axis), ("extent", extent), ("place", place))
    return Prim(Operation(WITHIN, given), (index,), place)


def _divisor(divisor: Term, place: Place | None) -> Term:
    if isinstance(divisor, Const) and divisor.literal.array.all():
        return divisor
    return Prim(Operation(NONZERO, (("place", place),)), (divisor,), place)


def _exponent(exponent: Term, place: Place | None) -> Term:
    if isinstance(exponent, Const) and np.all(exponent.literal.array >= 0):
        return exponent
    return Prim(Operation(NONNEGATIVE, (("place", place),)), (exponent,), place)


def _shape(obj: Object) -> tuple[int, ...]:
    assert isinstance(obj, Tensor)
    return obj.shape


def _dtype(obj: Object) -> str:
    assert isinstance(obj, Tensor)
    return obj.dtype
